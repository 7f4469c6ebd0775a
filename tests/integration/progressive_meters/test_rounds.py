"""Settled rounds counted on a real database: exactly, once, and taken back exactly."""

from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.rounds import submission
from tests.unit.progressive_meters.office import Office, feed
from tests.unit.progressive_meters.settlements import DAY, PROPERTY, Shard, rules

RULES = rules()
SHARD = Shard(RULES)
OTHER = Shard(RULES, 2)


def test_rounds_are_counted_to_the_last_share_of_a_cent(office: Office) -> None:
    """Contributions with their shares, an award of all with its reset; the day reconciles, and no reading differs."""
    office.open_pool()
    office.settle(
        SHARD.posted(1, before=500000),
        SHARD.posted(2, before=500020, stakes=(100, 500)),
        SHARD.posted(3, before=500143, award=500163, reset=500000),
        SHARD.posted(4, before=500001),
    )
    assert "500021.5" == office.shows()
    report = office.reconciliation()
    [row] = report["pools"]
    assert ("0", "500000", "184.5", 500163, "500000", "500021.5") == tuple(
        row[f"{name}_cents"] for name in ("opening", "seed", "contribution", "award", "reset", "closing")
    )
    assert ("0", 5, 900, 1, 4, 0) == tuple(
        row[name] for name in ("difference_cents", "in_count", "in_cents", "hits", "readings", "readings_different")
    )
    assert [] == office.exceptions()
    assert 0 == sum(office.balances().values())


def test_tables_are_linked_whatever_the_order_of_their_shards(office: Office) -> None:
    """Two tables in two shards feed one pool; a shard that comes later changes neither the sum nor the comparison."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    here = [SHARD.posted(n, before=500000 + 41 * (n - 1), opened=n, closed=n + 0.3) for n in (1, 2, 3)]
    there = [
        OTHER.posted(n, before=500020 + 41 * (n - 1), table="BJ-02", opened=n + 0.5, closed=n + 0.8) for n in (1, 2, 3)
    ]
    office.settle(*here)
    assert 2 == len(office.exceptions())
    office.settle(*there, partition=1)
    assert ("500123", []) == (office.shows(), office.exceptions())


def test_a_reading_that_differs_is_an_exception(office: Office) -> None:
    """Both readings are named, the table's and the ledger's, before the round and after it."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000), SHARD.posted(2, before=500019), SHARD.posted(3, before=500041))
    [item] = office.exceptions()
    assert ("reading", 500019, 500020, 500039, 500040) == tuple(
        item[name]
        for name in (
            "kind",
            "reported_before_cents",
            "ledger_before_cents",
            "reported_after_cents",
            "ledger_after_cents",
        )
    )
    report = office.reconciliation()
    assert (1, 1) == (report["exceptions"], report["pools"][0]["readings_different"])


