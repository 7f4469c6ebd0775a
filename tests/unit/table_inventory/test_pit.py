"""What an event of the pit or a settled round leads to."""

from datetime import date, datetime
from typing import Any

import pytest
from sqlalchemy import CheckConstraint

from services.table_inventory.domain.denominations import added, stacks
from services.table_inventory.domain.pit import Books, Known, TableKey, count_round, record_pit
from services.table_inventory.domain.slips import Slip, SlipKey
from services.table_inventory.handlers import PitEvents, Settlements
from services.table_inventory.tables import movements
from shared.contracts.chips import Pieces, value_of
from shared.contracts.inventory import PitRecorded
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlements import RoundKey
from shared.journal.recording import FactWithPostings
from shared.rules.errors import Refused
from tests.support.pit import PROPERTY, Rounds, Table, at, chips
from tests.support.properties import TABLES, place
from tests.support.rounds import encoded
from tests.unit.table_inventory.examples import PIT

PLACE = place(PROPERTY, {name: {} for name in TABLES} | {"PK-01": {"non_banking": True}})
FILL, CREDIT = SlipKey(PROPERTY, "fill", 1), SlipKey(PROPERTY, "credit", 1)


def places(name: str, moment: datetime) -> PropertySnapshot | None:
    """The one property that there is."""
    del moment
    return PLACE if name == PROPERTY else None


def prepared(key: SlipKey) -> Slip:
    """A slip of $50, prepared for BJ-01."""
    return Slip(
        **key._asdict(),
        request=1,
        table="BJ-01",
        gaming_day=date(2026, 11, 20),
        shift="day",
        contents=(Pieces(cents=500, count=10),),
        cents=5000,
        requested_by="pit.ray",
        requested_at=at(0),
        prepared_by="cage.bob",
        prepared_at=at(0.5),
    )


def known() -> Known:
    """A fill and a credit of $50, prepared for BJ-01."""
    return Known(places, slips={key: prepared(key) for key in (FILL, CREDIT)})


def record(document: dict[str, Any], what: Known | None = None) -> FactWithPostings:
    """What is recorded of a pit event."""
    return record_pit(PitEvents.reader.decode(encoded(document)), known() if what is None else what)


def test_every_event_balances_and_only_the_six_movements_move_chips() -> None:
    """§ 465a.36(b): cash, counter checks, wagers, changes, fills and credits, vigorish; nothing else."""
    moved: dict[str, tuple[str, int] | None] = {}
    for kind, document in PIT.items():
        recording = record(document)
        assert 0 == sum(posting.cents for posting in recording.postings), kind
        fact = recording.fact
        assert isinstance(fact, PitRecorded)
        assert fact == PitRecorded.model_validate_json(fact.encode())
        inventory = sum(posting.cents for posting in recording.postings if posting.account.leg == "inventory")
        assert (0 if fact.moved is None else fact.moved.cents) == inventory, kind
        moved[kind] = None if fact.moved is None else (fact.moved.movement, fact.moved.cents)
    assert {
        "fill.received": ("transfer", 5000),
        "credit.carried": ("transfer", -5000),
        "chips.sold": ("cash", -10000),
        "counter_check.issued": ("counter_check", -100000),
        "chips.changed": ("change", 0),
        "coupon.dropped": ("wager", -2500),
        "vigorish.collected": ("vigorish", 0),
        "vigorish.waived": ("vigorish", -500),
        "vigorish.returned": ("vigorish", 0),
    } == {kind: what for kind, what in moved.items() if what is not None}
    checks = [one for one in movements.constraints if isinstance(one, CheckConstraint)]
    [check] = [one for one in checks if one.name == "movement_is_permitted"]
    allowed = str(check.sqltext).count("'") // 2
    assert 6 == allowed


def test_tips_touch_no_account_of_the_inventory() -> None:
    """They are owed to the dealers."""
    assert {"tip_box": 7700, "tips_payable": -7700} == {
        posting.account.leg: posting.cents for posting in record(PIT["tips.collected"]).postings
    }


def test_the_first_count_of_a_table_begins_its_books() -> None:
    """What moved before it is taken off; a table that was counted before posts nothing."""
    key = TableKey(PROPERTY, "BJ-01")
    what = Known(places, books={key: Books(moved=[(at(0.5), 2000), (at(9), -700)])})
    first = record(PIT["table.opened"], what)
    assert [3000, -3000] == [posting.cents for posting in first.postings]
    assert what.books[key].counts
    assert () == record(PIT["table.closed"], what).postings


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("fill.carried", {"number": 2}, "fill slip 2 of riverbend was never prepared"),
        (
            "fill.received",
            {"observed_by": "pit.ray"},
            "pit.ray is 'requested_by' of fill slip 1 of riverbend and cannot be 'observed_by' too",
        ),
        (
            "credit.carried",
            {"carried_by": "cage.bob"},
            "cage.bob is 'prepared_by' of credit slip 1 of riverbend and cannot be 'carried_by' too",
        ),
    ],
)
def test_a_slip_takes_different_people_and_must_be_there(kind: str, changes: dict[str, Any], message: str) -> None:
    """What is wrong is refused, and nothing of the slip has changed."""
    document = PIT[kind] | {"data": PIT[kind]["data"] | changes}
    what = known()
    with pytest.raises(Refused) as refused:
        record(document, what)
    assert (message, "58 Pa. Code § 465a.38") == (refused.value.reason, refused.value.paragraph)
    assert known().slips == what.slips


