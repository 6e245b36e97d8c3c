"""Do to stores whatever may happen to them, for minutes or hours, and count what was lost.

    python tools/crash/run.py --seed N --minutes M [--only kills,images,...] [--json FILE] [--replay SOURCE:SEED]

Sources of faults take turns, each in rounds that depend on a seed alone; every source has at least one round. At the
end there is a table of what was tried, and the exit code is 1 if anything was lost. A loss is printed as it is found,
with the words that bring it about again. What is promised, and which test holds it: docs/durability.md.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # the package `crash`, and not its modules by themselves

import msgspec
from crash.sources import Source, sources
from crash.tally import Tally, memory

COLUMNS = ("rounds", "faults", "images", "kills", "mid", "inputs", "checks", "promises", "losses", "seconds")
LEGEND = (
    "faults: calls refused, rights taken, damage, schedules; images: disks a power cut may leave; kills: SIGKILL, of "
    "which `mid` while a verb was at work; checks: stores examined afterwards; promises: acknowledgements held to"
)


class Line(msgspec.Struct):
    """One source's line of the table."""

    name: str
    tally: Tally = msgspec.field(default_factory=Tally)
    rounds: int = 0
    seconds: float = 0.0

    def cells(self) -> list[str]:
        """What stands in the columns."""
        known = {"rounds": self.rounds, "losses": len(self.tally.losses), "seconds": round(self.seconds)}
        return [f"{known[name] if name in known else getattr(self.tally, name):,}" for name in COLUMNS]


def seed_of(seed: int, name: str, number: int) -> int:
    """The seed of one round."""
    return int.from_bytes(blake2b(f"{seed}/{name}/{number}".encode(), digest_size=4).digest(), "big")


def one_round(source: Source, seed: int, line: Line, scratch: Path) -> None:
    """Run a round of a source, count it, and say what was lost."""
    started = time.monotonic()
    place = Path(tempfile.mkdtemp(prefix=f"{source.name}-", dir=scratch))
    try:
        tally = source.round(seed, place)
    except Exception as error:  # noqa: BLE001 - a round that breaks off proves nothing, and the others go on
        tally = Tally(losses=[f"the round broke off: {type(error).__name__}: {error}"])
    shutil.rmtree(place, ignore_errors=True)
    for loss in tally.losses:
        print(f"LOSS {loss}\n     again: python tools/crash/run.py --replay {source.name}:{seed}", flush=True)
    line.tally += tally
    line.rounds += 1
    line.seconds += time.monotonic() - started


def run(chosen: Sequence[Source], seed: int, minutes: float, scratch: Path) -> list[Line]:
    """Rounds of every source until the time is over; whoever has had the least time is next."""
    lines = {source.name: Line(source.name) for source in chosen}
    deadline = time.monotonic() + 60 * minutes
    try:
        while True:
            waiting = [source for source in chosen if not lines[source.name].rounds]
            if not waiting and time.monotonic() > deadline:
                break
            source = waiting[0] if waiting else min(chosen, key=lambda one: lines[one.name].seconds)
            line = lines[source.name]
            one_round(source, seed_of(seed, source.name, line.rounds), line, scratch)
            print(f"{source.name}: round {line.rounds}, {len(line.tally.losses)} lost", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted; so far:", file=sys.stderr)
    return list(lines.values())


def table(lines: Sequence[Line]) -> str:
    """What was tried and lost, one line a source, and all of it."""
    total = Line("all")
    for line in lines:
        total.tally += line.tally
        total.rounds += line.rounds
        total.seconds += line.seconds
    rows = [["source", *COLUMNS], *([line.name, *line.cells()] for line in [*lines, total])]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    text = [
        "  ".join(cell.ljust(width) if not place else cell.rjust(width) for place, (cell, width) in enumerate(pairs))
        for pairs in (list(zip(row, widths, strict=True)) for row in rows)
    ]
    notes = [f"{line.name}: skipped in part or whole: {line.tally.skipped}" for line in lines if line.tally.skipped]
    return "\n".join([*text, "", LEGEND, *notes])


def main(arguments: Sequence[str] | None = None) -> int:
    """See the head of this file."""
    known = sources()
    described = "sources:\n" + "\n".join(f"  {one.name:12} {one.about}" for one in known.values())
    parser = argparse.ArgumentParser(
        description="Faults, counted.", epilog=described, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="what every round depends on (default 0)")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--only", help="sources, separated by commas")
    parser.add_argument("--json", type=Path, help="write the figures there as well")
    parser.add_argument("--replay", help="SOURCE:SEED, one round as a loss names it")
    parser.add_argument(
        "--scratch", type=Path, help="where the stores are (default: in memory, where there is such a folder)"
    )
    options = parser.parse_args(arguments)
    names = [options.replay.partition(":")[0]] if options.replay else (options.only or ",".join(known)).split(",")
    if unknown := set(names) - set(known):
        parser.error(f"there is no source {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [known[name] for name in names]
    with tempfile.TemporaryDirectory(
        prefix="helixlog-crash-", dir=options.scratch or memory(), ignore_cleanup_errors=True
    ) as place:
        if options.replay:
            lines = [Line(chosen[0].name)]
            one_round(chosen[0], int(options.replay.partition(":")[2]), lines[0], Path(place))
        else:
            lines = run(chosen, options.seed, options.minutes, Path(place))
    print(f"seed {options.seed}\n{table(lines)}")
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode({"seed": options.seed, "sources": lines})))
    return int(any(line.tally.losses for line in lines))


if __name__ == "__main__":
    sys.exit(main())
