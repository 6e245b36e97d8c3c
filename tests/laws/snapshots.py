"""The beliefs of a fold at a clock, in a form that two implementations can be compared by.

`snapshot(reference, t)` is plain values only; floats are written with `float.hex`, so equal means equal bits.

    fingerprint   the embedder in use, or None
    root_of       list by ordinal: root ordinal now, -1 for the hole of an erased text
    status        list by ordinal: 'added', 'merged', 'reinforced' or 'erased', as decided at the text's own seq
    reason        list by ordinal: None, or [root joined at the text's own seq, cosine or None for an exact repeat]
    memories      dict by root ordinal, in order:
        id, members (joining order), lead, partition [visibility, user, project], kind
        valid_from, valid_to, expires_at, begins         ns or None; begins: valid_from, else observed
        tags, entities, categories (keys)                lists, in the order they came
        pin, salience, accesses
        protected, forgotten, erased, pruned
        superseded_by                                    roots as at the event's own seq, in order
        restored_at, restored_uses                       last restore, else creation, and the uses then
        e, k0, anchor, uses, hits                        the state of effectiveness
        spread, contexts, centroid                       centroid: list of floats, or None
        velocity_events                                  recorded_at of each causal feedback
        exposed, last_returned
        value, adjusted, velocity, recency_days, visible at t; held: visible with valid_at some time before
    edges         sorted list of [source, target, relation, weight]; an end is [kind, id], a memory's id its root now
    names         sorted list of [root, 'mentions' | 'in_category', key]
    reports       pairs_computed, unresolved, ignored [[seq, why]], unknown_events, erased_events
"""

from __future__ import annotations

from helixlog.projections.reference import Memory, Node, Reference

BACK = (0, 10**9, 20 * 86_400 * 10**9, 90 * 86_400 * 10**9)
"""How long before the clock the world is asked about, in ns."""


def snapshot(reference: Reference, t: int) -> dict[str, object]:
    memories = sorted(reference.memories.items())
    return {
        "fingerprint": reference.fingerprint,
        "root_of": list(reference.root_of),
        "status": list(reference.status),
        "reason": [why and [why[0], bits(why[1])] for why in reference.reason],
        "memories": {root: {**state(memory), **readings(reference, memory, t)} for root, memory in memories},
        "edges": sorted(
            ([end(source), end(target), relation, weight.hex()])
            for (source, target, relation), weight in reference.edges.now().items()
        ),
        "names": sorted(
            [root, relation, key]
            for root, memory in memories
            for relation, keys in (("mentions", memory.entities), ("in_category", memory.categories))
            for key in keys
        ),
        "reports": {
            "pairs_computed": reference.pairs_computed,
            "unresolved": reference.unresolved,
            "ignored": [list(entry) for entry in reference.ignored],
            "unknown_events": reference.unknown_events,
            "erased_events": reference.erased_events,
        },
    }


def state(memory: Memory) -> dict[str, object]:
    plain = ("id", "lead", "kind", "valid_from", "valid_to", "expires_at", "begins", "pin", "accesses", "protected")
    plain += ("forgotten", "erased", "pruned", "restored_at", "restored_uses", "k0", "anchor", "uses", "hits")
    plain += ("contexts", "exposed", "last_returned")
    lists = ("members", "partition", "tags", "entities", "categories", "superseded_by")
    return {
        **{name: getattr(memory, name) for name in plain},
        **{name: list(getattr(memory, name)) for name in lists},
        "salience": bits(memory.salience),
        "e": bits(memory.e),
        "spread": bits(memory.spread),
        "centroid": None if memory.centroid is None else [bits(number) for number in memory.centroid.tolist()],
        "velocity_events": list(memory.velocity),
    }


def readings(reference: Reference, memory: Memory, t: int) -> dict[str, object]:
    return {
        "value": bits(reference.value(memory, t)),
        "adjusted": bits(reference.adjusted(memory, t)),
        "velocity": reference.velocity(memory, t),
        "recency_days": reference.recency_days(memory, t),
        "visible": reference.visible(memory, t),
        "held": [reference.visible(memory, t, valid_at=t - back) for back in BACK],
    }


def bits(number: float | None) -> str | None:
    return None if number is None else float(number).hex()


def end(node: Node) -> list[object]:
    """A node as kind and id, which sort: ids of one kind are of one type."""
    return ["memory", node] if isinstance(node, int) else list(node)
