"""The event vocabulary: everything Helixlog can ever observe.

An event says what happened, in the past tense, and holds raw observations
only: a text, its vector, a cosine that was measured, the outcome somebody
reported, the clock of a tick. It never holds what a constant decides (a merge,
a decayed value, a rank still to be computed); that is a fold's business.

Each type has a short tag that never changes and a version. Adding a field with
a default keeps the version; any other change raises it and adds an upcaster
(`upcasters.py`). Times are int64 UTC nanoseconds.

What identifies an event and must survive an erasure (sequence number, time,
type, own id) is not here but in the record's header (`record.py`); everything
here is payload and can be destroyed.

No value can hold one that holds it, so the garbage collector need not look at
them (`gc=False`): a fold makes millions.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

Metadata = dict[str, str | int | float | bool]
Origin = Literal["normal", "derived", "synthesised", "imported"]
Visibility = Literal["private", "shared"]
SourceKind = Literal["user", "agent", "tool", "file", "import"]
EndpointKind = Literal["memory", "entity", "category", "document", "session"]
DeclaredRelation = Literal["updates", "extends", "derives", "duplicate", "relates_to"]
Channel = Literal["cli", "api", "mcp", "strategic", "tactical", "context", "brief"]


class Part(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """A value inside an event."""


class Vectors(Part, frozen=True):
    """Vectors that say what they are: one row a window, each `dims` numbers of `dtype`."""

    fingerprint: str
    dims: int
    rows: tuple[bytes, ...]
    dtype: str = "<f2"


class Scope(Part, frozen=True):
    """Who a memory belongs to and who may see it; fixed when it is stored.

    `user` None is the store's owner. `grants` names users who may see it although it is private.
    """

    user: str | None = None
    project: str | None = None
    session: str | None = None
    agent: str | None = None
    container: str | None = None
    visibility: Visibility = "private"
    grants: tuple[str, ...] = ()


class Span(Part, frozen=True):
    """A place in a file: lines from 1, inclusive, and UTF-8 bytes from 0, end exclusive."""

    line_from: int | None = None
    line_to: int | None = None
    byte_from: int | None = None
    byte_to: int | None = None


class Provenance(Part, frozen=True):
    """Where a text came from."""

    kind: SourceKind = "user"
    note: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    tool: str | None = None
    uri: str | None = None
    file: str | None = None
    span: Span | None = None
    quote: str | None = None
    file_hash: str | None = None
    file_mtime: int | None = None
    document_id: str | None = None
    chunk_id: str | None = None
    confidence: float | None = None
    derived_from: tuple[str, ...] = ()


class Term(Part, frozen=True):
    """An entity or a category as it was named, with the normalised `key` it is matched by."""

    name: str
    key: str
    type: str | None = None
    role: str | None = None
    confidence: float | None = None


class Relation(Part, frozen=True):
    """A relation to another memory that was declared when the text was stored."""

    relation: DeclaredRelation
    target: str
    reason: str | None = None
    confidence: float | None = None
    decided_by: str | None = None


class Prior(Part, frozen=True):
    """What was already known of an imported memory: effectiveness in [0, 1], uses and hits from 0."""

    effectiveness: float
    uses: int = 0
    hits: int = 0


class Evidence(Part, frozen=True):
    """What the writer measured against earlier texts of the same partition.

    A cache of a pure function of the log. `near` packs at most 32 nearest distinct
    earlier texts, nearest first (`evidence.py` draws the bytes). `horizon` is the
    cosine down to which that list is complete, never below `floor`; `complete` is
    false where an accelerator chose the candidates. `exact` lists earlier texts
    equal after normalisation, lowest first, at most 32. `exact_total` counts all
    of them, also those that `exact` leaves off.
    """

    fingerprint: str
    partition: str
    floor: float
    horizon: float
    near: bytes = b""
    exact: tuple[int, ...] = ()
    exact_total: int = 0
    complete: bool = True
    guards: int = 1


class Endpoint(Part, frozen=True):
    """One end of a link."""

    id: str
    kind: EndpointKind = "memory"


class Exposure(Part, frozen=True):
    """A memory that was before an agent, and its cosine to the context of the outcome, if known."""

    id: str
    similarity: float | None = None


class Returned(Part, frozen=True):
    """One result of a recall, as it was shown: rank from 1."""

    id: str
    rank: int
    score: float


class Event(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="type"):
    """What every event says: who acted, and where.

    Not raised on its own; see the types below.
    """

    version: ClassVar[int] = 1

    actor: str = "user"
    session_id: str | None = None
    agent_id: str | None = None
    prompt_id: str | None = None
    key: str | None = None


# -- the store ---------------------------------------------------------------


class StoreCreated(Event, frozen=True, tag="store_created"):
    """The genesis: always sequence number 1."""

    store_id: str
    tenant: str
    format: int
    constants: dict[str, object]
    owner: str | None = None
    fingerprint: str | None = None
    embedder: dict[str, object] | None = None


class ConstantsAdopted(Event, frozen=True, tag="constants_adopted"):
    """From here on the whole log is folded with these constants; `evaluation` is what justified them."""

    constants: dict[str, object]
    reason: str
    evaluation: dict[str, object] | None = None


class EmbedderAdopted(Event, frozen=True, tag="embedder_adopted"):
    """Every text has vectors of this embedder; queries use it from here on."""

    fingerprint: str | None
    embedder: dict[str, object] | None
    reason: str | None = None


class MemoriesReembedded(Event, frozen=True, tag="memories_reembedded"):
    """Vectors of another embedder for texts already stored, by their sequence number; at most 1,000."""

    fingerprint: str
    dims: int
    texts: tuple[int, ...]
    rows: tuple[tuple[bytes, ...], ...]
    dtype: str = "<f2"


# -- memories ----------------------------------------------------------------


class MemoryStored(Event, frozen=True, tag="memory_stored"):
    """A text was stored; its own id is in the header."""

    text: str
    title: str | None = None
    language: str | None = None
    kind: str = "fact"
    origin: Origin = "normal"
    prior: Prior | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[Term, ...] = ()
    categories: tuple[Term, ...] = ()
    relations: tuple[Relation, ...] = ()
    inferred: bool = False
    superseding: bool = False
    metadata: Metadata = {}
    salience: float | None = None
    provenance: Provenance = Provenance()
    scope: Scope = Scope()
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    observed_at: int | None = None
    event_start: int | None = None
    event_end: int | None = None
    temporal_text: str | None = None
    timezone: str | None = None
    vectors: Vectors | None = None
    evidence: Evidence | None = None


class MemorySuperseded(Event, frozen=True, tag="memory_superseded"):
    """`new` takes the place of `old`."""

    old: str
    new: str
    reason: str | None = None


class MemoryRestored(Event, frozen=True, tag="memory_restored"):
    """A forgotten, pruned or superseded memory is live again."""

    memory: str
    reason: str | None = None


class MemoryForgotten(Event, frozen=True, tag="memory_forgotten"):
    """A memory is out of sight, reversibly."""

    memory: str
    reason: str | None = None


class ErasedRecord(Part, frozen=True):
    """A record whose payload was rewritten, and the commitment it has since; destroyed ones have none (empty)."""

    seq: int
    commitment: bytes


class MemoryErased(Event, frozen=True, tag="memory_erased"):
    """The content of these memories is gone for good."""

    memories: tuple[str, ...]
    rewritten: tuple[ErasedRecord, ...]
    reason: str | None = None


class MembershipOverruled(Event, frozen=True, tag="membership_overruled"):
    """A person's word on whether two ids are one memory; `same` with `second`, or `different` from its root."""

    verdict: Literal["same", "different"]
    first: str
    second: str | None = None
    reason: str | None = None


