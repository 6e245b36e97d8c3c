"""Texts as a memory might hold them, from what every machine with Python has: docstrings, comments and man pages.

A passage is a few whole sentences of one file, 12 to 60 words, and its topic is
that file; so words follow Zipf's law, passages of a topic are near each other,
and some are nearly the same. Files are taken in an order drawn from a fixed
seed, which makes the texts equal on machines with equal files; what a store
would refuse is left out. Where the files do not suffice, sentences of one topic
are put together anew.
"""

from __future__ import annotations

import gzip
import random
import re
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
from helixlog.security import scan

SEED = 20
LEAST, MOST = 12, 60
"""Words of a passage."""

PER_FILE = 40
"""Most passages of one file."""

FAMILY = 50
"""At most one passage in so many is of manual pages named by the same word: those of one tool repeat themselves."""

PLACES = (
    (Path(sysconfig.get_path("stdlib")), "**/*.py"),
    (Path(sysconfig.get_path("purelib")), "**/*.py"),
    (Path("/usr/lib/python3/dist-packages"), "**/*.py"),
    (Path("/usr/share/man"), "man*/*.gz"),
)
PROSE = re.compile(r'"""(.+?)"""|((?:^[ \t]*#[^\n]*\n)+)', re.DOTALL | re.MULTILINE)
ROFF = re.compile(r'^[.\'].*$|\\f.|\\[&|/,^]|\\s[-+]?\d|\\"[^\n]*', re.MULTILINE)
QUOTE = re.compile(r"\\\(..")
MARKS = re.compile(r"^[ \t]*#+ ?", re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`\"'(])")
WORD = re.compile(r"[a-z]{2,}", re.IGNORECASE)


class Passage(msgspec.Struct, frozen=True, array_like=True):
    """A text, and the file it comes from by name."""

    topic: str
    text: str


def passages(count: int, cache: Path) -> list[Passage]:
    """`count` different passages; kept in `cache`."""
    kept = cache / f"passages-{count}.json"
    if not kept.exists():
        made = list(_passages(count))
        cache.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(msgspec.json.encode(made))
    return msgspec.json.decode(kept.read_bytes(), type=list[Passage])


def _passages(count: int) -> Iterator[Passage]:
    rng = random.Random(SEED)
    topics: dict[str, list[str]] = {}
    families: Counter[str] = Counter()
    seen: set[str] = set()
    for path in files(rng):
        topic, family = path.name.removesuffix(".gz"), re.split(r"[^a-z]", path.name)[0]
        for text in cut(paragraphs(path), rng) if families[family] < count // FAMILY else ():
            if text not in seen and not scan(text):
                seen.add(text)
                families[family] += path.suffix == ".gz"
                topics.setdefault(topic, []).extend(SENTENCE.split(text))
                yield Passage(topic, text)
                if len(seen) == count:
                    return
    while len(seen) < count:
        topic, sentences = rng.choice(list(topics.items()))
        text = " ".join(rng.sample(sentences, min(len(sentences), rng.randint(2, 4))))
        text = text if text not in seen else f"{text} ({len(seen)})"
        if not scan(text):
            seen.add(text)
            yield Passage(topic, text)


def files(rng: random.Random) -> list[Path]:
    """Every file there is, in an order of its own."""
    found = sorted({path for folder, pattern in PLACES for path in folder.glob(pattern)})
    rng.shuffle(found)
    return found


def paragraphs(path: Path) -> Iterator[str]:
    """The prose of a file."""
    try:
        if path.suffix == ".gz":
            source = gzip.decompress(path.read_bytes()).decode("utf-8", "ignore")
            pieces = [ROFF.sub("", QUOTE.sub("'", source)).replace("\\-", "-").replace("\\", "")]
        else:
            source = path.read_text(encoding="utf-8")
            pieces = [doc or MARKS.sub("", comment) for doc, comment in PROSE.findall(source)]
    except (OSError, ValueError, EOFError):
        return
    for piece in pieces:
        for paragraph in re.split(r"\n\s*\n", piece):
            yield " ".join(paragraph.split())


def cut(prose: Iterator[str], rng: random.Random) -> Iterator[str]:
    """Whole sentences in pieces of a length drawn for each."""
    held: list[str] = []
    made, wanted = 0, rng.randint(LEAST, MOST)
    for paragraph in prose:
        for sentence in SENTENCE.split(paragraph):
            words = sentence.split()
            if not 3 <= len(words) <= MOST or len(WORD.findall(sentence)) < 0.7 * len(words):
                continue
            held += words
            if len(held) >= wanted:
                yield " ".join(held[:MOST])
                held, wanted, made = [], rng.randint(LEAST, MOST), made + 1
                if made == PER_FILE:
                    return
