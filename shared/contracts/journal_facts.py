"""What every journal may hold besides the facts of its service: gaps, quarantine, rejected commands."""

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
    """Events of a stream, `first` to `last`, have not come."""

    source: Source
    first: Sequence
    last: Sequence


@fact("gap.filled")
class GapFilled(Fact):
    """A missing event of a stream came late."""

    source: Source
    sequence: Sequence


@fact("event.flagged")
class EventFlagged(Fact):
    """An event is recorded that is beyond a limit of its property, which lets it be: somebody should know of it."""

    source: Source
    sequence: Sequence
    limit: Literal["age_days_max"]
    detail: str


class RecordPlace(Contract):
    """A record of a topic, and the place in its stream that it claims, where it says one."""

    topic: str
    partition: int
    offset: int
    source: Source | None = None
    sequence: Sequence | None = None


Key = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,255}$")]


@fact("record.quarantined")
class RecordQuarantined(Fact, RecordPlace):
    """A record was refused; its bytes are in quarantine, `sha256` is their SHA-256 in hexadecimal.

    `key` is the key that its sender gave it, where that is text: it says whose a record is that nobody can read.
    """

    reason: str
    sha256: Digest
    key: Key | None = None


class EntryPlace(Contract):
    """The place of an entry in its journal."""

    shard: int
    seq: int


@fact("record.mended")
class RecordMended(Fact):
    """Records in quarantine were replaced by one at the same place of the stream, or by a replay that names them.

    `entries` are the `record.quarantined` entries that it closes, in the order of their numbers in `quarantine`.
    """

    source: Source
    sequence: Sequence
    quarantine: tuple[int, ...]
    entries: tuple[EntryPlace, ...]
    by: str | None = None
    reason: str | None = None


class QuarantineRequest(Fact):
    """Something that was asked for about a quarantined record: the `request`-th about it, counted from 1."""

    quarantine: int
    request: int


class RequestOfOne(QuarantineRequest):
    """What one person says about it, and why."""

    reason: Text
    by: Person


@fact("quarantine.replay_asked")
class ReplayAsked(RequestOfOne):
    """Somebody asks for a quarantined record to be sent to its topic again: as it is, or as `mended`."""

    mended: dict[str, Any] | None = None


@fact("quarantine.dismissal_asked")
class DismissalAsked(RequestOfOne):
    """Somebody asks for a quarantined record to be closed that can never be mended."""


@fact("quarantine.request_rejected")
class QuarantineRequestRejected(RequestOfOne):
    """What was asked for about a quarantined record is not done."""


class RequestOfTwo(QuarantineRequest, EntryPlace, AsShown):
    """What two people decided about it, and why; `shard` and `seq` are its `record.quarantined` entry."""

    correction: Correction


@fact("quarantine.replay_approved")
class ReplayApproved(RequestOfTwo):
    """A quarantined record goes to its topic again, for a reason, by two people; what becomes of it is recorded then.

    `shard` and `seq` are the `record.quarantined` entry of the record.
    """


@fact("quarantine.dismissed")
class QuarantineDismissed(RequestOfTwo, RecordPlace):
    """A quarantined record can never be mended: it is closed, for a reason, by two people. No money moves.

    `shard` and `seq` are the `record.quarantined` entry that it closes.
    """


class QuarantineFilter(Contract):
    """Which open records of a quarantine are meant: those to the number `until` to which all of the rest applies.

    Of a `topic`; whose reason has `reason_contains` in it; listed under no `property` but this one; quarantined
    `before` a moment.
    """

    until: Annotated[int, Field(strict=True, ge=1, le=2**62, description="the greatest number of a record")]
    topic: Name | None = None
    reason_contains: Text | None = None
    property: Name | None = None
    before: AwareDatetime | None = None


class EntryRange(Contract):
    """Entries of one shard of a journal without any between them that is not meant, from `first` to `last`."""

    shard: int
    first: int
    last: int

    def places(self) -> Iterator[tuple[int, int]]:
        """Give shard and seq of each entry."""
        return ((self.shard, seq) for seq in range(self.first, self.last + 1))


class DismissalOfMany(Fact):
    """What is said of many quarantined records at once; `dismissal` counts what was asked for, from 1."""

    dismissal: int


class FilteredRecords(DismissalOfMany):
    """The records that a filter found: how many, and the SHA-256 over the number, shard and seq of each, in order."""

    filter: QuarantineFilter
    records: int
    digest: Digest


@fact("dismissal.requested")
class DismissalRequested(FilteredRecords):
    """Somebody asks for many quarantined records to be closed that can never be mended."""

    reason: Text
    by: Person


@fact("dismissal.rejected")
class DismissalRejected(DismissalOfMany):
    """Records that somebody asked to have closed together stay as they are."""

    reason: Text
    by: Person


@fact("quarantine.dismissed_together")
class DismissedTogether(FilteredRecords, AsShown):
    """Quarantined records can never be mended: they are closed, for a reason, by two people. No money moves.

    `closed` are the `record.quarantined` entries that it closes, as ranges in the order of their places.
    """

    closed: tuple[EntryRange, ...]
    correction: Correction


@fact("command.refused")
class CommandRefused(Fact):
    """A known person asked for something that was not done; nothing else changed.

    `reason` is from the one enumeration, `detail` says it in words; of a malformed request, the places and kinds of the
    mistakes, never what stood there. `asked` is what was asked for, where it may be seen. `content` is the
    HMAC-SHA-256 (RFC 2104), in hexadecimal, of what was sent, its key the 32 bytes of the SHA-256 of the person's
    token: whoever keeps the token can tell what was sent, and nobody else.
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
