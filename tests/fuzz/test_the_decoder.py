"""Bytes that are no records, or were records once: Corrupted or InvalidInput, never anything else."""

from __future__ import annotations

import json

import msgspec
import pytest
from helixlog.eventlog import codec, lines, record
from helixlog.eventlog import events as ev
from helixlog.eventlog.export import read_events, read_header
from hypothesis import strategies as st
from trials import ROUNDS, mutated, survive, values

STORED = ev.MemoryStored(
    text="The shop closes at nine",
    tags=("ops",),
    entities=(ev.Term(name="Shop", key="shop"),),
    metadata={"n": 1.5},
    vectors=ev.Vectors(fingerprint="f", dims=2, rows=(b"\0\1\2\3",)),
)


def records():
    events = [
        ev.StoreCreated(store_id="s", tenant="t", format=1, constants={}),
        STORED,
        ev.FeedbackGiven(outcome="delivered", exposures=(ev.Exposure(id="a", similarity=0.5),)),
        ev.ContentRejected(category="c", length_band="<10"),
    ]
    previous, made = record.START, []
    for seq, event in enumerate(events, 1):
        tag, version, payload = codec.encode(event)
        raw = record.write(previous, record.Header(seq, seq, None, tag, version, "01abc"), bytes(16), payload)
        made.append(raw)
        previous = raw[:32]
    return made


RECORDS = [*records(), record.destroyed(records()[1])]
LINES = [lines.to_line(raw) for raw in RECORDS]
HEADER = json.dumps(
    {"format": "helixlog-log", "version": 1, "store_id": "s", "secret": "AA==", "head": 4, "digest": "00"}
).encode()
RAW = st.one_of(st.binary(max_size=300), mutated(RECORDS))


@ROUNDS
def test_a_record(rounds):
    survive(codec.decode, RAW, rounds)
    assert survive(record.read, RAW, rounds)[0]


@ROUNDS
def test_a_run_of_records(rounds):
    def work(raws):
        return list(codec.decode_run(raws, 1, record.START)), list(codec.decode_run(raws, 1, None))

    survive(work, st.lists(RAW, max_size=4), rounds)


@ROUNDS
@pytest.mark.parametrize("tag", ev.EVENT_TYPES)
def test_a_payload_of_each_type(rounds, tag):
    fields = [field.encode_name for field in msgspec.structs.fields(ev.EVENT_TYPES[tag])]
    packed = st.dictionaries(st.sampled_from(fields), values, max_size=5).map(
        lambda value: msgspec.msgpack.encode({"type": tag, **printable(value)})
    )
    payloads = st.one_of(packed, st.binary(max_size=100), st.integers(1, 4000).map(lambda n: b"\x91" * n))
    given = st.tuples(payloads, st.integers(0, 3))
    survive(lambda one: codec.decode_payload(tag, one[1], one[0]), given, min(rounds, 200))


def printable(value):
    """The value without what msgpack cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return max(min(value, 2**63), -(2**63))
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, dict):
        return {printable(name): printable(one) for name, one in value.items()}
    return value


@ROUNDS
def test_a_line_of_an_export(rounds):
    texts = st.one_of(st.binary(max_size=200), mutated(LINES), st.integers(1, 5000).map(lambda n: b"[" * n))
    survive(lambda text: lines.from_line(text, 2, record.START), texts, rounds)
    survive(read_header, st.one_of(texts, mutated([HEADER])), rounds)


@ROUNDS
def test_a_whole_export(rounds):
    whole = b"\n".join([HEADER, *LINES[:4]]) + b"\n"
    survive(lambda data: list(read_events(data.split(b"\n"))), mutated([whole]), rounds)


@ROUNDS
def test_an_event_of_anything(rounds):
    """What cannot be read again is never written."""
    kinds = st.sampled_from(list(ev.EVENT_TYPES.values()))

    def work(one):
        kind, given = one
        fields = msgspec.structs.fields(kind)
        chosen = {
            field.name: value for field, value in zip(fields, given * len(fields), strict=False) if field.required
        }
        tag, version, payload = codec.encode(kind(**chosen))
        assert codec.decode_payload(tag, version, payload)

    survive(work, st.tuples(kinds, st.lists(values, min_size=1, max_size=8)), rounds)
