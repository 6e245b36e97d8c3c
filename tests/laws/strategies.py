"""Random logs in which events hit each other: few texts, few ids, all event types.

`random_log(rng, n)` is a pure function of the random source, so a benchmark may
use it as well; `logs()` and `logs_with_constants()` are the strategies made of it.
The first k events of a longer log are a possible history too, but for what an
erasure in the rest rewrites.

Evidence is truthful: canonical cosines of vectors recorded earlier, one entry an
indexed form, the nearest `limit` of them, `horizon` just above the first left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from random import Random

import hypothesis.strategies as st
import msgspec
import numpy as np
from helixlog.constants import DAY, OUTCOMES, Constants, Thresholds
from helixlog.eventlog import events as ev
from helixlog.projections.ledger.guards import UNREAD, guard
from helixlog.projections.ledger.normal import exact_form
from helixlog.projections.vector.evidence import pack

EPOCH = 1_750_000_000_000_000_000
NOWHERE = "m-nowhere"
FINGERPRINTS = ("embedder-one", "embedder-two")
OWNER = "ann"

SUBJECTS = (
    "the build server keeps its cache in the cellar",
    "we review every change before noon",
    "customers prefer short answers to long ones",
    "the nightly backup runs on the old machine",
    "tests of the parser are slow on windows",
    "the team drinks coffee before each meeting",
    "release notes are written by whoever broke the build",
    "a failing deploy is rolled back without discussion",
)

REPHRASED = (
    "{}",
    "{} as agreed",
    "{} as agreed with the whole team",
    "as a rule {}",
    "{}, which nobody doubts",
)
"""Several of these may merge with one another."""

FORBIDDEN = ("{} in room 7", "{} in room 8", "it is not true that {}", "{} since 14 May")
"""A guard keeps each of these apart from the plain one."""

WEIGHTS = {
    "store": 34.0,
    "supersede": 3.0,
    "supersede_by": 4.0,
    "restore": 3.0,
    "forget": 3.0,
    "same": 3.0,
    "different": 4.0,
    "annotate": 4.0,
    "reinforce": 2.0,
    "link": 3.0,
    "unlink": 2.0,
    "feedback": 14.0,
    "campaign": 2.0,
    "recall": 4.0,
    "decay": 1.0,
    "prune": 4.0,
    "expire": 1.0,
    "adopt_constants": 1.0,
    "adopt_embedder": 0.7,
    "erase": 0.7,
    "erase_other": 0.5,
    "unknown": 0.7,
    "other": 2.0,
}
"""How often each thing happens, relative to the others; any may be given to `random_log`."""


@dataclass(kw_only=True)
class Options:
    """What kind of log it is; each may be given to `random_log`, and is drawn when it is not."""

    dims: int
    topics: int
    """How many subjects are talked of, at most 8: the fewer, the more texts meet."""
    limit: int
    """Entries an evidence lists at most."""
    floor: float
    """The lowest cosine that evidence records."""
    embedder: bool
    """Whether the store begins with an embedder."""
    missing: float = 0.06
    """Share of texts stored without vectors."""
    incomplete: float = 0.02
    """Share of evidences in which an accelerator overlooked something."""


@dataclass(frozen=True)
class Stored:
    """What the writer remembers of a text."""

    seq: int
    id: str
    text: str
    partition: tuple[str | None, ...]
    form: tuple[object, ...]


@dataclass
class Writer:
    """Appends random events to a log."""

    rng: Random
    options: Options
    log: list[ev.Recorded] = field(default_factory=list)
    now: int = EPOCH
    fingerprint: str | None = None
    stored: list[Stored] = field(default_factory=list)
    vectors: dict[tuple[int, str], tuple[bytes, ...]] = field(default_factory=dict)
    recalls: list[str] = field(default_factory=list)
    _drawn: dict[object, tuple[bytes, ...]] = field(default_factory=dict)
    _directions: dict[object, np.ndarray] = field(default_factory=dict)

    # -- appending -------------------------------------------------------------

    def append(self, event: ev.Event, own_id: str | None = None, *, at_once: bool = False) -> ev.Recorded:
        if self.log and not at_once:
            self.now += self.jump()
        clock = self.now if self.rng.random() < 0.9 else self.now - self.rng.randrange(DAY)
        recorded = ev.Recorded(seq=len(self.log) + 1, recorded_at=self.now, clock=clock, id=own_id, event=event)
        self.log.append(recorded)
        return recorded

    def jump(self) -> int:
        scale = self.rng.choice((0, 0, 1, 10**9, 3_600 * 10**9, DAY, 5 * DAY, 20 * DAY, 100 * DAY))
        return scale if self.rng.random() < 0.3 else self.rng.randrange(scale + 1)

    def maybe(self, share: float) -> bool:
        return self.rng.random() < share

    # -- names -----------------------------------------------------------------

    def some_id(self) -> str:
        """An id: mostly a recent one or one of a few that are spoken of often, seldom one that never was."""
        if not self.stored or self.maybe(0.03):
            return NOWHERE
        chance = self.rng.random()
        if chance < 0.45:
            return self.rng.choice(self.stored[-8:]).id
        return self.rng.choice(self.stored[:5] if chance < 0.75 else self.stored).id

    def some_ids(self, most: int) -> tuple[str, ...]:
        """Up to `most` ids; now and then the same one twice, or an exact repeat of another."""
        ids = [self.some_id() for _ in range(self.rng.randint(1, most))]
        if self.maybe(0.3):
            forms = {one.form for one in self.stored if one.id == ids[0]}
            ids.append(self.rng.choice([ids[0], *(one.id for one in self.stored if one.form in forms)]))
        return tuple(ids)

    def some_term(self) -> ev.Term:
        name = self.rng.choice(("Parser", "Cellar", "Windows", "Backup"))
        return ev.Term(name=name, key=name.lower(), type=self.rng.choice((None, "thing")))

    def some_terms(self) -> tuple[ev.Term, ...]:
        return tuple(self.some_term() for _ in range(self.rng.choice((0, 0, 0, 1, 2))))

    def some_tags(self) -> tuple[str, ...]:
        tags = ("red", "green", "blue", "user-provided", "user-preference")
        return tuple(self.rng.choices(tags, (6, 6, 6, 1, 1), k=self.rng.choice((0, 0, 0, 0, 1, 2))))

    def some_text(self) -> str:
        subject = self.rng.choice(SUBJECTS[: self.options.topics])
        pattern = self.rng.choice(REPHRASED if self.maybe(0.8) else FORBIDDEN)
        text = pattern.format(subject)
        if self.maybe(0.15):
            return f"  {text}\n".replace(" the ", "\t the ")
        return text

    # -- vectors ---------------------------------------------------------------

    def direction(self, name: object) -> np.ndarray:
        """A random unit vector that is always the same for this name."""
        if name not in self._directions:
            drawn = np.array([self.rng.gauss(0, 1) for _ in range(self.options.dims)])
            self._directions[name] = drawn / math.sqrt(float((drawn * drawn).sum()))
        return self._directions[name]

    def unit_rows(self, name: object, near: object, spread: float) -> bytes:
        vector = self.direction(near) + spread * self.direction(name)
        return (vector / math.sqrt(float((vector * vector).sum()))).astype("<f2").tobytes()

    def rows(self, form: tuple[object, ...], text: str, fingerprint: str) -> tuple[bytes, ...]:
        """The vectors of an indexed form: near its subject, and near each other."""
        key = (form, fingerprint)
        if key not in self._drawn:
            subject = next(subject for subject in SUBJECTS if subject in exact_form(text))
            spread = self.rng.choice((0.0, 0.15, 0.3, 0.5, 0.8))
            windows = 2 if self.maybe(0.15) else 1
            self._drawn[key] = tuple(
                self.unit_rows((key, window), (subject, fingerprint), spread + window) for window in range(windows)
            )
        return self._drawn[key]

    def evidence(self, form: tuple[object, ...], text: str, partition: tuple[str | None, ...]) -> ev.Evidence:
        fingerprint = self.fingerprint or FINGERPRINTS[0]
        own = self.rows(form, text, fingerprint)
        first: dict[tuple[object, ...], Stored] = {}
        for other in self.stored:
            if other.partition == partition and (other.seq, fingerprint) in self.vectors:
                first.setdefault(other.form, other)
        measured = [
            (
                cosine(own, self.vectors[other.seq, fingerprint]),
                other.seq,
                UNREAD if self.maybe(0.3) else guard(text, other.text),
            )
            for other in first.values()
        ]
        near = sorted((entry for entry in measured if entry[0] >= self.options.floor), key=lambda e: (-e[0], e[1]))
        kept, left = near[: self.options.limit], near[self.options.limit :]
        horizon = self.options.floor
        if left:
            horizon = max(horizon, float(np.nextafter(np.float32(left[0][0]), np.float32(2))))
        incomplete = bool(kept) and self.maybe(self.options.incomplete)
        if incomplete:
            kept.pop(self.rng.randrange(len(kept)))
        repeats = [other.seq for other in self.stored if other.partition == partition and other.form[0] == form[0]]
        return ev.Evidence(
            fingerprint=fingerprint,
            partition="/".join(part or "" for part in partition),
            floor=self.options.floor,
            horizon=horizon,
            near=pack([seq for _, seq, _ in kept], [cos for cos, _, _ in kept], [byte for _, _, byte in kept]),
            exact=tuple(repeats[:32]),
            exact_total=len(repeats),
            complete=not incomplete,
        )

    # -- storing ---------------------------------------------------------------

    def store(self, **fields: object) -> str:
        rng = self.rng
        text = self.some_text()
        scope = self.some_scope()
        partition = partition_of(scope)
        title = "Notes" if self.maybe(0.06) else None
        observed_at = EPOCH - DAY if self.maybe(0.06) else None
        form = (exact_form(text), title, observed_at)
        vectors = evidence = None
        if self.fingerprint is not None and not self.maybe(self.options.missing):
            rows = self.rows(form, text, self.fingerprint)
            vectors = ev.Vectors(fingerprint=self.fingerprint, dims=self.options.dims, rows=rows)
            evidence = self.evidence(form, text, partition)
        origin = rng.choice(("normal",) * 5 + ("derived", "synthesised", "imported"))
        event = ev.MemoryStored(
            text=text,
            title=title,
            kind=rng.choices(("fact", "decision", "instruction"), (16, 2, 1))[0],
            origin=origin,
            prior=self.some_prior() if self.maybe(0.08) else None,
            tags=self.some_tags(),
            entities=self.some_terms(),
            categories=self.some_terms(),
            relations=self.some_relations(),
            salience=rng.choice((None, None, 0.0, 0.95)),
            provenance=self.some_provenance(),
            scope=scope,
            observed_at=observed_at,
            expires_at=self.now + rng.randrange(60 * DAY) if self.maybe(0.08) else None,
            vectors=vectors,
            evidence=evidence,
            **self.some_interval(),
            **fields,
        )
        own_id = f"m{len(self.log) + 1:05d}"
        recorded = self.append(event, own_id)
        self.stored.append(Stored(recorded.seq, own_id, text, partition, form))
        if vectors is not None:
            self.vectors[recorded.seq, vectors.fingerprint] = vectors.rows
        return own_id

    def some_scope(self) -> ev.Scope:
        return self.rng.choices(
            (
                ev.Scope(),
                ev.Scope(user=OWNER),
                ev.Scope(user="bob"),
                ev.Scope(project="ship"),
                ev.Scope(visibility="shared"),
                ev.Scope(visibility="shared", user="bob", project="ship"),
            ),
            (60, 10, 4, 4, 4, 2),
        )[0]

    def some_interval(self) -> dict[str, int | None]:
        if self.maybe(0.85):
            return {}
        start = self.rng.choice((None, EPOCH - 10 * DAY, EPOCH + 50 * DAY))
        end = self.rng.choice((None, EPOCH + 200 * DAY))
        if self.maybe(0.7):
            return {"valid_from": start, "valid_to": end}
        return {"event_start": start, "event_end": end}

    def some_prior(self) -> ev.Prior:
        uses = self.rng.choice((0, 0, 2, 5))
        return ev.Prior(effectiveness=self.rng.choice((0.0, 0.2, 0.8, 1.0)), uses=uses, hits=self.rng.randint(0, uses))

    def some_relations(self) -> tuple[ev.Relation, ...]:
        if self.maybe(0.94):
            return ()
        relation = self.rng.choice(("updates", "extends", "derives", "duplicate", "relates_to"))
        confidence = self.rng.choice((None, 0.0, 0.4, 0.9))
        return (ev.Relation(relation=relation, target=self.some_id(), confidence=confidence),)

    def some_provenance(self) -> ev.Provenance:
        kind = self.rng.choices(("user", "agent", "tool", "file", "import"), (6, 6, 4, 1, 1))[0]
        return ev.Provenance(kind=kind, derived_from=self.some_ids(2) if self.maybe(0.05) else ())

    # -- changing --------------------------------------------------------------

    def supersede(self) -> None:
        old = self.some_id()
        new = self.store(superseding=True)
        self.append(ev.MemorySuperseded(old=old, new=new), at_once=True)

    def supersede_by(self) -> None:
        """Also of a memory by itself, and, with few ids about, in circles."""
        old, new = self.some_id(), self.some_id()
        self.append(ev.MemorySuperseded(old=old, new=new))
        if self.maybe(0.2):
            self.append(ev.MemorySuperseded(old=new, new=old))

    def restore(self) -> None:
        gone = [e.event for e in self.log if isinstance(e.event, (ev.MemorySuperseded, ev.MemoryForgotten))]
        last = gone[-1] if gone and self.maybe(0.7) else None
        named = last.old if isinstance(last, ev.MemorySuperseded) else last.memory if last else self.some_id()
        self.append(ev.MemoryRestored(memory=named))

    def forget(self) -> None:
        self.append(ev.MemoryForgotten(memory=self.some_id()))

    def same(self) -> None:
        first = self.some_id()
        partitions = {one.partition for one in self.stored if one.id == first}
        others = [one.id for one in self.stored[-20:] if one.partition in partitions]
        self.append(
            ev.MembershipOverruled(verdict="same", first=first, second=self.rng.choice(others) if others else NOWHERE)
        )

    def different(self) -> None:
        """Mostly of a text that was there before, and so is not alone."""
        repeats = [one for n, one in enumerate(self.stored) if one.form in {other.form for other in self.stored[:n]}]
        first = self.rng.choice(repeats).id if repeats and self.maybe(0.6) else self.some_id()
        self.append(ev.MembershipOverruled(verdict="different", first=first))

    def annotate(self) -> None:
        rng = self.rng
        event = ev.MemoryAnnotated(
            memory=self.some_id(),
            add_tags=self.some_tags(),
            remove_tags=self.some_tags(),
            add_entities=self.some_terms(),
            remove_entities=tuple(term.key for term in self.some_terms()),
            add_categories=self.some_terms(),
            remove_categories=tuple(term.key for term in self.some_terms()),
            expires_at=self.now + rng.randrange(60 * DAY) if self.maybe(0.2) else None,
            pin=rng.choice((None, None, None, "core")),
            salience=rng.choice((None, 0.0, 1.0)),
            clear=tuple(name for name in ("expires_at", "pin", "salience") if self.maybe(0.15)),
        )
        self.append(event)

    def reinforce(self) -> None:
        self.append(ev.MemoryReinforced(memory=self.some_id()))

    def some_end(self) -> ev.Endpoint:
        if self.maybe(0.8):
            return ev.Endpoint(id=self.some_id())
        kind = self.rng.choice(("entity", "category", "document", "session"))
        return ev.Endpoint(id=self.rng.choice(("parser", "cellar")), kind=kind)

    def link(self) -> None:
        relation = self.rng.choice(("similar", "led_to", "extends", "relates_to"))
        weight = self.rng.choice((1.0, 0.5, 0.25))
        self.append(ev.MemoriesLinked(source=self.some_end(), target=self.some_end(), relation=relation, weight=weight))

    def unlink(self) -> None:
        relation = self.rng.choice((None, None, "similar", "updates"))
        source, target = self.some_end(), self.some_end()
        links = [e.event for e in self.log if isinstance(e.event, ev.MemoriesLinked)]
        if links and self.maybe(0.6):
            last = self.rng.choice(links)
            source, target = last.target, last.source
        self.append(ev.MemoriesUnlinked(source=source, target=target, relation=relation))

    # -- using -----------------------------------------------------------------

    def context(self) -> ev.Vectors | None:
        if self.maybe(0.3):
            return None
        used = self.fingerprint if self.fingerprint is not None and self.maybe(0.9) else self.rng.choice(FINGERPRINTS)
        topic = self.rng.choice(SUBJECTS[: self.options.topics])
        row = self.unit_rows(("context", self.rng.randrange(6)), (topic, used), self.rng.choice((0.3, 1.0, 3.0)))
        return ev.Vectors(fingerprint=used, dims=self.options.dims, rows=(row,))

    def some_similarity(self, how: str) -> float | None:
        if how == "none" or (how == "mixed" and self.maybe(0.5)):
            return None
        drawn = self.rng.choice((0.5, 0.49, 0.51, 0.6, 0.8, 1.0, self.rng.uniform(-0.2, 1)))
        return float(np.float32(drawn))

    def feedback(self, ids: tuple[str, ...] | None = None, outcome: str | None = None) -> None:
        rng = self.rng
        ids = self.some_ids(4) if ids is None else ids
        how = rng.choice(("all", "all", "mixed", "none"))
        used = None
        if self.maybe(0.3):
            used = tuple(rng.sample(ids, rng.randint(0, len(ids)))) + ((self.some_id(),) if self.maybe(0.2) else ())
        label = rng.choice((*OUTCOMES, "blocked", "delivered")) if outcome is None else outcome
        event = ev.FeedbackGiven(
            outcome="celebrated" if self.maybe(0.02) else label,
            exposures=tuple(ev.Exposure(id=one, similarity=self.some_similarity(how)) for one in ids),
            recall_id=rng.choice(self.recalls) if self.recalls and self.maybe(0.3) else None,
            used=used,
            fingerprint=self.fingerprint,
            context_vector=self.context(),
        )
        self.append(event, f"f{len(self.log) + 1:05d}")

    def campaign(self) -> None:
        """Several feedbacks on the same memories, with one outcome."""
        ids = self.some_ids(2)
        outcome = self.rng.choice(("blocked", "blocked", "partial", "delivered"))
        for _ in range(self.rng.randint(3, 7)):
            self.feedback(ids, outcome)

    def recall(self) -> None:
        ids = self.some_ids(4)
        own_id = f"r{len(self.log) + 1:05d}"
        event = ev.MemoriesRecalled(
            query="what of it",
            point_seq=len(self.log),
            point_clock=self.now,
            returned=tuple(ev.Returned(id=one, rank=rank, score=0.5 / rank) for rank, one in enumerate(ids, 1)),
            injected=ids[:1] if self.maybe(0.3) else (),
            suppressed=(NOWHERE,) if self.maybe(0.1) else (),
        )
        self.append(event, own_id)
        self.recalls.append(own_id)

    # -- time ------------------------------------------------------------------

    def tick_clock(self) -> int:
        return self.now + self.rng.choice((0, 0, 0, 0, -DAY, DAY, 70 * DAY))

    def decay(self) -> None:
        self.append(ev.DecayTicked(clock=self.tick_clock()))

    def prune(self) -> None:
        self.append(ev.PruneTicked(clock=self.tick_clock()))

    def expire(self) -> None:
        self.append(ev.ExpiryTicked(clock=self.tick_clock()))

    # -- the store -------------------------------------------------------------

    def adopt_constants(self) -> None:
        constants = random_constants(self.rng, self.options.floor)
        self.append(ev.ConstantsAdopted(constants=constants.as_dict(), reason="they did better"))

    def adopt_embedder(self) -> None:
        """Vectors of the other embedder for every text, in batches, and then the other embedder."""
        chosen = FINGERPRINTS[1] if self.fingerprint == FINGERPRINTS[0] else FINGERPRINTS[0]
        for begin in range(0, len(self.stored), 7):
            batch = self.stored[begin : begin + 7]
            rows = tuple(self.rows(one.form, one.text, chosen) for one in batch)
            seqs = tuple(one.seq for one in batch)
            event = ev.MemoriesReembedded(fingerprint=chosen, dims=self.options.dims, texts=seqs, rows=rows)
            self.append(event, at_once=True)
            self.vectors.update(((seq, chosen), row) for seq, row in zip(seqs, rows, strict=True))
        self.append(ev.EmbedderAdopted(fingerprint=chosen, embedder=None), at_once=True)
        self.fingerprint = chosen

    def erase(self) -> None:
        """The payloads of some texts are destroyed, and with them every number about them."""
        if not self.stored:
            return
        gone = self.rng.sample(self.stored, min(len(self.stored), self.rng.randint(1, 3)))
        self.stored = [one for one in self.stored if one not in gone]
        seqs, ids = {one.seq for one in gone}, {one.id for one in gone}
        rewritten = []
        for index, recorded in enumerate(self.log):
            event = without_traces(recorded, seqs, ids)
            if event is not recorded.event:
                self.log[index] = msgspec.structs.replace(recorded, event=event)
                rewritten.append(ev.ErasedRecord(seq=recorded.seq, commitment=bytes(32)))
        self.append(ev.MemoryErased(memories=tuple(one.id for one in gone), rewritten=tuple(rewritten)))

    def erase_other(self) -> None:
        """The payload of something that is no text is destroyed."""
        others = [
            n
            for n, recorded in enumerate(self.log)
            if isinstance(recorded.event, (ev.FeedbackGiven, ev.MemoriesRecalled, ev.MemoryAnnotated))
        ]
        if others:
            index = self.rng.choice(others)
            recorded = self.log[index]
            erased = ev.ErasedEvent(kind=str(recorded.event.__struct_config__.tag))
            self.log[index] = msgspec.structs.replace(recorded, event=erased)

    def unknown(self) -> None:
        self.append(ev.UnknownEvent(kind="memories_dreamt", kind_version=3, payload=b"\x80"), "d" + str(len(self.log)))

    def other(self) -> None:
        """One of the events that change no belief."""
        term = self.some_term()
        self.append(
            self.rng.choice(
                (
                    ev.TierTicked(clock=self.now),
                    ev.SynthesisTicked(clock=self.now, watermark=len(self.log)),
                    ev.SessionStarted(agent_type="builder"),
                    ev.SessionEnded(outcome="delivered"),
                    ev.SessionArchived(task_id="t1", outcome="blocked"),
                    ev.TurnRecorded(role="user", text="hello"),
                    ev.DocumentIngested(document_id="d1", title="A page"),
                    ev.ChunksStored(document_id="d1", chunks=(ev.Chunk(chunk_id="c1", ordinal=0, text="a page"),)),
                    ev.DocumentRemoved(document_id="d1"),
                    ev.BlockEdited(block="core", text="be brief"),
                    ev.EntityDeclared(entity=term, aliases=("other",)),
                    ev.CategoryDeclared(category=term),
                    ev.ProfileSummarised(user="ann", static="likes tea", derived_from=(self.some_id(),)),
                    ev.ContentRejected(category="secret", length_band="<1000"),
                )
            )
        )


def partition_of(scope: ev.Scope) -> tuple[str | None, ...]:
    """Visibility, user and project, as the writer of a store that `OWNER` owns sees them."""
    if scope.visibility == "shared":
        return "shared", None, scope.project
    return "private", scope.user or OWNER, scope.project


def cosine(first: tuple[bytes, ...], second: tuple[bytes, ...]) -> float:
    """The canonical cosine of the worst matched window."""
    left, right = (np.array([np.frombuffer(row, "<f2") for row in rows], np.float64) for rows in (first, second))
    products = left @ right.T
    worst = min(products.max(axis=0).min(), products.max(axis=1).min())
    return float(np.float32(np.clip(worst, -1.0, 1.0)))


def without_traces(recorded: ev.Recorded, seqs: set[int], ids: set[str]) -> ev.Event:
    """The event as it stands once the texts with these seqs and ids are erased; the same object if nothing changes."""
    event = recorded.event
    replace = msgspec.structs.replace
    if isinstance(event, ev.MemoryStored):
        if recorded.seq in seqs:
            return ev.ErasedEvent(kind="memory_stored")
        evidence = event.evidence
        if evidence is not None:
            entries = [evidence.near[n : n + 9] for n in range(0, len(evidence.near), 9)]
            near = b"".join(entry for entry in entries if int.from_bytes(entry[:4], "little") not in seqs)
            exact = tuple(seq for seq in evidence.exact if seq not in seqs)
            if near != evidence.near or exact != evidence.exact:
                return replace(event, evidence=replace(evidence, near=near, exact=exact))
    elif isinstance(event, ev.FeedbackGiven) and any(one.id in ids for one in event.exposures):
        exposures = tuple(ev.Exposure(id=one.id) if one.id in ids else one for one in event.exposures)
        return replace(event, exposures=exposures, context=None, context_vector=None)
    elif isinstance(event, ev.MemoriesRecalled) and any(one.id in ids for one in event.returned):
        returned = tuple(replace(one, score=0.0) if one.id in ids else one for one in event.returned)
        return replace(event, returned=returned, query="")
    elif isinstance(event, ev.MemoriesReembedded) and not seqs.isdisjoint(event.texts):
        kept = [(seq, rows) for seq, rows in zip(event.texts, event.rows, strict=True) if seq not in seqs]
        return replace(event, texts=tuple(seq for seq, _ in kept), rows=tuple(rows for _, rows in kept))
    return event


def random_log(rng: Random, n: int, **given: float | bool) -> list[ev.Recorded]:
    """A log of n events, the genesis among them: a pure function of the random source.

    Args:
        rng: Where every choice comes from.
        n: Events, at least 1.
        given: Weights of what happens, by the names in `WEIGHTS`, and fields of `Options`.
    """
    drawn: dict[str, float | bool] = {
        "dims": rng.randint(4, 8),
        "topics": rng.choice((2, 3, 5, 8)),
        "limit": rng.choice((2, 3, 5, 32)),
        "floor": rng.choice((-1.0, 0.0, 0.3, 0.5)),
        "embedder": rng.random() < 0.95,
    }
    weights = WEIGHTS | {name: value for name, value in given.items() if name in WEIGHTS}
    options = Options(**(drawn | {name: value for name, value in given.items() if name not in WEIGHTS}))  # type: ignore[arg-type]
    writer = Writer(rng, options, fingerprint=FINGERPRINTS[0] if options.embedder else None)
    writer.append(
        ev.StoreCreated(
            store_id="s1",
            tenant="t1",
            format=1,
            constants=Constants.seed().as_dict(),
            owner=OWNER,
            fingerprint=writer.fingerprint,
        )
    )
    names, shares = list(weights), list(weights.values())
    while len(writer.log) < n:
        getattr(writer, rng.choices(names, shares)[0])()
    return writer.log[:n]


def floor_of(log: list[ev.Recorded]) -> float:
    """The highest floor that the log's evidence recorded: no threshold may be below it."""
    stored = (recorded.event for recorded in log if isinstance(recorded.event, ev.MemoryStored))
    return max((event.evidence.floor for event in stored if event.evidence is not None), default=-1.0)


