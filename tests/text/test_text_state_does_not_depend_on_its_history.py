"""Batches, repeats, segments, generations and processes leave no trace in the answers or the digest."""

import numpy as np
from helixlog.projections.text.analyzer import tokens
from helixlog.projections.text.index import TextIndex
from hypothesis import given, settings
from hypothesis import strategies as st

WORD = st.sampled_from(["alpha", "beta", "gamma", "delta", "eps", "sys.path", "迁移", "the"])
TEXTS = st.lists(st.one_of(st.none(), st.just(...), st.lists(WORD, max_size=7).map(" ".join)), max_size=40)
STEPS = st.lists(st.sampled_from(["apply", "again", "freeze", "publish", "reopen"]), max_size=12)
QUERIES = ("alpha beta", "gamma sys.path 迁移", "the", "")


def answers(kit, index):
    return [kit.hits(index, query, limit=3) for query in QUERIES]


@settings(max_examples=60, deadline=None)
@given(TEXTS, STEPS, st.data())
def test_any_history_of_the_same_log_ends_in_the_same_state(kit, tmp_path_factory, texts, steps, data):
    log, root = kit.log(texts), tmp_path_factory.mktemp("text")
    index, done = TextIndex.open(root), 0
    for step in steps:
        if step == "apply":
            new = data.draw(st.integers(done, len(log)))
            index.apply(log[done:new])
            done = new
        elif step == "again":
            index.apply(log[: done // 2])
        elif step == "freeze":
            index._freeze()
        elif step == "publish":
            assert index.publish(bytes(32))
        else:
            index = TextIndex.open(root)
            index.apply(log[index.seq : done])
    index.apply(log)
    cold = kit.index(texts)
    assert (index.seq, index.texts, index.digest()) == (cold.seq, cold.texts, cold.digest())
    assert answers(kit, index) == answers(kit, cold)


@given(TEXTS, TEXTS)
def test_different_logs_have_different_digests(kit, one, other):
    def seen(texts):
        return len(texts), [text and sorted(tokens(text)) for text in texts if text is not ...]

    assert (kit.index(one).digest() == kit.index(other).digest()) == (seen(one) == seen(other))


def test_publishing_merges_neighbours_and_keeps_the_checkpoint(kit, tmp_path):
    index = TextIndex.open(tmp_path)
    log = kit.log([f"word{k} common" for k in range(24)])
    for k, recorded in enumerate(log):
        index.apply([recorded])
        assert index.publish(bytes([k]) * 32)
    reopened = TextIndex.open(tmp_path)
    assert reopened.checkpoint.chain == bytes([23]) * 32
    assert reopened.seq == 24
    assert len(reopened._segments) <= 5


def test_two_publishers_in_turn_do_not_undo_each_other(kit, tmp_path):
    log = kit.log([f"word{k} common" for k in range(30)])
    slow, quick = TextIndex.open(tmp_path), TextIndex.open(tmp_path)
    slow.apply(log[:10])
    slow.publish(bytes(32))
    quick.apply(log[:20])
    quick.publish(bytes(32))
    assert slow.publish(bytes(32))
    assert TextIndex.open(tmp_path).seq == 20
    slow.apply(log)
    slow.publish(bytes(32))
    assert TextIndex.open(tmp_path).digest() == kit.index([f"word{k} common" for k in range(30)]).digest()


def test_who_cannot_get_the_lock_leaves_it(kit, tmp_path):
    index = kit.index(["alpha"], tmp_path)
    with TextIndex.open(tmp_path)._generations.publishing() as other:
        assert other is not None
        assert not index.publish(bytes(32))
    assert index.publish(bytes(32))


def test_a_published_index_is_mapped_not_copied(kit, tmp_path):
    index = kit.index(["alpha beta " * 200] * 500, tmp_path)
    index.publish(bytes(32))
    assert not index._segments[0].docs.flags.owndata
    assert np.array_equal(index._segments[0].lengths, np.full(500, 400))
