"""Handlers that read the journals of all services; reporting's own journal records only problems of its input."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from services.reporting.domain.changes import Changes, EntryRef
from services.reporting.projector import write
from services.reporting.read_model.rounds import round_entry
from services.reporting.read_model.seat_wagers import wagers_of_seats
from services.reporting.read_model.winnings import WonLines
from services.reporting.read_model.writing import Batch
from services.reporting.tables import (
    OF_JOURNALS,
    amount_days,
    amounts,
    chip_hours,
    day_moments,
    dealer_days,
    facts,
    line_days,
    pace_hours,
    play_days,
    positions,
    properties,
    rounds,
    seat_wagers,
    wager_days,
    won_lines,
)
from shared.contracts.accounts import (
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.corrections import (
    CorrectionApproved,
    CorrectionOfRound,
    CorrectionProposed,
    CorrectionRejected,
)
from shared.contracts.envelope import Event
from shared.contracts.facts import KINDS, Fact
from shared.contracts.journal_facts import (
    CommandRefused,
    DismissedTogether,
    EventFlagged,
    GapFilled,
    GapOpened,
    QuarantineDismissed,
    RecordMended,
    RecordQuarantined,
)
from shared.contracts.meters import MeterRoundCounted, RoundTakenBack
from shared.contracts.property_snapshot import place_at
from shared.contracts.settlement_views import PostedRound, ReversedRound, RevisionView, SupersededRound, UnpostedRound
from shared.contracts.settlements import ResultCounted, ResultSuperseded, ResultUncounted
from shared.contracts.topic_reader import Reader, Skipped
from shared.contracts.topics import ACCOUNTS, INVENTORY, METERS, RATINGS, SETTLEMENTS, VIGORISH, Topic, publisher_of
from shared.contracts.vigorish import VigorishAssessed, VigorishCollection, VigorishTakenBack
from shared.runtime.ingest.handler import ReadModelHandler
from shared.runtime.ingest.property_copies import Places

OF_INPUT: Final = (
    EventFlagged,
    GapOpened,
    GapFilled,
    RecordQuarantined,
    RecordMended,
    QuarantineDismissed,
    DismissedTogether,
)
"""Facts about a journal's own input: each opens or closes an exception."""

BOOKS: Final = (facts, amounts, amount_days, day_moments, positions)


class OfJournal(ReadModelHandler[None]):
    """Adds the journal of a service to the read model."""

    share = 0.2
    added_up: ClassVar[frozenset[type[Fact]]] = frozenset()
    """The types of facts recorded once per round or wager, which are only summed and not listed in reports."""

    def __init__(self) -> None:
        self.places = Places(properties)

    @property
    def service(self) -> str:
        """Return the name of the service whose journal is read."""
        return publisher_of(self.reader.topic)

    async def keep(self, connection: AsyncConnection, events: Sequence[Event[Any]], at: datetime) -> None:
        """Add a batch of events, and the exceptions that they open and close, to the read model."""
        del at
        await self.places.refresh(connection)
        batch, changes = Batch(self.service), Changes(self.service)
        for event in events:
            batch.seen(event)  # type: ignore[arg-type]  # the topic of a journal has only entries
            if isinstance(event.data, Skipped):
                continue
            self.add(batch, changes, event)
        await batch.write(connection)
        await write(connection, changes)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Refresh the cached versions of the approved properties."""
        del events
        await self.places.refresh(connection)

    def require_usable(self, event: Event[Any], state: None) -> None:
        """Raise Refused if the gaming day depends on the clock of a property that is not known."""
        del state
        named = getattr(event.data, "property", None)
        if named is not None and not isinstance(event.data, CommandRefused) and _asks_the_clock(event.data):
            place_at(self.places.place, named, event.time)

    def add(self, batch: Batch, changes: Changes, event: Any) -> None:
        """Add an entry to the batch."""
        if isinstance(event.data, CommandRefused):
            batch.note(event, event.data)
            return
        batch.add(event, event.data, self.places.place, whole=self.lists(event.data))
        if isinstance(event.data, OF_INPUT):
            changes.add_fact(EntryRef.of(self.service, event), event.time, event.data)

    def lists(self, fact: Fact) -> bool:
        """Return whether reports list this kind of fact, so that the whole fact must be stored."""
        return type(fact) not in self.added_up


def _asks_the_clock(fact: Any) -> bool:
    """Return whether a fact's gaming day must be derived from the property's clock."""
    return getattr(fact, "gaming_day", None) is None or isinstance(fact, CorrectionOfRound)


def _all_of(topic: Topic) -> Reader:
    """Return a reader of all facts on a topic, including the journal's facts about its own ingest."""
    own = (kind.model for kind in KINDS.on(topic) if kind.topic is topic)
    return Reader(topic, *own, *OF_INPUT, CommandRefused)


