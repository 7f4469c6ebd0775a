"""The pit of a simulated day: its arithmetic, its people, its accounts and its linked progressive."""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, Final

import pytest

from loadtest.floor.electronic import electronic_tables
from loadtest.floor.floor_day import opening
from loadtest.floor.games import pit
from loadtest.floor.links import FEEDS
from loadtest.floor.messages import Message, day
from loadtest.floor.pit import PitBook, PitDay, chips
from loadtest.floor.pit_items import contents
from loadtest.floor.pit_table import OVER_COLLECTED_CENTS, PLANTED_CENTS
from services.round_settlement.domain.money import totals_of

DAY: Final = date(2026, 11, 19)
PLANS: Final = pit(12)


@pytest.fixture(scope="module")
def messages() -> list[Message]:
    """What the tables send on a short day."""
    return list(day(property_name="bayside", plans=PLANS, gaming_day=DAY, seed=9, rounds=180, plants=True, linked=True))


@pytest.fixture(scope="module")
def pit_day(messages: list[Message]) -> PitDay:
    """The pit of that day."""
    book = PitBook("bayside", PLANS, DAY)
    for message in messages:
        book.look(message)
    return book.day()


def reports(pit_day: PitDay) -> list[dict[str, Any]]:
    numbers = {slip: number for number, slip in enumerate(pit_day.slips, start=1)}
    return [json.loads(report.value) for report in pit_day.reports(numbers)]


def funded(message: Message) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = json.loads(message.value)["data"].get("account_funded", [])
    return found


def test_the_win_is_explained_to_the_cent(pit_day: PitDay) -> None:
    """Closer + credits + drop - opener - fills is what the rounds brought, less coupons and waivers, and the planted
    variance."""
    for money in pit_day.tables.values():
        assert money.rounds_win - money.coupons_paid - money.waived + money.variance == money.win
    assert [PLANTED_CENTS] == [money.variance for money in pit_day.tables.values() if money.variance]


def test_chips_are_what_settlement_moves(messages: list[Message]) -> None:
    """The simulator adds up a round by its lines; settlement, by its totals: banks and electronic wagers included."""
    electronic = 0
    for message in messages:
        for _, settlement in message.books if message.kind == "round" else ():
            parts = funded(message)
            electronic += len(parts)
            totals = totals_of(settlement, {(part["seat"], part["wager"]): part["cents"] for part in parts})
            assert sum(one.chips_cents for one in totals) == chips(settlement, parts)
    assert electronic > 0


def test_the_handle_of_a_seat_is_what_was_staked_there_in_rounds_that_stand(messages: list[Message]) -> None:
    """Of all of them within the time that is asked for; a round that was taken back is none."""
    book = PitBook("bayside", PLANS, DAY)
    stands: dict[tuple[str, str], int] = {}
    for message in messages:
        book.look(message)
        for sign, settlement in message.books:
            lines = (
                one for one in settlement.lines if one.seat == 1 and one.paid_by == "house" and one.wager != "bank"
            )
            staked = sum(one.stake for one in lines if one.outcome != "void")
            key = (message.table, message.round_id or "")
            stands[key] = stands.get(key, 0) + sign * staked
    begins, ends = opening(DAY) - timedelta(days=1), opening(DAY) + timedelta(days=2)
    for plan in PLANS:
        wanted = sum(cents for (table, _), cents in stands.items() if table == plan.name)
        assert wanted == book.handle_cents(plan.name, 1, [(begins, ends)])
        assert 0 == book.handle_cents(plan.name, 1, [(begins, begins)])
    assert sum(stands.values()) > 0


def test_money_moves_within_the_gaming_day_from_its_first_second(pit_day: PitDay) -> None:
    """Only counts and inspections of equipment come before: what is sold a second early is of the day before."""
    begins = opening(DAY)
    early = {one["type"] for one in reports(pit_day) if datetime.fromisoformat(one["time"]) < begins}
    assert early <= {"table.opened", "table.carried", "card_reader.inspected", "dice.changed", "cards.changed"}
    assert begins in {datetime.fromisoformat(one["time"]) for one in reports(pit_day) if one["type"] == "chips.sold"}


def test_every_stream_is_dense_and_in_the_order_of_time(pit_day: PitDay) -> None:
    """Each table has a stream of its own, without a hole, from its opener to the transport of its last box."""
    by_source: dict[str, list[dict[str, Any]]] = {}
    for event in reports(pit_day):
        by_source.setdefault(event["source"], []).append(event)
    assert len(PLANS) == len(by_source)
    for events in by_source.values():
        assert list(range(1, len(events) + 1)) == [event["sequence"] for event in events]
        assert all(before["time"] <= after["time"] for before, after in pairwise(events))
        kinds = Counter(event["type"] for event in events)
        assert (1, 1, 1, 1, 2) == tuple(
            kinds[kind] for kind in ("table.opened", "table.counted", "table.closed", "tips.collected", "box.exchanged")
        )


