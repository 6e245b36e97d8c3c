import pytest
from helixlog.errors import Corrupted, InvalidInput
from helixlog.eventlog import record
from hypothesis import given
from hypothesis import strategies as st

HEADER = record.Header(2, 10, 9, "memory_stored", 1, "m1", record.KeyMark(b"k" * 16, b"c" * 16, 3))
SALT, PAYLOAD = b"s" * 16, b"\x81\xa4type\xadmemory_stored"
PREVIOUS = b"p" * 32


def test_the_bytes_of_a_live_record_are_pinned():
    raw = record.write(PREVIOUS, HEADER, SALT, PAYLOAD)
    digest = "aada240a8c00924a6753f2e72500b9cde17461c18fbd2dc515a841549ce2e29f"
    header = (
        "97020a09ad6d656d6f72795f73746f72656401a26d3193c4106b6b6b6b6b"
        "6b6b6b6b6b6b6b6b6b6b6bc4106363636363636363636363636363636303"
    )
    assert len(header) // 2 == 0x3C
    assert raw.hex() == digest + "00" + "003c" + header + SALT.hex() + PAYLOAD.hex()


def test_a_record_comes_back_as_it_was_written():
    parts = record.read(record.write(PREVIOUS, HEADER, SALT, PAYLOAD))
    assert (parts.header, parts.salt, parts.payload) == (HEADER, SALT, PAYLOAD)
    assert parts.follows(PREVIOUS)
    assert not parts.follows(record.START)


@pytest.mark.parametrize("alter", [record.destroyed, lambda raw: record.rewritten(raw, b"t" * 16, b"other")])
def test_an_altered_record_still_verifies_and_keeps_nothing_of_the_payload(alter):
    raw = record.write(PREVIOUS, HEADER, SALT, PAYLOAD)
    altered = alter(raw)
    assert record.read(altered).follows(PREVIOUS)
    assert record.read(altered).digest == record.read(raw).digest
    assert PAYLOAD not in altered
    assert SALT not in altered
    assert alter(altered) == altered


def test_every_byte_of_a_record_is_covered_by_its_digest():
    raw = record.write(PREVIOUS, HEADER, SALT, PAYLOAD)
    for place in range(len(raw)):
        damaged = bytearray(raw)
        damaged[place] ^= 1
        try:
            assert not record.read(bytes(damaged)).follows(PREVIOUS)
        except Corrupted:
            continue


@given(st.binary(max_size=200))
def test_bytes_that_are_no_record_are_corrupted_and_nothing_else(raw):
    try:
        record.read(raw)
    except Corrupted:
        return


def test_a_payload_beyond_the_limit_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(record, "MAX_PAYLOAD", 10)
    with pytest.raises(InvalidInput, match="too large"):
        record.write(PREVIOUS, HEADER, SALT, b"x" * 11)
