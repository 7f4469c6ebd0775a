"""What settled rounds add to the books: figures, how many there were, and lines."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.ingest.journals import Settlements
from services.reporting.read_model.measures import amounts_of
from services.reporting.read_model.rounds import RoundEntry, Sums, round_entry
from tests.unit.reporting.entries import Shard, total

SHARD = Shard()
decode = Settlements.reader.decode
PLACE = (SHARD.posted(1, "BJ-01", [])["data"]["gaming_day"], "riverside", "BJ-01", "blackjack")
UNDER = (1, "a" * 64)


def _entry(event: dict[str, Any]) -> RoundEntry:
    read: Any = decode(json.dumps(event).encode())
    return round_entry(read, read.data, "day")


def _sums(*events: dict[str, Any]) -> Sums:
    sums = Sums()
    for event in events:
        sums.add(_entry(event))
    return sums


def _by_wager(sums: Sums) -> dict[str, list[int]]:
    return {key[-1]: figures for key, figures in sums.wagers.items()}


def test_every_total_of_the_contract_is_added_up() -> None:
    """Each amount of a wager's total lands in its own sum, by shift and submission; some of them also by who dealt."""
    amounts = {
        "vigorish": 3,
        "meter_contribution": 4,
        "meter_payout": 5,
        "meter_reset": 6,
        "account_staked": 7,
        "account_credited": 8,
        "banked_handle": 9,
        "banked_payout": 10,
        "bank_collected": 11,
        "bank_paid": 12,
        "house_in_bank": 13,
    }
    one = SHARD.posted(1, "BJ-01", [total("blackjack", handle=1, payout=2, **amounts)], dealer_id="d-1")
    other = SHARD.posted(2, "BJ-01", [total(handle=10, payout=20)], dealer_id="d-1")
    elsewhere = SHARD.posted(3, "BJ-02", [total(handle=30, payout=40)], dealer_id="d-1")
    sums = _sums(one, other, elsewhere)
    [(key, figures), (of_other_table, _)] = sums.wagers.items()
    assert ["BJ-01", "BJ-02"] == [key[2], of_other_table[2]]
    assert ("day", *UNDER, "blackjack") == key[4:]
    assert [2, 11, 22, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 2, 1 + 100] == figures
    [(key, figures)] = sums.dealers.items()
    assert ("d-1", key[3], *UNDER, "blackjack") == key[2:]
    assert [41, 62, 3, 3, 1 + 100 + 900] == figures


def test_a_reversal_takes_back_what_was_posted() -> None:
    """Figures, stakes and lines of a posting and its reversal come to zero; each is counted as one of its kind."""
    totals = [total(handle=100, payout=250, vigorish=5, meter_contribution=1)]
    sums = _sums(SHARD.posted(1, "BJ-01", totals, round_id="r-1"), SHARD.reversed(2, "BJ-01", totals, round_id="r-1"))
    assert {0} == {
        figure for sum_ in (*sums.wagers.values(), *sums.dealers.values(), *sums.lines.values()) for figure in sum_
    }
    assert [[1, 0, 1]] == list(sums.played.values())


def test_a_posting_with_a_correction_counts_as_corrected() -> None:
    """A corrected round is counted as posted and as corrected, also where it is posted for the first time."""
    first = SHARD.posted(4, "BJ-01", [], round_id="r-2")
    correction = {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"}
    late = first | {"data": first["data"] | {"correction": correction}}
    assert [[2, 2, 0]] == list(_sums(SHARD.posted(3, "BJ-01", [], round_id="r-1", revision=2), late).played.values())


@given(st.permutations(range(1, 12)))
def test_the_order_of_entries_does_not_matter(order: list[int]) -> None:
    """Whatever the order, the sums are the same."""

    def entry(seq: int) -> dict[str, Any]:
        return SHARD.posted(seq, f"BJ-0{seq % 3}", [total(handle=seq, payout=2 * seq)])

    expected, found = _sums(*map(entry, range(1, 12))), _sums(*map(entry, order))
    kinds = ("wagers", "dealers", "lines", "played")
    assert [getattr(expected, kind) for kind in kinds] == [getattr(found, kind) for kind in kinds]


def test_fields_that_the_publisher_adds_are_passed_over() -> None:
    """A newer publisher's fields do not stop the reports."""
    sums = _sums(SHARD.posted(1, "BJ-01", [total(handle=5, tip=1)], jackpot_pool="east"))
    assert [1, 5, 0] == _by_wager(sums)["blackjack"][:3]


def test_the_handle_is_laid_to_the_submission_that_was_wagered_under() -> None:
    """Each version has its part; what is taken back is taken from the version that it was posted under."""
    second = {"version": 2, "hash": "b" * 64}
    sums = _sums(
        SHARD.posted(1, "BJ-01", [total(handle=500), total("insurance")], round_id="r-1"),
        SHARD.posted(2, "BJ-01", [total(handle=300)], submission=second),
        SHARD.posted(3, "BJ-01", [total(handle=70)], submission=second, round_id="r-3"),
        SHARD.reversed(4, "BJ-01", [total(handle=70)], submission=second, round_id="r-3"),
    )
    handles = {key[5:]: figures[1] for key, figures in sums.wagers.items()}
    assert {(1, "a" * 64, "blackjack"): 500, (1, "a" * 64, "insurance"): 0, (2, "b" * 64, "blackjack"): 300} == handles


def test_lines_of_banks_and_void_lines_are_no_handle() -> None:
    """What the lines stake is what the totals call handle: not against a bank, not by the dealer, not void."""
    line = {"seat": 1, "wager": "pai_gow_poker", "outcome": "win", "stake": 100, "payout": 95, "stake_returned": 100}
    line |= {"from_meter": 0, "paid_by": "house", "category": "x"}
    others = ({"paid_by": "bank"}, {"wager": "bank"}, {"seat": 0}, {"outcome": "void"})
    event = SHARD.posted(1, "PG-01", [total("pai_gow_poker")], lines=[line, *(line | other for other in others)])
    assert [((*UNDER, "pai_gow_poker", "x"), [1, 100, 10_000, 195, 0])] == [
        (key[4:], figures) for key, figures in _sums(event).lines.items()
    ]


def test_a_void_before_any_posting_is_counted_by_game() -> None:
    """It has no money; the item of the measure is the game."""
    read: Any = decode(json.dumps(SHARD.voided(1, "BJ-01", "r-1")).encode())
    assert [("rounds_voided", 1, "BJ-01", "blackjack")] == [
        (one.measure, one.value, one.table, one.item) for one in amounts_of(read.data)
    ]
