"""Rebuildable state: each room is a fold of the log, with a checkpoint, and can be thrown away at any time."""
