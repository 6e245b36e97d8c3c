import msgspec
import pytest
from helixlog.errors import Corrupted, InvalidInput
from helixlog.eventlog import codec, record
from helixlog.eventlog.events import (
    EVENT_TYPES,
    ContentRejected,
    DecayTicked,
    ErasedEvent,
    MemoryForgotten,
    MemoryStored,
    UnknownEvent,
)
from helixlog.eventlog.upcasters import UPCASTERS
from hypothesis import given
from hypothesis import strategies as st

pack = msgspec.msgpack.encode

CONTENT_REJECTED_V1 = bytes.fromhex(
    "83a474797065b0636f6e74656e745f72656a6563746564a863617465676f7279a6736563726574a66c656e677468cd02bc"
)
"""As version 1 wrote it: frozen."""


def test_version_1_of_content_rejected_is_read_as_version_2():
    event = codec.decode_payload("content_rejected", 1, CONTENT_REJECTED_V1)
    assert event == ContentRejected(category="secret", length_band="<1000")


def test_every_step_from_version_1_has_an_upcaster():
    steps = {(tag, step) for tag, kind in EVENT_TYPES.items() for step in range(1, kind.version)}
    assert set(UPCASTERS) == steps


def test_an_unknown_type_is_kept_whole():
    event = codec.decode_payload("dream_dreamt", 3, b"\x80")
    assert event == UnknownEvent(kind="dream_dreamt", kind_version=3, payload=b"\x80")


def test_a_higher_version_of_a_known_type_is_kept_whole():
    event = codec.decode_payload("decay_ticked", 2, b"\x80")
    assert event == UnknownEvent(kind="decay_ticked", kind_version=2, payload=b"\x80")


def test_an_unknown_field_of_a_known_type_is_passed_over():
    payload = pack({"type": "decay_ticked", "clock": 5, "mood": "calm"})
    assert codec.decode_payload("decay_ticked", 1, payload) == DecayTicked(clock=5)


def test_a_destroyed_payload_is_an_erased_event():
    assert codec.decode_payload("memory_stored", 1, None) == ErasedEvent(kind="memory_stored")


def test_a_payload_is_canonical_msgpack():
    _tag, _version, payload = codec.encode(MemoryStored(text="x", metadata={"a": 1.5}))
    assert pack(msgspec.msgpack.decode(payload)) == payload


@pytest.mark.parametrize(
    "event",
    [
        MemoryStored(text=5),
        MemoryStored(text="\ud800"),
        MemoryStored(text="x", metadata={"a": object()}),
        DecayTicked(clock=1 << 70),
        ErasedEvent(kind="x"),
        UnknownEvent(kind="x", kind_version=1, payload=b""),
        "text",
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_could_not_be_read_again_is_refused(event):
    with pytest.raises(InvalidInput):
        codec.encode(event)


@given(st.sampled_from([*EVENT_TYPES, "unheard_of"]), st.integers(-1, 3), st.binary(max_size=80))
def test_any_payload_decodes_or_is_corrupted(tag, version, payload):
    try:
        codec.decode_payload(tag, version, payload)
    except Corrupted:
        return


@given(st.binary(max_size=120))
def test_any_record_decodes_or_is_corrupted(raw):
    for decode in (codec.decode, lambda raw: next(codec.decode_run([raw], 1, None))):
        try:
            decode(raw)
        except Corrupted:
            continue


@given(st.dictionaries(st.sampled_from(["category", "length", "type"]), st.none() | st.integers(0, 9**9) | st.text()))
def test_any_fields_upcast_or_are_corrupted(fields):
    try:
        codec.decode_payload("content_rejected", 1, pack(fields))
    except Corrupted:
        return


def run_of(count):
    digest, run = record.START, []
    for seq in range(1, count + 1):
        tag, version, payload = codec.encode(MemoryForgotten(memory=f"m{seq}"))
        run.append(record.write(digest, record.Header(seq, seq, None, tag, version), b"s" * 16, payload))
        digest = run[-1][:32]
    return run


def test_a_run_with_its_digests_checked_names_the_damaged_record():
    run = run_of(5)
    run[2] = run[2].replace(b"m3", b"m4")
    assert len(list(codec.decode_run(run, 1, None))) == 5, "unchecked, the damage goes unseen"
    with pytest.raises(Corrupted, match="record 3 is damaged"):
        list(codec.decode_run(run, 1, record.START))


def test_a_run_with_a_record_missing_or_moved_names_the_place():
    run = run_of(4)
    with pytest.raises(Corrupted, match="record 2 is damaged: record 3 is in its place"):
        list(codec.decode_run([run[0], run[2]], 1, None))


def test_altered_records_are_read_among_live_ones():
    run = run_of(3)
    _tag, _version, payload = codec.encode(MemoryForgotten(memory="gone"))
    run[0], run[1] = record.destroyed(run[0]), record.rewritten(run[1], b"t" * 16, payload)
    events = [entry.event for entry in codec.decode_run(run, 1, record.START)]
    assert events == [
        ErasedEvent(kind="memory_forgotten"),
        MemoryForgotten(memory="gone"),
        MemoryForgotten(memory="m3"),
    ]