class MemoryAnnotated(Event, frozen=True, tag="memory_annotated"):
    """Something was added to or removed from a memory without touching its text.

    `clear` names fields that are emptied: expires_at, pin, salience.
    """

    memory: str
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    add_entities: tuple[Term, ...] = ()
    remove_entities: tuple[str, ...] = ()
    add_categories: tuple[Term, ...] = ()
    remove_categories: tuple[str, ...] = ()
    expires_at: int | None = None
    pin: str | None = None
    salience: float | None = None
    clear: tuple[str, ...] = ()
    note: str | None = None


class MemoryReinforced(Event, frozen=True, tag="memory_reinforced"):
    """A memory was used, without a verdict on whether it helped."""

    memory: str
    note: str | None = None


class MemoriesLinked(Event, frozen=True, tag="memories_linked"):
    """An edge was declared; weight in (0, 1]."""

    source: Endpoint
    target: Endpoint
    relation: str
    weight: float = 1.0
    reason: str | None = None


class MemoriesUnlinked(Event, frozen=True, tag="memories_unlinked"):
    """An edge was taken back, also one that evidence made; relation None means every relation."""

    source: Endpoint
    target: Endpoint
    relation: str | None = None
    reason: str | None = None


# -- use and outcome ---------------------------------------------------------