def test_vigorish_is_collected_or_waived_where_it_was_assessed(pit_day: PitDay, messages: list[Message]) -> None:
    """Of everything that rounds assessed, one seat's was waived and the rest collected; what was too much went back."""
    assessed = sum(line.vigorish for message in messages for _, one in message.books for line in one.lines)
    day = pit_day.vigorish
    assert assessed == day.assessed == day.collected + day.waived - day.returned
    assert OVER_COLLECTED_CENTS == day.returned
    kinds = Counter(event["type"] for event in reports(pit_day))
    assert (1, 1) == (kinds["vigorish.waived"], kinds["vigorish.returned"])


def test_everything_that_was_dropped_is_in_a_box(pit_day: PitDay) -> None:
    """Currency and counter checks are the drop of their table; coupons are there too, and are none of it."""
    for table, money in pit_day.tables.items():
        boxes = [box.dropped for box in pit_day.boxes if box.table == table]
        checks = [cents for dropped in boxes for cents in dropped.checks.values()]
        assert money.drop == sum(dropped.currency for dropped in boxes) + sum(checks)
        assert money.checks == sum(checks)
    events = reports(pit_day)
    coupons = [event["data"] for event in events if event["type"] == "coupon.dropped"]
    assert sum(money.coupons for money in pit_day.tables.values()) == sum(one["cents"] for one in coupons)
    counted: Counter[str] = Counter()
    for box in pit_day.boxes:
        counted.update(box.dropped.coupons)
    assert Counter(one["coupon"] for one in coupons) == counted
    assert {0, coupons[0]["cents"]} == {one["paid_cents"] for one in coupons}, "some won, some lost"
    serials = [event["data"]["serial"] for event in events if event["type"] == "counter_check.issued"]
    assert len(serials) == len(set(serials)) > 0


def test_one_fill_comes_on_paper(pit_day: PitDay) -> None:
    """No event of the table's stream has it; its money is in the tray, and five people signed it."""
    [fill] = pit_day.paper
    assert "BJ02" == fill.table
    received = sum(1 for event in reports(pit_day) if event["type"] == "fill.received" and "BJ02" in event["source"])
    requested = [slip for slip in pit_day.slips if (slip.slip, slip.table) == ("fill", "BJ02")]
    assert received == len(requested)
    assert pit_day.tables["BJ02"].fills == fill.cents + sum(slip.cents for slip in requested)


def test_one_table_gets_its_new_cards_too_late(pit_day: PitDay) -> None:
    """Cards dealt from the hand last four hours; the table is open until they are changed."""
    [table] = pit_day.late_cards
    events = [event for event in reports(pit_day) if table in event["source"]]
    changed = [datetime.fromisoformat(event["time"]) for event in events if event["type"] == "cards.changed"]
    closed = next(datetime.fromisoformat(event["time"]) for event in events if event["type"] == "table.closed")
    assert timedelta(hours=4, minutes=10) == changed[1] - changed[0]
    assert changed[1] < closed
    others = [event["time"] for event in reports(pit_day) if event["type"] == "table.closed"]
    assert closed == max(map(datetime.fromisoformat, others))


def test_a_table_that_does_not_open_carries_its_inventory() -> None:
    """It has a record of the day, and nothing else."""
    found = reports(PitBook("bayside", PLANS[:1], DAY).day())
    assert ["table.carried"] == [event["type"] for event in found]


def test_an_amount_in_chips_and_coins_is_worth_itself() -> None:
    """To the cent, in the fewest pieces."""
    assert 1_234_567 == sum(pieces["cents"] * pieces["count"] for pieces in contents(1_234_567))
    assert [] == contents(0)


def test_electronic_tables_are_those_whose_rounds_name_accounts(messages: list[Message]) -> None:
    """No round of another table is funded from an account."""
    named = {message.table for message in messages if message.books and funded(message)}
    assert {"BJ03", "TH01"} == electronic_tables(PLANS) >= named > set()


def test_a_linked_meter_goes_over_its_tables_in_the_order_of_closing(messages: list[Message]) -> None:
    """What a round says that the meter showed is what the round before it left, at whichever table; one hit resets."""
    feeds = {plan.name: FEEDS[plan.game] for plan in PLANS if plan.game in FEEDS}
    rounds = [json.loads(message.value)["data"] for message in messages if message.table in feeds]
    settled = {message.round_id: message.books[-1][1] for message in messages if message.table in feeds}
    rounds.sort(key=lambda one: (one["closed_at"], one["table"]))
    shown, hits = 500_000, 0
    for one in rounds:
        meter = feeds[one["table"]]
        assert shown == one["round"]["meters"][meter]
        shown = settled[one["round_id"]].meters[meter]
        hits += meter in settled[one["round_id"]].meter_resets
    assert 1 == hits
