"""Count the results that a counted table reports: nothing is settled, and no money moves. Pure."""

from services.round_settlement.domain.placing import check_length, check_offered, named
from shared.contracts.envelope import Event, table_source
from shared.contracts.property_snapshot import PropertyLookup, place_at
from shared.contracts.settlements import ResultCounted
from shared.contracts.tables import RecordedResult
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused


def count_result(event: Event[RecordedResult], places: PropertyLookup) -> FactWithPostings:
    """Return the fact of a result, under the gaming day on which it was opened.

    Raises: Refused for a table that reports its rounds, or if the result is impossible at this property and table.
    """
    data = event.data
    expected = table_source(data.property, data.table)
    if event.source != expected:
        raise Refused(f"'source' is {event.source!r}; the events of this table come from {expected!r}")
    place = place_at(places, data.property, data.opened_at)
    check_length(f"event {event.sequence}", data.opened_at, data.closed_at, place)
    day = place.day_of(data.gaming_day, data.opened_at)
    table = place.table(data.table, day)
    if table.play != "counted":
        raise Refused(
            f"table {data.table!r} reports its rounds on {day} in {named(place)}: a result without wagers is of a "
            "table whose 'play' is 'counted'; send its rounds, and dismiss this record"
        )
    check_offered(data.game, table, place)
    claimed = None if day == data.gaming_day else data.gaming_day
    return FactWithPostings(fact=ResultCounted(**dict(data) | {"gaming_day": day}, claimed_day=claimed))
