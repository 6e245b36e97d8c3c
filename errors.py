"""The errors Helixlog raises, in one tree.

Each error says what happened, where, and (in `remedy`) the next step. `code`
is stable and is what `--json` prints; `exit_code` is the command line's.

    HelixlogError
    |- RequestError                the caller can fix the request
    |  |- InvalidInput             invalid_input         exit 2
    |  |- AmbiguousId              ambiguous_id          exit 2
    |  |- ReadOnlyView             read_only_view        exit 2
    |  |- NotFound                 not_found             exit 3
    |  |- StoreMissing             store_missing         exit 3
    |  |- Conflict                 conflict              exit 4
    |  |  |- TransactionConflict   transaction_conflict  exit 4
    |  |  `- KeyConflict           key_conflict          exit 4
    |  |- Rejected                 rejected              exit 4
    |  |  `- ContentRejected       content_rejected      exit 4
    |  `- EmbedderMismatch         embedder_mismatch     exit 4
    |- StorageError                the machine or the files need attention
    |  |- StoreBusy                store_busy            exit 1
    |  |- StoreReadOnly            store_read_only       exit 1
    |  |- OutOfSpace               out_of_space          exit 1
    |  |- ForeignProcess           foreign_process       exit 1
    |  |- NewerFormat              newer_format          exit 1
    |  `- Corrupted                corrupted             exit 5
    |- PackageMissing              package_missing       exit 1
    `- EmbedderError               embedder_failed       exit 1
       `- EmbedderUnavailable      embedder_unavailable  exit 1
"""

from __future__ import annotations

from typing import ClassVar


class HelixlogError(Exception):
    """Root of the tree. `message` says what and where, `remedy` what to do next."""

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.remedy)


def _rebuild(kind: type[HelixlogError], message: str, remedy: str) -> HelixlogError:
    return kind(message, remedy=remedy)


class RequestError(HelixlogError):
    """The request cannot be carried out as it was made; the log is unchanged."""

    exit_code = 2


class InvalidInput(RequestError, ValueError):
    """A value is of the wrong kind, out of range or malformed."""

    code = "invalid_input"


class AmbiguousId(RequestError):
    """An id prefix fits more than one id."""

    code = "ambiguous_id"


class ReadOnlyView(RequestError):
    """A write was asked of a view of the past or of a counterfactual."""

    code = "read_only_view"


class NotFound(RequestError, LookupError):
    """No memory, recall or event has that id, as far as the asker may see."""

    code = "not_found"
    exit_code = 3


class StoreMissing(RequestError, LookupError):
    """There is no store where one was looked for."""

    code = "store_missing"
    exit_code = 3


class Conflict(RequestError):
    """The request contradicts what the log already holds."""

    code = "conflict"
    exit_code = 4


class TransactionConflict(Conflict):
    """The log's head moved between the decision and the append."""

    code = "transaction_conflict"


class KeyConflict(Conflict):
    """An idempotency key was used before, with other content."""

    code = "key_conflict"


class Rejected(RequestError):
    """The content may not be stored."""

    code = "rejected"
    exit_code = 4


class ContentRejected(Rejected):
    """A text carries what must not be shown to a model again; neither it nor a part of it is in the message."""

    code = "content_rejected"


class EmbedderMismatch(RequestError):
    """The store's vectors were made by another embedder than the one at hand."""

    code = "embedder_mismatch"
    exit_code = 4


class StorageError(HelixlogError):
    """The machine or the store's files need attention."""

    code = "storage_failed"


class StoreBusy(StorageError):
    """A lock was not free within the bounded wait."""

    code = "store_busy"


class StoreReadOnly(StorageError):
    """The store's folder cannot be written."""

    code = "store_read_only"


class OutOfSpace(StorageError):
    """The disk, a quota or a size limit is full; nothing was appended."""

    code = "out_of_space"


class ForeignProcess(StorageError):
    """An open log was used in a process that did not open it."""

    code = "foreign_process"


class NewerFormat(StorageError):
    """A newer release of Helixlog wrote this store."""

    code = "newer_format"


class Corrupted(StorageError):
    """The log's bytes are not what was written."""

    code = "corrupted"
    exit_code = 5


class PackageMissing(HelixlogError):
    """A package that only some commands need is not installed here."""

    code = "package_missing"


class EmbedderError(HelixlogError):
    """An embedder failed or returned something that is no vector."""

    code = "embedder_failed"


class EmbedderUnavailable(EmbedderError):
    """An embedder's package, weights or key are not to be had here."""

    code = "embedder_unavailable"
