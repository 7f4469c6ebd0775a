"""What the vigorish ledger reads: settlements, which assess, and pit events, which collect, waive and return."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish import store
from services.vigorish.domain import Place, assessed, assessment, settled
from services.vigorish.events import (
    AtTables,
    Pit,
    Posted,
    Reversed,
    decode_pit,
    decode_settlement,
)
from services.vigorish.tables import lines, submissions
from shared.contracts import pit_events, settlement_events
from shared.contracts.envelope import Contract, Event
from shared.contracts.pit_events import VigorishCollected, VigorishReturned, VigorishWaived
from shared.contracts.settlement_reading import EntryOfPublisher
from shared.contracts.submission_events import SubmissionApproved
from shared.contracts.vigorish_events import (
    AssessedLine,
    Rounding,
    VigorishAssessed,
    VigorishCollection,
    VigorishReturn,
    VigorishTakenBack,
    VigorishWaiver,
)
from shared.journal.bulk import keyed, select
from shared.journal.entry import Draft, Entry, Posting
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.submission import select as selected
from shared.runtime.consume.processing import Record
from shared.runtime.consume.submissions import ApprovedSubmissions


class RoundKey(NamedTuple):
    """A revision of a round."""

    property: str
    table: str
    round_id: str
    revision: int


def rounding_of(approved: SubmissionApproved) -> Rounding:
    """How vigorish is rounded under a submission: what is not an option of its regulation is not rounded up."""
    options = selected(catalogue(approved.regulation), approved.submission).options
    return cast("Rounding", options.get("vigorish_rounding") or "none")


class Settlements:
    """Records what settled rounds assess."""

    topic = settlement_events.TOPIC

    def __init__(self) -> None:
        self._roundings = ApprovedSubmissions(submissions, rounding_of)

    def decode(self, record: Record) -> EntryOfPublisher[Any]:
        return decode_settlement(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[EntryOfPublisher[Any]]) -> "_Batch":
        await self._roundings.refresh(connection)
        wanted = [_round_key(event) for event in events if isinstance(event, Reversed)]
        return _Batch(await _assessed(connection, wanted), self._roundings)


def _round_key(event: Posted | Reversed) -> RoundKey:
    data = event.data
    return RoundKey(data.property, data.table, data.round_id, data.revision)


_FIND_LINES: Final = select(lines, (*store.REVISION, "document"), by=store.REVISION)


async def _assessed(connection: AsyncConnection, keys: Sequence[RoundKey]) -> dict[RoundKey, tuple[AssessedLine, ...]]:
    """What these revisions of rounds assessed."""
    if not keys:
        return {}
    found: dict[RoundKey, list[AssessedLine]] = {}
    for row in await _FIND_LINES.read(connection, keyed(_FIND_LINES, set(keys))):
        key = RoundKey(row.property, row.table_name, row.round_id, row.revision)
        found.setdefault(key, []).append(AssessedLine.model_validate(row.document))
    return {key: tuple(of_round) for key, of_round in found.items()}


class _Batch:
    """One batch of settlements."""

    def __init__(
        self, known: dict[RoundKey, tuple[AssessedLine, ...]], roundings: ApprovedSubmissions[Rounding]
    ) -> None:
        self._known = known
        self._roundings = roundings

    def derive(self, event: EntryOfPublisher[Any], record: Record) -> Sequence[Draft]:
        match event:
            case Posted() if any(line.vigorish for line in event.data.lines):
                return (self._assessed(event, record),)
            case Reversed() if any(total.vigorish for total in event.data.totals):
                return (self._taken_back(event, record),)
            case _:
                return ()

    def _assessed(self, event: Posted, record: Record) -> Draft:
        data = event.data
        rounding = self._roundings.under(data.submission.hash)
        if rounding is None:
            raise Refused(
                f"rules submission {data.property}/{data.game} version {data.submission.version} is not known here "
                f"({data.submission.hash}): replay this record once it has been published"
            )
        found = assessed(data, rounding)
        self._known[_round_key(event)] = found
        fact = VigorishAssessed(
            **_round(data),
            revision=data.revision,
            closed_at=data.closed_at,
            dealer_id=data.dealer_id,
            submission=data.submission.hash,
            lines=found,
        )
        return _draft("vigorish.assessed", fact, event, record, assessment(Place(data.property, data.table), found))

    def _taken_back(self, event: Reversed, record: Record) -> Draft:
        data = event.data
        found = self._known.get(_round_key(event))
        if found is None:
            raise Refused(
                f"revision {data.revision} of round {data.round_id} is taken back, but its vigorish was not recorded: "
                "mend the record that posted it, then replay this one"
            )
        fact = VigorishTakenBack(
            **_round(data),
            revision=data.revision,
            entered_by=data.correction.entered_by,
            approved_by=data.correction.approved_by,
            reason=data.correction.reason,
            lines=found,
        )
        postings = assessment(Place(data.property, data.table), found, back=True)
        return _draft("vigorish.taken_back", fact, event, record, postings)

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        await store.project(connection, entries)


class PitEvents:
    """Records what tables collect, waive and return; of other events, which shift begins."""

    topic = pit_events.TOPIC

    def decode(self, record: Record) -> AtTables | Pit:
        return decode_pit(record.value)

    async def open(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> "_Pit":
        del connection, events
        return _Pit()


class _Pit:
    """One batch of pit events."""

    def __init__(self) -> None:
        self._shifts: list[Pit] = []

    def derive(self, event: Event[Any], record: Record) -> Sequence[Draft]:
        data = event.data
        match event:
            case VigorishCollected() | VigorishWaived() | VigorishReturned():
                kind, leg, contract = _AT_TABLES[event.type]
                fact = contract(**_fields(data, type(data)), event=event.id, at=event.time)
                postings = settled(Place(data.property, data.table), fact, leg)
                return (_draft(kind, fact, event, record, postings),)
            case Pit():
                self._shifts.append(event)
        return ()

    async def save(self, connection: AsyncConnection, entries: Sequence[Entry]) -> None:
        await store.add_shifts(connection, self._shifts)
        await store.project(connection, entries)


_AT_TABLES: Final[dict[str, tuple[str, str, type[VigorishCollection | VigorishWaiver | VigorishReturn]]]] = {
    "vigorish.collected": ("vigorish.collection", "collected", VigorishCollection),
    "vigorish.waived": ("vigorish.waiver", "waived", VigorishWaiver),
    "vigorish.returned": ("vigorish.return", "returned", VigorishReturn),
}
"""The kind of the entry, the leg of its money and its contract, by the type of the pit event."""


def _fields(contract: Any, kind: type[Contract]) -> dict[str, Any]:
    return {name: getattr(contract, name) for name in kind.model_fields}


def _round(data: Any) -> dict[str, Any]:
    return _fields(data, settlement_events.SettledRound)


def _draft(kind: str, fact: Any, event: Event[Any], record: Record, postings: tuple[Posting, ...]) -> Draft:
    return Draft(
        kind=kind,
        source=event.source,
        sequence=event.sequence,
        event_id=event.id,
        offset=record.offset,
        gaming_day=fact.gaming_day,
        occurred_at=event.time,
        data=to_json(fact.model_dump(mode="json", exclude_none=True)),
        postings=postings,
    )