def two_take_all(office: Office, *, late: bool = False) -> None:
    """Two linked tables open rounds two seconds apart, both say the same meter, both take all of it: 900,020 cents."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"), base_cents=900000)
    first = SHARD.posted(1, before=900000, award=900020, reset=500000, opened=1, closed=5, round_id="r-1")
    second = OTHER.posted(
        1, before=900000, award=900020, reset=500000, opened=3, closed=7, round_id="r-2", table="BJ-02"
    )
    for event, partition in ((second, 1), (first, 0)) if late else ((first, 0), (second, 1)):
        office.settle(event, partition=partition)


@pytest.mark.parametrize("late", [False, True])
def test_an_award_above_what_the_meter_showed_is_an_exception(office: Office, late: bool) -> None:
    """Whichever arrives first, the round that closed first takes the meter, the other the reset amount and no more."""
    two_take_all(office, late=late)
    [item] = [one for one in office.exceptions() if one["kind"] == "award"]
    assert ("BJ-02", "r-2", 900020, 399999) == tuple(
        item[name] for name in ("table", "round_id", "award_cents", "short_cents")
    )
    body = {"property": PROPERTY, "gaming_day": DAY, "reason": "end of day"}
    assert_problem(office.send("/reconciliations", body, person="kim"), 409, "399999 cents more than pool major showed")
    assert not office.read(f"/reconciliations/{PROPERTY}/{DAY}")["balanced"]


def test_two_people_accept_that_the_house_bears_an_award(office: Office) -> None:
    """The meter is what it would be, the house has paid the rest, the day is reconciled; nothing is accepted twice."""
    two_take_all(office)
    [item] = office.exceptions("&kind=award")
    assert_problem(
        office.send(f"/pools/{PROPERTY}/major/changes", award(1), person="carl"), 422, "no award above the meter"
    )
    before = office.balances()
    assert 200 == office.change("major", kind="award", movement=item["number"]).status_code
    assert "500000" == office.shows()
    moved = {name: cents - before.get(name, 0) for name, cents in office.balances().items()}
    assert {399999, -399999} == {cents for cents in moved.values() if cents}
    assert [] == office.exceptions("&kind=award")
    office.reconciliation()
    again = office.send(f"/pools/{PROPERTY}/major/changes", award(item["number"]), person="carl")
    assert_problem(again, 422, "no award above")
    body = {"property": PROPERTY, "gaming_day": DAY, "reason": "end of day"}
    assert 201 == office.send("/reconciliations", body, person="kim").status_code


def award(movement: int) -> dict[str, Any]:
    """The body of a request to accept an award."""
    return {"kind": "award", "movement": movement, "gaming_day": DAY, "reason": "the floor paid it"}


def test_what_other_tables_are_putting_on_the_meter_may_be_awarded(office: Office) -> None:
    """A linked table shows wagers of rounds still played elsewhere; the ledger counts them when these close."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    office.settle(SHARD.posted(1, before=500020, award=500040, reset=500000, opened=1, closed=5))
    assert 1 == len(office.exceptions("&kind=award"))
    office.settle(OTHER.posted(1, before=500000, table="BJ-02", opened=0, closed=6), partition=1)
    assert [] == office.exceptions("&kind=award")


def test_shares_of_a_cent_of_rounds_still_played_elsewhere_may_be_awarded(office: Office) -> None:
    """The sign adds them up before it leaves the rest off: 20.5 of a round before and 20.5 of one that goes on: 41."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    office.settle(SHARD.posted(1, before=500000, opened=0, closed=1))
    office.settle(OTHER.posted(1, before=500020, table="BJ-02", opened=2, closed=6), partition=1)
    office.settle(SHARD.posted(2, before=500041, stakes=(200,), award=500082, reset=500000, opened=3, closed=5))
    assert [] == office.exceptions("&kind=award")


def test_an_award_may_have_what_was_taken_back_later(office: Office) -> None:
    """The sign showed the wagers of a round that was still played elsewhere, and voided after the award."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    elsewhere = OTHER.posted(1, before=500000, table="BJ-02", opened=0, closed=6)
    office.settle(elsewhere, partition=1)
    office.settle(SHARD.posted(1, before=500020, award=500040, reset=500000, opened=1, closed=5))
    assert [] == office.exceptions("&kind=award")
    office.settle(OTHER.reversed(60, elsewhere), partition=1)
    assert [] == office.exceptions("&kind=award")


