import io
import json

import msgspec
import pytest
from helixlog.errors import Conflict, Corrupted, InvalidInput
from helixlog.eventlog import lines, record
from helixlog.eventlog.events import Draft, MemoryStored, Vectors
from helixlog.eventlog.export import export, import_log, read_events
from helixlog.eventlog.lmdb_log import LmdbLog, exists
from helixlog.eventlog.log import IdempotencyKey
from helixlog.eventlog.transaction import record_key
from helixlog.eventlog.verify import verify
from hypothesis import given, settings
from hypothesis import strategies as st

pack = msgspec.msgpack.encode


@pytest.fixture
def exported(filled):
    """The lines of an export of a log with everything that is hard to write down."""
    with LmdbLog.open(filled) as log:
        hard = {"nan": float("nan"), "inf": float("-inf"), "zero": -0.0, "$b64": "no bytes", "big": 2**63}
        log.append([Draft(MemoryStored(text="\x00\u2028\U0001f600", metadata=hard), "hard")], clock=150)
        vectors = Vectors(fingerprint="f", dims=1, rows=(b"\xff\xfe",))
        log.append([Draft(MemoryStored(text="v", vectors=vectors))], clock=999)
        newer = (("dream_dreamt", {"type": "dream_dreamt", 5: b"x"}), ("decay_ticked", {"clock": 1, "mood": "calm"}))
        for seq, (tag, fields) in enumerate(newer, 1004):
            raw = record.write(log.head.digest, record.Header(seq, 999, None, tag, 1), b"s" * 16, pack(fields))
            log._shared.write(lambda transaction, seq=seq, raw=raw: transaction.put(record_key(seq), raw))

        def erase(transaction):
            ten, eleven = transaction.records_at([10, 11])
            transaction.put(record_key(10), record.destroyed(ten))
            transaction.put(record_key(11), record.rewritten(eleven, b"t" * 16, pack({"text": "x"})))

        log._shared.write(erase)
        out = io.BytesIO()
        assert export(log, out) == log.head
    return out.getvalue().splitlines(keepends=True)


def test_an_import_is_the_same_log_to_the_bit(filled, exported, tmp_path, tick):
    told = []
    head = import_log(exported, tmp_path / "new", lambda done, of: told.append((done, of)))
    with LmdbLog.open(filled) as log, LmdbLog.open(tmp_path / "new") as again:
        assert again.head == log.head == head
        assert list(again.raw(1, head.seq)) == list(log.raw(1, head.seq))
        assert again.secret == log.secret
        assert again.resolve("m1", 999) == log.resolve("m1", 999)
        assert again.append([tick], clock=1, key=IdempotencyKey("k3", b"c")).repeated
    assert told[-1] == (1005, 1005)
    assert {problem.kind for problem in verify(tmp_path / "new").problems} == {"erasure"}


def test_an_export_is_readable_json(exported):
    first, stored = json.loads(exported[0]), json.loads(exported[1])
    assert (first["format"], first["head"]) == ("helixlog-log", 1005)
    assert stored["payload"]["type"] == "store_created"
    assert "raw" not in stored


def test_events_can_be_read_without_a_store(filled, exported):
    with LmdbLog.open(filled) as log:
        pairs = list(zip(read_events(exported), log.read(), strict=True))
    assert len(pairs) == 1005
    assert all(repr(mine) == repr(theirs) for mine, theirs in pairs)


def damaged(rows, number, old, new):
    assert old in rows[number - 1]
    return [*rows[: number - 1], rows[number - 1].replace(old, new), *rows[number:]]


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        ((1, b"helixlog-log", b"other"), InvalidInput),
        ((1, b'"version":1', b'"version":2'), InvalidInput),
        ((1, b"{", b""), InvalidInput),
        ((40, b"canary", b"kanary"), Corrupted),
        ((40, b'"seq":39', b'"seq":40'), Corrupted),
        ((40, b"{", b""), InvalidInput),
        ((40, b'"salt"', b'"pepper"'), InvalidInput),
        ((40, b'"digest":"', b'"digest":"00'), Corrupted),
        ((1003, b'"$float"', b'"$flute"'), Corrupted),
        ((1003, b'"nan"}', b'"none"}'), InvalidInput),
        ((1004, b'"$b64":"', b'"$b64":"*'), InvalidInput),
    ],
)
def test_a_bad_line_is_named_and_leaves_nothing(exported, tmp_path, damage, kind):
    number, old, new = damage
    with pytest.raises(kind, match=f"line {number} of the export") as caught:
        import_log(damaged(exported, number, old, new), tmp_path / "new")
    assert caught.value.remedy
    assert not exists(tmp_path / "new")
    assert list(tmp_path.glob("new/*")) == []


def test_an_export_that_lost_its_end_is_refused(exported, tmp_path):
    with pytest.raises(Corrupted, match=r"ends with record 1004 .* says 1005"):
        import_log(exported[:-1], tmp_path / "new")
    with pytest.raises(InvalidInput):
        import_log([], tmp_path / "new")
    assert not exists(tmp_path / "new")


def test_without_the_digest_a_changed_line_passes(exported, tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "digest_is", lambda _raw, _claimed: True)
    rows = damaged(exported, 1005, b'"seq":1004', b'"seq":1004,"id":"forged"')
    with pytest.raises(Corrupted, match="first line"):
        import_log(rows, tmp_path / "new")


def test_an_import_never_touches_a_log_that_is_there(exported, tmp_path, genesis):
    with LmdbLog.create(tmp_path / "there", genesis, clock=1) as log:
        with pytest.raises(Conflict):
            import_log(exported, tmp_path / "there")
        assert log.head.seq == 1


def test_a_damaged_record_is_not_exported(filled, flip):
    flip(filled, b"canary-00500 " * 8)
    with LmdbLog.open(filled) as log, pytest.raises(Corrupted, match="record 501"):
        export(log, io.BytesIO())


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(0, 9), inner),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.dictionaries(st.text() | st.just("$b64"), values) | st.binary())
def test_any_payload_comes_back_to_the_same_bytes(content):
    payload = content if isinstance(content, bytes) else pack(content)
    raw = record.write(record.START, record.Header(1, 5, None, "x", 1), b"s" * 16, payload)
    assert lines.from_line(lines.to_line(raw), 2, record.START) == raw


@given(st.binary())
def test_any_line_is_read_or_refused_by_number(text):
    with pytest.raises(InvalidInput, match="line 7"):
        lines.from_line(text, 7, record.START)