def random_constants(rng: Random, floor: float = -1.0) -> Constants:
    """Constants near the seed's and far from them, with no threshold below the floor."""
    changes: dict[str, object] = {
        "learning_rate": rng.choice((0.2, 0.2, 0.35, 1.0)),
        "causal_ramp": rng.choice((None, None, 0.0, 0.25)),
        "erosion_rate": rng.choice((0.09, 0.5)),
        "outcome_partial": rng.choice((0.3, 0.55)),
        "decay_rate": rng.choice((0.1, 0.03)),
        "decay_after_days": rng.choice((30.0, 0.0, 2.5)),
        "decay_unit_days": rng.choice((1.0, 0.3, 7.0)),
        "spread_min": rng.choice((0.05, 0.0)),
        "initial_normal": rng.choice((0.5, 0.7)),
        "prune_threshold": rng.choice((0.25, 0.45)),
        "prune_min_uses": rng.choice((3, 1)),
        "prune_exposures": rng.choice((12, 4)),
        "prune_ghost_days": rng.choice((60.0, 10.0, 0.5)),
        "max_links": rng.choice((5, 5, 1, 0, 32)),
    }
    constants = Constants.seed().altered(changes)
    for fingerprint in ("*", *FINGERPRINTS):
        related, duplicate = sorted(max(floor, rng.choice((0.3, 0.6, 0.7, 0.85, 0.92, 0.99))) for _ in range(2))
        row = Thresholds(duplicate=duplicate, related=related, causal=rng.choice((0.5, 0.3, 1.0)), min_relevance=0.35)
        if fingerprint == "*" or rng.random() < 0.5:
            constants = constants.with_thresholds(fingerprint, row)
    return constants


def logs(max_size: int = 120, **given: float | bool) -> st.SearchStrategy[list[ev.Recorded]]:
    """Logs of up to `max_size` events; `given` as for `random_log`."""
    return st.builds(
        lambda size, seed: random_log(Random(seed), size, **given),
        st.integers(1, max_size),
        st.integers(0, 2**32 - 1),
    )


def logs_with_constants(
    max_size: int = 120, **given: float | bool
) -> st.SearchStrategy[tuple[list[ev.Recorded], Constants]]:
    """Logs, each with the seed's constants or others that it can be folded with."""
    return st.builds(
        lambda log, seed: (log, random_constants(Random(seed), floor_of(log)) if seed else Constants.seed()),
        logs(max_size, **given),
        st.integers(0, 2**16),
    )
