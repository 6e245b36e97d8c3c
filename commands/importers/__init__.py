"""Readers of what `helix import` understands. Each reads its source and yields notes; none touches a store."""

from .detect import HELIXLOG, KINDS, detect, open_source
from .note import LinkNote, Note, Source

__all__ = ["HELIXLOG", "KINDS", "LinkNote", "Note", "Source", "detect", "open_source"]
