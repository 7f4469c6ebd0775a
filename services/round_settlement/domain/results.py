"""Record and void the results that a counted table reports. Nothing is settled or posted. Pure."""

from dataclasses import dataclass, field
from datetime import date

from services.round_settlement.domain.placing import check_length, check_offered, named
from services.round_settlement.domain.settling import require_two_people
from shared.contracts.envelope import Event, table_source
from shared.contracts.properties import PropertyTable
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot, place_at
from shared.contracts.settlements import ResultCounted, ResultSuperseded, ResultUncounted
from shared.contracts.tables import RecordedResult, VoidedResult
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused

ResultKey = tuple[str, str, int]
"""(property, table, sequence of the result's event in the table's stream)"""


@dataclass(slots=True)
class Results:
    """The working state of a batch of events about results: the results and voids recorded so far.

    `counted` has the recorded results, including voided ones. `voids` maps a result to the sequence of the event that
    voided it. `are_voids` maps the key of a voiding event to the sequence of the result that it voided.
    """

    counted: dict[ResultKey, ResultCounted] = field(default_factory=dict)
    voids: dict[ResultKey, int] = field(default_factory=dict)
    are_voids: dict[ResultKey, int] = field(default_factory=dict)


def result_key(event: Event[RecordedResult] | Event[VoidedResult]) -> ResultKey:
    """Return the key of the result that an event records or voids."""
    data = event.data
    return (data.property, data.table, data.voids if isinstance(data, VoidedResult) else event.sequence)


def count_result(event: Event[RecordedResult], results: Results, places: PropertyLookup) -> FactWithPostings:
    """Return the fact that records a result on its gaming day, or records it as voided if its void arrived first.

    Raises: Refused if the table reports its rounds, or if the result is impossible at this property and table.
    """
    data, key = event.data, result_key(event)
    _require_source(event)
    place = place_at(places, data.property, data.opened_at)
    check_length(f"event {event.sequence}", data.opened_at, data.closed_at, place)
    day = place.day_of(data.gaming_day, data.opened_at)
    check_offered(data.game, _counted_table(data.table, day, place), place)
    claimed = None if day == data.gaming_day else data.gaming_day
    said = dict(data) | {"gaming_day": day, "claimed_day": claimed}
    void = results.voids.get(key)
    if void is not None:
        return FactWithPostings(fact=ResultSuperseded(**said, sequence=event.sequence, voided_by=void))
    results.counted[key] = ResultCounted(**said)
    return FactWithPostings(fact=results.counted[key])


def void_result(event: Event[VoidedResult], results: Results, places: PropertyLookup) -> FactWithPostings:
    """Return the fact that voids a result, on the result's gaming day.

    If no result is recorded, the gaming day is that of this event. Raises: Refused if the void was not made by two
    people, if the result was voided before or is a void itself, or if the table reports its rounds.
    """
    data, key = event.data, result_key(event)
    _require_source(event)
    require_two_people(data.correction)
    if data.voids >= event.sequence:
        raise Refused(
            f"'voids' is {data.voids}, and this is event {event.sequence} of table {data.table!r}: say the place of "
            "the result, which is before that of its void"
        )
    if key in results.are_voids:
        raise Refused(
            f"event {data.voids} of table {data.table!r} is no result: it voided result {results.are_voids[key]}, and "
            "a void is not taken back; record that result again, and dismiss this record"
        )
    if key in results.voids:
        raise Refused(
            f"result {data.voids} of table {data.table!r} was voided by event {results.voids[key]}: dismiss this record"
        )
    counted = results.counted.get(key)
    if counted is None:
        place = place_at(places, data.property, event.time)
        day = place.gaming_day(event.time)
        of_result = {"game": _counted_table(data.table, day, place).game, "gaming_day": day}
    else:
        of_result = {name: getattr(counted, name) for name in ("game", "gaming_day", "last_of_shoe", "closed_at")}
    results.voids[key] = event.sequence
    results.are_voids[(*key[:2], event.sequence)] = data.voids
    return FactWithPostings(fact=ResultUncounted(**dict(data) | of_result, counted=counted is not None))


def _require_source(event: Event[RecordedResult] | Event[VoidedResult]) -> None:
    expected = table_source(event.data.property, event.data.table)
    if event.source != expected:
        raise Refused(f"'source' is {event.source!r}; the events of this table come from {expected!r}")


def _counted_table(name: str, day: date, place: PropertySnapshot) -> PropertyTable:
    """Return a table as of a gaming day. Raises: Refused if there is no such table, or if it reports its rounds."""
    table = place.table(name, day)
    if table.play != "counted":
        raise Refused(
            f"table {name!r} reports its rounds on {day} in {named(place)}: a result without wagers is of a "
            "table whose 'play' is 'counted'; send its rounds, and dismiss this record"
        )
    return table
