import errno

import lmdb
import pytest
from helixlog.errors import Corrupted, HelixlogError, OutOfSpace, StorageError, StoreReadOnly
from helixlog.eventlog import mapping


def descendants(kind):
    return {kind, *(each for child in kind.__subclasses__() for each in descendants(child))}


LMDB_ERRORS = sorted(descendants(lmdb.Error) - {lmdb.Error}, key=lambda kind: kind.__name__)


def test_there_are_errors_to_map():
    assert len(LMDB_ERRORS) > 20


@pytest.mark.parametrize("kind", LMDB_ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_of_lmdb_is_mapped_with_place_and_remedy(kind):
    assert kind.__name__ in mapping.LMDB_ERRORS
    error = mapping.from_lmdb(kind("what", 0), "/the/place")
    assert isinstance(error, HelixlogError)
    assert "/the/place" in error.message
    assert error.remedy


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (errno.ENOSPC, OutOfSpace),
        (errno.EDQUOT, OutOfSpace),
        (errno.EFBIG, OutOfSpace),
        (errno.EIO, OutOfSpace),
        (errno.EACCES, StoreReadOnly),
        (errno.EROFS, StoreReadOnly),
        (errno.ENOENT, StorageError),
    ],
)
def test_the_operating_systems_errors_are_mapped(code, kind):
    assert type(mapping.from_os(OSError(code, "text"), "/the/place")) is kind
    error = lmdb.Error("what")
    error.code = code
    assert type(mapping.from_lmdb(error, "/the/place")) is kind


def test_a_damaged_page_is_corruption():
    assert mapping.LMDB_ERRORS["CorruptedError"][0] is Corrupted