def test_a_corrected_award_goes_by_the_meter_at_the_correction(office: Office) -> None:
    """A round that had been played elsewhere meanwhile is on it by then, and counts once."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"))
    office.settle(OTHER.posted(1, before=500000, stakes=(200,), table="BJ-02", opened=3, closed=7), partition=1)
    first = SHARD.posted(1, before=500000, stakes=(200,), opened=1, closed=5, round_id="r-1")
    office.settle(first, SHARD.reversed(60, first))
    again: dict[str, Any] = {
        "before": 500000,
        "stakes": (200,),
        "opened": 1,
        "closed": 5,
        "round_id": "r-1",
        "revision": 2,
    }
    office.settle(SHARD.posted(61, award=500123, reset=500000, **again))
    [item] = office.exceptions("&kind=award")
    assert (500123, 41) == (item["award_cents"], item["short_cents"])


def test_a_corrected_award_may_have_what_its_own_table_has_put_on_since(office: Office) -> None:
    """The next round of the table was still played at the correction; one that opened later counts for nothing."""
    office.open_pool()
    first = SHARD.posted(1, before=500000, stakes=(200,), opened=1, closed=5, round_id="r-1")
    again: dict[str, Any] = {"stakes": (200,), "opened": 1, "closed": 5, "round_id": "r-1", "revision": 2}
    office.settle(first, SHARD.reversed(60, first))
    office.settle(SHARD.posted(61, before=500000, award=500082, reset=500000, **again))
    office.settle(SHARD.posted(62, before=500000, stakes=(200,), opened=62, closed=70))
    assert [41] == [one["short_cents"] for one in office.exceptions("&kind=award")]
    office.settle(SHARD.posted(63, before=500000, stakes=(200,), opened=50, closed=71))
    assert [] == office.exceptions("&kind=award")


def test_no_sign_shows_less_than_nothing(office: Office) -> None:
    """Three tables that all took everything leave a debt of the house; a sign shows an empty meter."""
    office.open_pool("major", feed("BJ-01"), feed("BJ-02"), base_cents=1900000)
    office.settle(SHARD.posted(1, before=1900000, award=1900020, reset=500000, opened=1, closed=5))
    office.settle(
        OTHER.posted(1, before=1900000, award=1900020, reset=500000, opened=3, closed=7, table="BJ-02"), partition=1
    )
    assert "-899999" == office.shows()
    assert 0 == office.read(f"/readings/{PROPERTY}/major")["shown_cents"]
    [row] = office.read(f"/reconciliations/{PROPERTY}/{DAY}")["pools"]
    assert ("-899999", 0, "0") == (row["closing_cents"], row["shown_cents"], row["difference_cents"])


def test_a_settlement_that_is_not_rate_times_wagers_is_an_exception(office: Office) -> None:
    """The settlement counts; what the rate comes to stands beside it."""
    office.open_pool()
    office.settle(SHARD.posted(1, before=500000, rate="0.2", stakes=(1000,)))
    [item] = office.exceptions()
    assert ("contribution", 200, "205") == (item["kind"], item["settled_cents"], item["rated_cents"])
    assert "500200" == office.shows()


def test_a_void_takes_back_exactly(office: Office) -> None:
    """The meter, its counters, the hits and the accounts are as before; the reading stands no more."""
    office.open_pool()
    first = SHARD.posted(1, before=500000, stakes=(333,))
    award = SHARD.posted(2, before=500068, award=500088, reset=500000)
    office.settle(first)
    before = office.balances(), office.shows()
    office.settle(award)
    office.settle(SHARD.reversed(3, award))
    assert before == (office.balances(), office.shows())
    pool = office.read(f"/pools/{PROPERTY}/major")
    assert ("500068.265", 3 + 1, 1, 333, 0, 0) == tuple(
        pool[name] for name in ("display_cents", "number", "in_count", "in_cents", "hits", "wins_cents")
    )
    assert 1 == office.reconciliation()["pools"][0]["readings"]


def test_a_correction_takes_back_and_counts_again(office: Office) -> None:
    """In one batch or in two; the corrected round is compared at the time when it was played."""
    office.open_pool()
    first = SHARD.posted(1, before=500000, round_id="r-1")
    office.settle(
        first,
        SHARD.posted(2, before=500020),
        SHARD.reversed(3, first),
        SHARD.posted(4, before=500000, stakes=(300,), round_id="r-1", revision=2, opened=1, closed=1.5),
    )
    assert ("500082", []) == (office.shows(), office.exceptions())
    again = SHARD.posted(6, before=500000, stakes=(200,), round_id="r-1", revision=3, opened=1, closed=1.5)
    office.settle(SHARD.reversed(5, SHARD.posted(4, before=500000, round_id="r-1", revision=2, stakes=(300,))), again)
    assert ("500061.5", []) == (office.shows(), office.exceptions())
    office.reconciliation()


def test_a_round_without_meters_leads_to_nothing(office: Office) -> None:
    """Most rounds have no progressive wager: no entry, and no entry when they are taken back."""
    office.open_pool()
    plain = SHARD.posted(1, before=500000, stakes=(), lines=[], totals=[], meters={}, record={"seats": []})
    office.settle(plain, SHARD.reversed(2, plain))
    assert ["pool.approved", "pool.filed"] == sorted(office.kinds())


def test_a_meter_without_a_pool_waits_until_it_has_one(office: Office) -> None:
    """The record is refused with what to do; once a pool begins in the past and it is replayed, it counts."""
    event = SHARD.posted(1, before=500000)
    office.settle(event)
    [reason] = office.quarantined()
    assert "meter bad_beat_progressive of blackjack at BJ-01 fed no pool of riverside" in reason
    office.open_pool()
    report = office.reconciliation()
    assert 1 == report["input_open"]
    office.settle(event)
    assert ("500020.5", []) == (office.shows(), office.quarantined())


def test_what_was_refused_cannot_be_taken_back(office: Office) -> None:
    """A reversal of a round that was not counted waits for the round to be mended."""
    event = SHARD.posted(1, before=500000)
    office.settle(event, SHARD.reversed(2, event))
    assert "was not counted" in office.quarantined()[1]


def test_an_unknown_submission_is_refused(office: Office) -> None:
    """The rate is not guessed."""
    office.open_pool()
    office.settle(Shard(rules("0.3")).posted(1, before=500000))
    assert "is not known here" in office.quarantined()[0]


def test_an_award_of_no_known_meter_is_refused(office: Office) -> None:
    """Money that came off a meter must be some pool's."""
    office.open_pool()
    event = SHARD.posted(1, before=500000)
    event["data"]["totals"].append({"wager": "other", "count": 1, "payout_cents": 5, "meter_payout_cents": 5})
    office.settle(event)
    assert "5 cents came off meters, of which 0" in office.quarantined()[0]