class Inventory(OfJournal):
    """Adds the table-inventory ledger to the read model: counts, slips, boxes, variances, adjustments, closed days."""

    reader = _all_of(INVENTORY)
    keeps = (*BOOKS, *OF_JOURNALS)


class Ratings(OfJournal):
    """Adds the ratings of the table-inventory ledger to the read model: their steps, and the ratings as stated."""

    reader = _all_of(RATINGS)
    keeps = (*BOOKS, *OF_JOURNALS)


class Settlements(OfJournal):
    """Adds settlements to the read model.

    No entries are made in reporting's journal, because sums and exceptions can be derived from the topic alone.
    """

    reader = Reader(
        SETTLEMENTS,
        *(PostedRound, ReversedRound, SupersededRound, UnpostedRound),
        *(CorrectionProposed, CorrectionApproved, CorrectionRejected),
        *(ResultCounted, ResultSuperseded, ResultUncounted),
        *OF_INPUT,
        CommandRefused,
    )
    keeps = (
        *(
            facts,
            rounds,
            won_lines,
            seat_wagers,
            dealer_days,
            wager_days,
            play_days,
            chip_hours,
            pace_hours,
            line_days,
        ),
        *(amounts, amount_days, day_moments, positions),
        *OF_JOURNALS,
    )

    batch_scale = 10

    def __init__(self) -> None:
        super().__init__()
        self._won_lines = WonLines()

    def require_usable(self, event: Event[Any], state: None) -> None:
        """Raise Refused if the property is not known."""
        if isinstance(event.data, RevisionView):
            place_at(self.places.place, event.data.property, event.data.closed_at)
        else:
            super().require_usable(event, state)

    def add(self, batch: Batch, changes: Changes, event: Any) -> None:
        """Add an entry to the batch."""
        match event.data:
            case PostedRound() | ReversedRound() as data:
                place = place_at(self.places.place, data.property, data.closed_at)
                entry = round_entry(event, data, place.shift_at(data.closed_at))
                batch.add_round(entry)
                in_chips = place.ties_seats(data.table)
                batch.add_seat_wagers(wagers_of_seats(event, data, in_chips=in_chips))
                if not isinstance(data, ReversedRound):
                    batch.add_won_lines(self._won_lines.of_round(event, data, place, entry.back_cents()))
            case UnpostedRound() | ResultCounted() | ResultSuperseded() | ResultUncounted() as data:
                batch.add(event, data, self.places.place, whole=False)
            case SupersededRound() as data:
                batch.changed(data.property, data.gaming_day, event.recordedat)
            case CorrectionOfRound() as asked:  # its effect on money follows from the settlement that it leads to
                batch.add(event, asked, self.places.place, of_moment=True)
            case CommandRefused() as refused:
                batch.note(event, refused)
        changes.add(event)


class Vigorish(OfJournal):
    """Adds the vigorish ledger; assessments and collections are only summed, waivers and returns are also listed."""

    reader = _all_of(VIGORISH)
    keeps = (*BOOKS, *OF_JOURNALS)
    added_up = frozenset({VigorishAssessed, VigorishTakenBack, VigorishCollection})


class Meters(OfJournal):
    """Adds the journal of progressive meters; rounds are only summed, unless they have an award or a finding."""

    reader = _all_of(METERS)
    keeps = (*BOOKS, *OF_JOURNALS)

    def lists(self, fact: Fact) -> bool:
        """Return whether reports list a fact; a round is listed only if it has an award or a finding."""
        match fact:
            case MeterRoundCounted():
                return any(one.hits or one.findings for one in fact.meters)
            case RoundTakenBack():
                return any(movement.hits for movement in fact.movements)
            case _:
                return True


class Accounts(OfJournal):
    """Adds the journal of wagering accounts; wagers are only summed, everything else is also listed."""

    reader = _all_of(ACCOUNTS)
    keeps = (*BOOKS, *OF_JOURNALS)
    added_up = frozenset({WagerAuthorized, WagerReleased, RoundCaptured, WagersSettled, WagersReversed, WagersVoided})
