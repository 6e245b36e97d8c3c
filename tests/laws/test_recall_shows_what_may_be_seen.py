"""Over random logs, held against the reference fold: recall shows only what is believed, visible and asked for.

And a hop stays behind every direct hit that is at least as good on every signal.
"""

from __future__ import annotations

from random import Random

from asking import ask, embedders, ids_of, question, store_of
from helixlog.constants import DAY
from helixlog.eventlog.events import MemoryStored
from helixlog.projections.reference import Reference
from helixlog.recall.question import Question
from helixlog.recall.recall import recall
from helixlog.recall.view import Asker
from helixlog.recall.visibility import state
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import OWNER, random_log

SEEDS = st.integers(0, 2**32 - 1)


def expected(reference, log, clock, options):
    """Roots that may be answered with, by the plain rules."""
    bodies = [recorded.event for recorded in log if _is_text(recorded)]
    user = options.get("user") or OWNER
    found = set()
    for root, memory in reference.memories.items():
        body = bodies[root]
        if not isinstance(body, MemoryStored):
            continue
        scope = body.scope
        seen = scope.visibility == "shared" or (scope.user or OWNER) == user or user in scope.grants
        valid_at = options.get("valid_at")
        deep = options.get("deep", False)
        holds = reference.visible(memory, clock, valid_at=valid_at) or (deep and not memory.forgotten)
        fits = options.get("project") in (None, scope.project) and options.get("kind") in (None, body.kind)
        tagged = set(options.get("tags", ())) <= set(memory.tags)
        strong = reference.value(memory, clock) >= options.get("min_effectiveness", 0.0)
        if seen and holds and fits and tagged and strong and memory.id not in options.get("suppress", ()):
            found.add(root)
    return found


def _is_text(recorded):
    return isinstance(recorded.event, MemoryStored) or getattr(recorded.event, "kind", None) == "memory_stored"


def asked(store, rng, log, clock):
    """A random question, and the engine's answer to it."""
    words, options = question(rng, ids_of(log), clock)
    view = store.view()
    vector, _ = store.embed_query(view.beliefs.fingerprint, words)
    roots = frozenset(view.beliefs.memories.resolve(one) for one in options.get("suppress", ())) - {-1}
    asker = Asker(user=options.get("user"), project=options.get("project"))
    plain = {name: value for name, value in options.items() if name not in {"user", "project", "suppress"}}
    answer = recall(view, Question(text=words, vector=vector, asker=asker, suppress=roots, **plain))
    named = {view.beliefs.texts.id_of(root) for root in roots}
    return {**options, "suppress": named}, answer


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(2, 100), st.sampled_from([0, 20 * DAY, 300 * DAY]))
def test_recall_shows_only_what_the_reference_believes_and_the_asker_may_see(seed, size, later):
    rng = Random(seed)
    log = random_log(rng, size)
    clock = log[-1].recorded_at + later
    store = store_of(log, clock, embedders(log))
    reference = Reference(store.view().beliefs.constants)
    for recorded in log:
        reference.apply(recorded)
    for _ in range(5):
        options, answer = asked(store, rng, log, clock)
        allowed = expected(reference, log, clock, options)
        assert {hit.root for hit in answer.hits} <= allowed
        if not allowed:
            assert answer.empty_reason in {"empty_store", "nothing_visible", "nothing_left_by_filters"}


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(10, 100), st.sampled_from([0, 20 * DAY, 300 * DAY]))
def test_what_is_shown_is_in_the_state_that_the_answer_names(seed, size, later):
    rng = Random(seed)
    log = random_log(rng, size)
    clock = log[-1].recorded_at + later
    store = store_of(log, clock, embedders(log))
    beliefs = store.view().beliefs
    for _ in range(5):
        for result in ask(store, question(rng, ids_of(log), clock)).results:
            assert result.state == state(beliefs, beliefs.memories.resolve(result.id), clock)


def signals(hit):
    cosine = -2.0 if hit.cosine is None else hit.cosine
    return cosine, hit.bm25, hit.adjusted, hit.recency, hit.velocity


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(10, 100))
def test_answers_are_ordered_and_no_hop_passes_what_is_better(seed, size):
    rng = Random(seed)
    log = random_log(rng, size)
    clock = log[-1].recorded_at
    store = store_of(log, clock, embedders(log))
    for _ in range(5):
        _, answer = asked(store, rng, log, clock)
        hits = answer.hits
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert len({hit.root for hit in hits}) == len(hits)
        for hop in (hit for hit in hits if hit.hop):
            behind = hits[hits.index(hop) + 1 :]
            better = [hit for hit in behind if not hit.hop]
            assert not [h for h in better if all(a >= b for a, b in zip(signals(h), signals(hop), strict=True))]