def test_a_slip_for_another_table_is_refused() -> None:
    """The number alone does not do."""
    other = Table("BJ-02").event("fill.carried", at(1), number=1, carried_by="sec.gus")
    with pytest.raises(Refused, match="fill slip 1 of riverbend is for table BJ-01, not BJ-02"):
        record(other)


def test_a_void_slip_takes_no_step_and_no_step_is_done_twice() -> None:
    """The second carrier is refused."""
    what = known()
    record(PIT["fill.carried"], what)
    with pytest.raises(Refused, match=r"sec\.gus is 'carried_by' already"):
        record(PIT["fill.carried"], what)
    what.slips[CREDIT] = what.slips[CREDIT].after(voided_by="cage.bob", voided_at=at(2))
    with pytest.raises(Refused, match="credit slip 1 of riverbend is void"):
        record(PIT["credit.carried"], what)


def test_the_stream_is_that_of_the_table() -> None:
    """An event of one table in another's stream is refused."""
    wrong = PIT["chips.sold"] | {"source": "/properties/riverbend/tables/BJ-02/pit"}
    with pytest.raises(Refused, match="the pit events of this table come from '/properties/riverbend/tables/BJ-01/p"):
        record(wrong)


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        ("table.opened", {"floorperson": "dealer.dan"}, "it takes two people"),
        ("chips.changed", {"given": chips(c500=4)}, "a change is of equal value"),
        ("chips.sold", {"contents": chips(c500=1)}, "'contents' is worth 500 cents; 'cents' says 10000"),
        ("table.counted", {"begins": None}, "a 'spot' count begins nothing"),
        ("table.opened", {"contents": chips(c500=1) * 2}, "list each kind once"),
        ("box.exchanged", {"placed_box": "A1"}, "box A1 cannot take its own place"),
        ("chips.sold", {"instrument": "tip"}, "'chips.sold.data.instrument' does not know 'tip'"),
    ],
)
def test_an_event_that_contradicts_itself_is_refused(kind: str, changes: dict[str, Any], message: str) -> None:
    """The contract says so, with the way out."""
    with pytest.raises(Refused, match=message):
        PitEvents.reader.decode(encoded(PIT[kind] | {"data": PIT[kind]["data"] | changes}))


@pytest.mark.parametrize(
    ("table", "refused", "message"),
    [
        ("BJ-01", ["time.collected"], "is of non-banking tables: .* Table 'BJ-01' is a banking one on 2026-11-20"),
        (
            "PK-01",
            ["coupon.dropped", "vigorish.collected", "vigorish.waived", "vigorish.returned"],
            "is of banking and fully automated tables: .* Table 'PK-01' is a non-banking one .* file and approve",
        ),
        (
            "EB-01",
            [
                *("table.opened", "table.closed", "table.counted", "table.carried", "fill.carried", "fill.received"),
                *("credit.carried", "chips.sold", "counter_check.issued", "chips.changed", "time.collected"),
            ],
            "is of .* tables: .* Table 'EB-01' is a fully automated one .* then replay this record; otherwise dismiss",
        ),
    ],
)
def test_a_table_has_the_events_of_its_kind(table: str, refused: list[str], message: str) -> None:
    """What another kind of table has is refused, with what to file if it is of that kind; nothing else is."""
    tables: dict[str, dict[str, Any]] = {
        "BJ-01": {},
        "PK-01": {"non_banking": True},
        "EB-01": {"fully_automated": True},
    }
    here = place(PROPERTY, tables)
    for kind, said in PIT.items():
        event = Table(table).event(kind, at(1), **said["data"] | {"table": table})
        slips = {key: prepared(key).model_copy(update={"table": table}) for key in (FILL, CREDIT)}
        what = Known(lambda *_: here, slips=slips)
        if kind in refused:
            with pytest.raises(Refused, match=f"'{kind}' {message}"):
                record(event, what)
        else:
            assert kind == record(event, what).fact.model_dump()["event"]


def test_a_round_counts_when_it_was_closed_and_is_taken_back_then() -> None:
    """The reversal has no moment of its own; meters and accounts pay the rest of a payout, not the inventory."""
    table, rounds, closed = Table("BJ-01"), Rounds(), dict[RoundKey, datetime]()
    total = {"handle": 1000, "payout": 700, "meter_payout": 300}
    posted = Settlements.reader.decode(encoded(rounds.posted(table, at(2), "r-1", **total)))
    taken_back = Settlements.reader.decode(encoded(rounds.reversed(table, at(9), "r-1", **total)))
    first, second = count_round(posted.data, closed), count_round(taken_back.data, closed)
    assert (at(2), at(2)) == (first.occurred_at, second.occurred_at)
    assert [posting.cents for posting in first.postings] == [-posting.cents for posting in second.postings]
    assert 600 == first.postings[0].cents


def test_a_round_that_was_not_counted_is_not_taken_back() -> None:
    """It would be taken back at another moment than the one at which its late posting counts."""
    rounds = Rounds()
    taken_back = Settlements.reader.decode(
        encoded(rounds.reversed(Table("BJ-01"), at(9), "r-1", handle=1000, payout=400))
    )
    with pytest.raises(Refused, match=r"revision 1 of round r-1 is taken back, but was not counted: mend the record"):
        count_round(taken_back.data, {})


def test_denominations_are_added_and_the_empty_ones_left_out() -> None:
    """In the order of their value."""
    contents = (Pieces(cents=10000, count=1), Pieces(cents=500, count=3))
    assert 11500 == value_of(contents)
    assert {"chip:500": 2, "coin:50": 1} == added(stacks(contents), {"chip:10000": -1, "chip:500": -1, "coin:50": 1})