class MemoriesRecalled(Event, frozen=True, tag="memories_recalled"):
    """A question was asked at a point, and this was shown; its own id is the recall id."""

    query: str
    point_seq: int
    point_clock: int
    channel: Channel = "api"
    goal: str | None = None
    app: str | None = None
    state: str | None = None
    vector: Vectors | None = None
    filters: dict[str, object] = {}
    limit: int = 5
    hops: int = 1
    suppressed: tuple[str, ...] = ()
    valid_at: int | None = None
    returned: tuple[Returned, ...] = ()
    injected: tuple[str, ...] = ()


class FeedbackGiven(Event, frozen=True, tag="feedback_given"):
    """How it went, and what had been before the agent.

    `exposures` are resolved at the time of writing (from the recall, or as given). `used` None means the
    agent did not say. `fingerprint` is the embedder whose cosines the similarities are.
    """

    outcome: str
    exposures: tuple[Exposure, ...]
    recall_id: str | None = None
    used: tuple[str, ...] | None = None
    fingerprint: str | None = None
    context: str | None = None
    context_vector: Vectors | None = None
    source: Literal["agent", "user", "synthesis"] = "user"
    evidence: tuple[str, ...] = ()


# -- time --------------------------------------------------------------------


class DecayTicked(Event, frozen=True, tag="decay_ticked"):
    """A moment at which decay is settled and reported."""

    clock: int


class PruneTicked(Event, frozen=True, tag="prune_ticked"):
    """A moment at which the fold hides what has not proved itself."""

    clock: int


class ExpiryTicked(Event, frozen=True, tag="expiry_ticked"):
    """A moment at which expiry is reported."""

    clock: int


class TierTicked(Event, frozen=True, tag="tier_ticked"):
    """A moment at which tiers are reviewed."""

    clock: int


class SynthesisTicked(Event, frozen=True, tag="synthesis_ticked"):
    """Sessions up to `watermark` have been considered for synthesis."""

    clock: int
    watermark: int
    similarities: tuple[float, ...] = ()


# -- sessions ----------------------------------------------------------------


class SessionStarted(Event, frozen=True, tag="session_started"):
    """An agent began."""

    agent_type: str | None = None
    task: str | None = None


class SessionEnded(Event, frozen=True, tag="session_ended"):
    """An agent stopped."""

    outcome: str | None = None
    summary: str | None = None


class SessionArchived(Event, frozen=True, tag="session_archived"):
    """What a session was about and how it ended."""

    task_id: str | None = None
    agent_type: str | None = None
    outcome: str | None = None
    summary: str | None = None
    summary_vector: Vectors | None = None
    transcript_hash: str | None = None
    constraints: tuple[str, ...] = ()
    risk_areas: tuple[str, ...] = ()