def test_a_settlement_sent_twice_counts_once(office: Office) -> None:
    """Duplicates are dropped, missing ones are a gap that the reconciliation names."""
    office.open_pool()
    first, third = SHARD.posted(1, before=500000), SHARD.posted(3, before=500020)
    office.settle(first, first, third)
    assert ("500041", 1) == (office.shows(), office.reconciliation()["input_open"])


def test_two_meters_and_their_reserve(office: Office) -> None:
    """A paytable that fixes rate, reserve rate and seed; the reserve funds the reset, the rest is advanced."""
    changes = {"game": "face-up", "regulation": "pa-688a", "tables": ["FU-01"]}
    fixed = submission(2, submission={"wagers": {"progressive_payout": {"paytable": "4"}}}, **changes)
    office.learn(RULES, fixed)
    office.open_pool("seven", feed("FU-01", "face-up", "progressive_payout"), base_cents=1000000, reset_cents=1000000)
    seven = Shard(fixed, 3)
    where: dict[str, Any] = {"table": "FU-01", "game": "face-up", "meter": "progressive_payout", "rate": "0.01"}
    office.settle(
        seven.posted(1, before=1000000, stakes=(500, 500), **where),
        seven.posted(2, before=1000010, stakes=(500,), award=1000015, reset=1000000, **where),
        partition=2,
    )
    [row] = office.reconciliation()["pools"]
    assert ("1000000", "15", "1000000", "-999985") == tuple(
        row[f"{name}_cents"] for name in ("closing", "reserved", "reserve_used", "reserve_closing")
    )
    assert [] == office.exceptions()
