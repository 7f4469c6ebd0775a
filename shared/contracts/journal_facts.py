"""Facts common to all journals: gaps, quarantine, rejected commands."""

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Correction, Digest, Identifier, Name, Person, Sequence, Source
from shared.contracts.envelope import Reason as Text
from shared.contracts.facts import Fact, fact
from shared.contracts.rejection import Reason


@fact("gap.opened")
class GapOpened(Fact):
    """Events `first` to `last` of a stream are missing."""

    source: Source
    first: Sequence
    last: Sequence


@fact("gap.filled")
class GapFilled(Fact):
    """A missing event of a stream arrived late."""

    source: Source
    sequence: Sequence


@fact("event.flagged")
class EventFlagged(Fact):
    """An event that exceeds a limit of its property was recorded and flagged for review."""

    source: Source
    sequence: Sequence
    limit: Literal["age_days_max"]
    detail: str


class RecordPlace(Contract):
    """The position of a Kafka record, and the stream position that it claims, if any."""

    topic: str
    partition: int
    offset: int
    source: Source | None = None
    sequence: Sequence | None = None


Key = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,255}$")]


@fact("record.quarantined")
class RecordQuarantined(Fact, RecordPlace):
    """A record was refused; its bytes are in quarantine, and `sha256` is their SHA-256 in hexadecimal.

    `key` is the record's Kafka key, if it is text: it identifies the owner of a record that cannot be read.
    """

    reason: str
    sha256: Digest
    key: Key | None = None


class EntryPlace(Contract):
    """The position of an entry in its journal."""

    shard: int
    seq: int


@fact("record.mended")
class RecordMended(Fact):
    """Quarantined records were replaced by a record at the same stream position, or by a replay that names them.

    `entries` are the `record.quarantined` entries that are closed, in the order of their numbers in `quarantine`.
    """

    source: Source
    sequence: Sequence
    quarantine: tuple[int, ...]
    entries: tuple[EntryPlace, ...]
    by: str | None = None
    reason: str | None = None


class QuarantineRequest(Fact):
    """A request about a quarantined record; `request` numbers the requests about that record, from 1."""

    quarantine: int
    request: int


class RequestOfOne(QuarantineRequest):
    """A request or decision by one person, with its reason."""

    reason: Text
    by: Person


@fact("quarantine.replay_asked")
class ReplayAsked(RequestOfOne):
    """A person requested a replay of a quarantined record: unchanged, or as `mended`."""

    mended: dict[str, Any] | None = None


@fact("quarantine.dismissal_asked")
class DismissalAsked(RequestOfOne):
    """A person requested the dismissal of a quarantined record that cannot be repaired."""


@fact("quarantine.request_rejected")
class QuarantineRequestRejected(RequestOfOne):
    """A request about a quarantined record was rejected."""


class RequestOfTwo(QuarantineRequest, EntryPlace, AsShown):
    """A decision by two people, with its reason, about the record of the `record.quarantined` entry `shard`, `seq`."""

    correction: Correction


@fact("quarantine.replay_approved")
class ReplayApproved(RequestOfTwo):
    """A replay of a quarantined record was approved, by two people; the outcome is recorded when the replay is read.

    `shard` and `seq` are the `record.quarantined` entry of the record.
    """


@fact("quarantine.dismissed")
class QuarantineDismissed(RequestOfTwo, RecordPlace):
    """A quarantined record that cannot be repaired was dismissed, by two people. No money moves.

    `shard` and `seq` are the `record.quarantined` entry that it closes.
    """


class QuarantineFilter(Contract):
    """A filter that selects open quarantined records; a record must meet all of its criteria.

    A record's number must not exceed `until`. The other criteria are optional: the record is from `topic`, its reason
    contains `reason_contains`, it is listed under `property` and no other property, and it was quarantined before the
    moment `before`.
    """

    until: Annotated[int, Field(strict=True, ge=1, le=2**62, description="the greatest number of a selected record")]
    topic: Name | None = None
    reason_contains: Text | None = None
    property: Name | None = None
    before: AwareDatetime | None = None


class EntryRange(Contract):
    """Consecutive selected entries of one shard, from `first` to `last`."""

    shard: int
    first: int
    last: int

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield the shard and sequence of each entry."""
        return ((self.shard, seq) for seq in range(self.first, self.last + 1))


class DismissalOfMany(Fact):
    """A fact about a bulk dismissal; `dismissal` numbers the requests, from 1."""

    dismissal: int


class FilteredRecords(DismissalOfMany):
    """The records selected by a filter: their number, and the SHA-256 over number, shard and seq of each, in order."""

    filter: QuarantineFilter
    records: int
    digest: Digest


@fact("dismissal.requested")
class DismissalRequested(FilteredRecords):
    """A person requested a bulk dismissal of quarantined records that cannot be repaired."""

    reason: Text
    by: Person


@fact("dismissal.rejected")
class DismissalRejected(DismissalOfMany):
    """A request for a bulk dismissal was rejected."""

    reason: Text
    by: Person


@fact("quarantine.dismissed_together")
class DismissedTogether(FilteredRecords, AsShown):
    """Quarantined records that cannot be repaired were dismissed together, by two people. No money moves.

    `closed` are the `record.quarantined` entries that the dismissal closes, as ranges ordered by position.
    """

    closed: tuple[EntryRange, ...]
    correction: Correction


@fact("command.refused")
class CommandRefused(Fact):
    """A known person's request was rejected; nothing else changed.

    `reason` is from the fixed enumeration, `detail` explains it; for a malformed request it lists places and kinds of
    the mistakes, never the values. `asked` is the request, if it may be shown. `content` is the HMAC-SHA-256 (RFC
    2104), in hexadecimal, of the request as sent, keyed with the 32 bytes of the SHA-256 of the person's token, so that
    only a holder of the token can verify what was sent.
    """

    command: str
    reason: Reason
    detail: str
    by: Person
    at: AwareDatetime
    property: Name | None = None
    gaming_day: date | None = None
    key: Identifier | None = None
    asked: dict[str, Any] | None = None
    content: Digest | None = None