class TurnRecorded(Event, frozen=True, tag="turn_recorded"):
    """One turn of a conversation."""

    role: str
    text: str
    turn: int | None = None


# -- documents, blocks and names ----------------------------------------------


class DocumentIngested(Event, frozen=True, tag="document_ingested"):
    """A document was taken in; `checksum` makes taking it in again harmless."""

    document_id: str
    title: str | None = None
    uri: str | None = None
    source_type: str | None = None
    checksum: str | None = None
    scope: Scope = Scope()
    metadata: Metadata = {}


class Chunk(Part, frozen=True):
    """A piece of a document."""

    chunk_id: str
    ordinal: int
    text: str
    span: Span | None = None
    vectors: Vectors | None = None
    metadata: Metadata = {}


class ChunksStored(Event, frozen=True, tag="chunks_stored"):
    """Pieces of a document, in order."""

    document_id: str
    chunks: tuple[Chunk, ...]


class DocumentRemoved(Event, frozen=True, tag="document_removed"):
    """A document is out of sight."""

    document_id: str
    reason: str | None = None


class BlockEdited(Event, frozen=True, tag="block_edited"):
    """The text of a core block was replaced."""

    block: str
    text: str
    scope: Scope = Scope()


class EntityDeclared(Event, frozen=True, tag="entity_declared"):
    """A name and its other names."""

    entity: Term
    aliases: tuple[str, ...] = ()
    description: str | None = None


class CategoryDeclared(Event, frozen=True, tag="category_declared"):
    """A category and the one above it."""

    category: Term
    parent: str | None = None
    description: str | None = None


class ProfileSummarised(Event, frozen=True, tag="profile_summarised"):
    """What is known of a person: what stays and what changes."""

    user: str | None = None
    container: str | None = None
    static: str | None = None
    dynamic: str | None = None
    derived_from: tuple[str, ...] = ()


class ContentRejected(Event, frozen=True, tag="content_rejected"):
    """A text was refused; neither it nor a hash of it is kept. `length_band` is like `<1000` (characters)."""

    version: ClassVar[int] = 2

    category: str
    length_band: str


EVENT_TYPES: dict[str, type[Event]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        StoreCreated,
        ConstantsAdopted,
        EmbedderAdopted,
        MemoriesReembedded,
        MemoryStored,
        MemorySuperseded,
        MemoryRestored,
        MemoryForgotten,
        MemoryErased,
        MembershipOverruled,
        MemoryAnnotated,
        MemoryReinforced,
        MemoriesLinked,
        MemoriesUnlinked,
        MemoriesRecalled,
        FeedbackGiven,
        DecayTicked,
        PruneTicked,
        ExpiryTicked,
        TierTicked,
        SynthesisTicked,
        SessionStarted,
        SessionEnded,
        SessionArchived,
        TurnRecorded,
        DocumentIngested,
        ChunksStored,
        DocumentRemoved,
        BlockEdited,
        EntityDeclared,
        CategoryDeclared,
        ProfileSummarised,
        ContentRejected,
    )
}
"""Every event type by its tag."""


class UnknownEvent(Event, frozen=True, tag="unknown"):
    """An event of a type, or a version, that a newer release knows; kept, chained, counted and skipped."""

    kind: str
    kind_version: int
    payload: bytes


class ErasedEvent(Event, frozen=True, tag="erased"):
    """An event whose payload is destroyed; only its header is left."""

    kind: str


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """An event with what its header says.

    `seq` from 1, gapless. `recorded_at` in UTC nanoseconds, never below that of an earlier event; `clock` is
    what the writer's clock said. `id` is the event's own id (a memory's, a recall's), if it has one.
    """

    seq: int
    recorded_at: int
    clock: int
    id: str | None
    event: Event


class Draft(msgspec.Struct, frozen=True):
    """An event to append, with the own id it shall have."""

    event: Event
    id: str | None = None
