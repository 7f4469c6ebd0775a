"""What comes from outside is near its receipt and near what came before it, or it is refused before all else."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from services.cli.services import NAMES, load
from shared.contracts.property_snapshot import PropertyLookup, PropertySnapshot
from shared.contracts.tables import READER
from shared.journal.streams import Stream
from shared.rules.errors import Refused
from shared.runtime.ingest.batch import BatchContext, Decoded, Derived, derive
from shared.runtime.ingest.batch_metrics import count
from shared.runtime.ingest.handler import FactHandler, InputRecord, TopicHandler, moment_of
from shared.runtime.metrics import Metrics
from tests.support.properties import place
from tests.support.rounds import completed, corrected, encoded, record, source, voided

TABLE = "BJ-01"
NOW = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
FAR: dict[str, Any] = {"gaming_day": "9999-01-01", "opened_at": "9999-01-01T10:00:00Z"}
LIMITS = {"ahead_minutes_max": 5, "age_days_max": 2, "sequence_jump_max": 3}
LAST = 7


class Tables(FactHandler[PropertyLookup]):
    """A service that reads tables, and finds nothing wrong with what they say."""

    reader = READER

    def __init__(self, since: datetime | None = None) -> None:
        self._since = since

    def properties_in(self, state: PropertyLookup) -> PropertyLookup:
        return state

    def stands_since(self, event: Any, state: PropertyLookup) -> datetime | None:
        del event, state
        return self._since

    def handle(self, event: Any, state: PropertyLookup) -> tuple[()]:
        del event, state
        return ()


def read(
    *events: dict[str, Any],
    since: datetime | None = None,
    taken_at: datetime = NOW,
    by_broker: bool = False,
    **changes: Any,
) -> list[Derived]:
    """What some events of a table come to that are read now, the last before them having been the seventh."""
    here: PropertySnapshot = place(**changes)
    decoded = []
    for offset, event in enumerate(events):
        raw = encoded(event)
        one = InputRecord("table.events", 0, offset, None, raw, taken_at, by_broker=by_broker)
        decoded.append(Decoded(one, READER.decode(raw), bytes(32)))
    streams = {source(TABLE): Stream(last=LAST)}
    known = BatchContext(shard_name="n", streams=streams, taken={}, state=lambda *_: here, read_at=NOW)
    return list(derive(Tables(since), decoded, known))


def refused_by(derived: Sequence[Derived]) -> list[str | None]:
    """The limits by which records are refused, None where one is taken."""
    for one in derived:
        assert (one.refusal is None) == (one.event is not None)
        assert one.refusal is None or one.refusal.implausible is not None, one.refusal
    return [None if one.refusal is None else one.refusal.implausible for one in derived]


def at(moment: datetime | str, **data: Any) -> dict[str, Any]:
    """The next round of the table, opened and closed at a moment."""
    said = moment if isinstance(moment, str) else moment.isoformat()
    return completed(TABLE, LAST + 1, **({"opened_at": said, "closed_at": said} | data)) | {"time": said}


@pytest.mark.parametrize(
    ("event", "limit"),
    [
        (at("9999-12-31T23:59:59-12:00"), "ahead_minutes_max"),
        (completed(TABLE, 8, closed_at="9999-01-01T00:00:00Z"), "ahead_minutes_max"),
        (completed(TABLE, 8, gaming_day="9999-12-31"), "ahead_minutes_max"),
        (completed(TABLE, 8, gaming_day="2027-11-20"), "ahead_minutes_max"),
        (completed(TABLE, 8) | {"time": "2027-01-01T00:00:00Z"}, "ahead_minutes_max"),
        (voided(TABLE, 8, "r", gaming_day="2027-01-01"), "ahead_minutes_max"),
        (at("0001-01-01T00:00:00+14:00"), "age_days_max"),
        (at("2020-11-20T10:00:00Z", gaming_day="2020-11-20"), "age_days_max"),
        (completed(TABLE, 8, gaming_day="2020-11-20"), "age_days_max"),
        (voided(TABLE, 8, "r", gaming_day="2020-11-20"), "age_days_max"),
        (corrected(TABLE, 8, "r", record(), opened_at="2020-11-20T10:00:00Z"), "age_days_max"),
        (completed(TABLE, 8) | {"sequence": 2**31 - 1}, "sequence_jump_max"),
        (completed(TABLE, 8) | {"sequence": LAST + 10_002}, "sequence_jump_max"),
    ],
)
def test_what_cannot_be_is_refused_by_limits_that_nobody_has_to_set(event: dict[str, Any], limit: str) -> None:
    """The years, the days and the sequences with which the system was attacked; the record goes into quarantine."""
    [found] = read(event)
    assert [limit] == refused_by([found])
    assert ["record.quarantined"] == [draft.kind for draft in found.drafts]
    assert found.refusal is not None
    assert found.refusal.reason.startswith("not plausible: ")


@pytest.mark.parametrize(
    ("event", "limits", "expected"),
    [
        (at(NOW + timedelta(minutes=5)), LIMITS, None),
        (at(NOW + timedelta(minutes=5, seconds=1)), LIMITS, "ahead_minutes_max"),
        (at(NOW - timedelta(days=2)), LIMITS, None),
        (at(NOW - timedelta(days=2, seconds=1)), LIMITS, "age_days_max"),
        (completed(TABLE, LAST + 4), LIMITS, None),
        (completed(TABLE, LAST + 5), LIMITS, "sequence_jump_max"),
        (completed(TABLE, LAST + 1), LIMITS | {"sequence_jump_max": 0}, None),
        (completed(TABLE, LAST + 2), LIMITS | {"sequence_jump_max": 0}, "sequence_jump_max"),
    ],
)
def test_the_limits_are_those_of_the_property(
    event: dict[str, Any], limits: dict[str, int], expected: str | None
) -> None:
    """What is at a limit is taken."""
    assert [expected] == refused_by(read(event, plausibility=limits))


def test_the_true_record_is_taken_after_a_jump_that_was_refused() -> None:
    """No gap of two billion is opened, and the place after the last one is free."""
    jump = completed(TABLE, 8) | {"sequence": 2**31 - 1, "id": "jump"}
    first, true, next_one = read(jump, completed(TABLE, 8), completed(TABLE, 9))
    assert ["sequence_jump_max", None, None] == refused_by([first, true, next_one])
    assert [] == true.drafts == next_one.drafts
    assert next_one.stream is not None
    assert (9, []) == (next_one.stream.last, list(next_one.stream.missing()))


@pytest.mark.parametrize("sequence", [0, -1, 2**31, 2**63, 2**63 + 8, 10**400, "8", 8.0, 8.5, True, None])
def test_what_is_no_sequence_claims_no_place(sequence: object) -> None:
    """It is refused as it is read, whatever it would count as elsewhere."""
    with pytest.raises(Refused, match="sequence"):
        READER.decode(encoded(completed(TABLE, 8) | {"sequence": sequence}))


@pytest.mark.parametrize("lie", [datetime(2020, 11, 20, 10, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)])
def test_a_timestamp_of_the_sender_proves_no_receipt(lie: datetime) -> None:
    """A broker that leaves it to the sender when a record was sent: the clock of the service says when it came."""
    [found] = read(at(lie, gaming_day=str(lie.date())), taken_at=lie)
    assert found.refusal is not None


def test_what_is_read_late_is_as_plausible_as_it_was_when_the_broker_took_it() -> None:
    """A backlog of a year is taken; what was ahead when it came does not become true by waiting."""
    then = NOW - timedelta(days=365)
    taken = at(then, gaming_day=str(then.date()))
    assert [None] == refused_by(read(taken, taken_at=then, by_broker=True))
    ahead = at(NOW - timedelta(days=1))
    assert ["ahead_minutes_max"] == refused_by(read(ahead, taken_at=then, by_broker=True))


def test_an_old_round_on_record_can_be_changed() -> None:
    """A dispute takes years: it may say the moment at which the round was opened, but none before it."""
    opened = datetime(2024, 11, 20, 10, tzinfo=UTC)
    said = {"opened_at": opened.isoformat(), "gaming_day": "2024-11-20"}
    assert [None] == refused_by(read(corrected(TABLE, 8, "r", record(), **said), since=opened))
    assert [None] == refused_by(read(voided(TABLE, 8, "r", gaming_day="2024-11-20"), since=opened))
    said["opened_at"] = (opened - timedelta(seconds=1)).isoformat()
    assert ["age_days_max"] == refused_by(read(corrected(TABLE, 8, "r", record(), **said), since=opened))


def test_a_late_event_is_flagged_where_the_property_says_so() -> None:
    """It is recorded, and an entry beside it says so; nothing of the future is, and nothing older than any clock."""
    old = NOW - timedelta(days=40)
    [found] = read(at(old, gaming_day=str(old.date())), late_events="flag")
    assert found.event is not None
    [draft] = found.drafts
    assert ("event.flagged", LAST + 1, "'time' 2026-10-11") == (
        draft.kind,
        draft.sequence,
        getattr(draft.fact, "detail", "")[:17],
    )
    beyond = [at("9999-01-01T00:00:00Z"), at("0001-01-01T00:00:00+14:00")]
    assert ["ahead_minutes_max", "age_days_max"] == refused_by(read(*beyond, late_events="flag"))


def test_each_limit_is_counted() -> None:
    """By what became of the event."""
    metrics = Metrics()
    old = NOW - timedelta(days=40)
    count(metrics, "table.events", read(completed(TABLE, 8, **FAR), at(old), late_events="flag"))
    counted = metrics.implausible.labels
    for limit, outcome in (("ahead_minutes_max", "refused"), ("age_days_max", "flagged")):
        assert 1 == counted("table.events", limit, outcome)._value.get()


_ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(
    moment=st.datetimes(timezones=_ZONES),
    day=st.dates(),
    sequence=st.integers(1, 2**31 - 1),
    late_events=st.sampled_from(["refuse", "flag"]),
    kind=st.sampled_from([completed, voided, corrected]),
)
@example(datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))), date.max, 8, "flag", completed)
@example(datetime.min.replace(tzinfo=timezone(timedelta(hours=14))), date.min, 8, "flag", completed)
def test_nothing_that_an_event_says_stops_the_service(
    moment: datetime, day: date, sequence: int, late_events: str, kind: Any
) -> None:
    """Any moment of any calendar, any day, any place: it is refused by a limit, or within all of them."""
    about: list[Any] = [] if kind is completed else ["r"]
    if kind is corrected:
        about.append(record())
    moments = {} if kind is voided else {"opened_at": moment.isoformat(), "closed_at": moment.isoformat()}
    event = kind(TABLE, 8, *about, gaming_day=day.isoformat(), **moments)
    event |= {"time": moment.isoformat(), "sequence": sequence}
    found = read(event, late_events=late_events)[0]
    if found.refusal is None and not found.duplicate:
        assert moment <= NOW + timedelta(minutes=15)
        assert sequence - LAST - 1 <= 10_000
        assert late_events == "flag" or moment >= NOW - timedelta(days=35)
        assert (found.flagged is not None) <= (late_events == "flag")


@pytest.mark.parametrize("timestamp_ms", [-1, -(2**63), 0, 253_402_300_800_000, 2**62, 2**63 - 1])
def test_a_timestamp_that_no_calendar_has_is_the_nearest_one(timestamp_ms: int) -> None:
    """A sender may write any number there: reading it must not stop anybody."""
    assert datetime(1970, 1, 1, tzinfo=UTC) <= moment_of(timestamp_ms) <= datetime(9999, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("service", NAMES)
def test_whoever_reads_from_outside_asks_the_property(service: str) -> None:
    """A handler that did not would go by the limits of a property that sets none."""
    for made in load(service).readers:
        if made.reader.topic.publisher is None:
            assert made.properties_in is not TopicHandler.properties_in, made
