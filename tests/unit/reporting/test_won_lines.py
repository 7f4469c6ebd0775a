"""Which lines of a posted round are kept because their winnings may have to be reported."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.federal.winnings import SettledLine, candidates
from services.reporting.ingest.journals import Settlements
from services.reporting.read_model.rounds import round_entry
from services.reporting.read_model.winnings import WonLines
from shared.contracts.facts import EntryEvent
from shared.contracts.settlement_views import PostedRound
from tests.support.packs import changed, dated
from tests.support.properties import place
from tests.support.rounds import encoded
from tests.unit.reporting.entries import NOON, Shard

HERE = place()
LAW = HERE.reporting[0]


def line(stake: int, payout: int, **more: Any) -> dict[str, Any]:
    """A line of a settlement, cents; the stake goes back with what was paid."""
    back = stake if payout else 0
    said = {"seat": 1, "wager": "exact", "stake": stake, "payout": payout, "stake_returned": back, "from_meter": 0}
    return said | {"paid_by": "house", "outcome": "win" if payout else "lose"} | more


def posted(*lines: dict[str, Any], **more: Any) -> EntryEvent[PostedRound]:
    """A posted round with these lines, as reporting reads it."""
    event = Shard().posted(1, "BJ-01", [], round_id="r-1", lines=list(lines), **{"regulation": "pa-686a"} | more)
    return cast("EntryEvent[PostedRound]", Settlements.reader.decode(encoded(event)))


def numbers(*lines: dict[str, Any], law: Any = LAW) -> list[int]:
    """The numbers of the lines that are kept."""
    event = posted(*lines)
    under = type(HERE)(HERE.document, HERE.law, (law,))
    back_cents = round_entry(event, event.data, "day").back_cents()
    return [row["number"] for row in WonLines().of_round(event, event.data, under, back_cents)]


def test_what_reaches_the_threshold_is_kept() -> None:
    """By its number among all lines; not what a banking player pays, nor what is below the ratio."""
    bank = line(500, 250_000, paid_by="bank")
    small = line(1_000_000, 1_000_000, wager="even"), line(100, 50_000, seat=2)
    assert [2] == numbers(bank, line(500, 250_000), *small)
    assert [] == numbers(line(500, 0), bank)


def test_all_lines_of_a_win_are_kept() -> None:
    """Of two Envy Bonuses neither reaches the threshold, and both together do; no line that lost."""
    bonus = line(0, 120_000, wager="envy_bonus"), line(0, 80_000, wager="envy_bonus")
    assert [1, 3] == numbers(bonus[0], line(500, 0, wager="envy_bonus"), bonus[1], line(0, 120_000))


def test_a_wager_that_is_left_in_the_winnings_keeps_the_line_too() -> None:
    """The licensee may choose either when the log is read: $4 at 499 to 1 is $2,000 with the wager."""
    assert [1] == numbers(line(400, 199_600))


def test_wagers_that_are_looked_at_together_are_kept_together() -> None:
    """All of the seat, those that lost too; no other seat."""
    together = changed(LAW, {"reportable_winnings.w_2g_table_wager.combined": [dated("seat_and_round")]})
    lines = line(100, 150_000), line(200, 0, wager="even"), line(100, 60_000, wager="odd"), line(100, 0, seat=2)
    assert ([], [1, 2, 3]) == (numbers(*lines), numbers(*lines, law=together))


def test_a_pack_that_does_not_reach_back_keeps_nothing() -> None:
    """It says nothing of the day, and reading goes on."""
    later = {"reportable_winnings.w_2g_table_wager.backup_withholding_rate": [dated("0.24", "2027-01-01")]}
    assert [] == numbers(line(500, 250_000), law=changed(LAW, later))
    later["reportable_winnings.w_2g_table_wager.threshold_cents"] = [dated(60_000, "2027-01-01")]
    assert [] == numbers(line(500, 250_000), law=changed(LAW, later))


amounts = st.tuples(st.integers(1, 2_000), st.integers(0, 1_000_000))


def test_small_wins_of_accounts_are_kept_too() -> None:
    """Of games that Form 1042-S does not exclude, by line; of chips nobody knows whose they are, and a loss is none."""
    lines = line(1000, 1000), line(500, 0), line(500, 250_000, seat=2), line(1000, 1000, seat=3)
    of_seat = [
        {"account": f"ga-{seat}", "seat": seat, "wager": "exact", "staked_cents": 1, "credited_cents": 1}
        for seat in (1, 2)
    ]
    event = posted(*lines, account_credits=of_seat)
    rows = WonLines().of_round(event, event.data, HERE, round_entry(event, event.data, "day").back_cents())
    assert [(1, True, "ga-1"), (3, False, "ga-2")] == [(row["number"], row["small"], row["account"]) for row in rows]


def test_wagers_of_an_excluded_game_itself_are_not_kept() -> None:
    """An even-money win at blackjack is reported of nobody."""
    won = line(1000, 1000, wager="blackjack")
    credit = {"account": "ga-1", "seat": 1, "wager": "blackjack", "staked_cents": 1000, "credited_cents": 2000}
    event = posted(won, account_credits=[credit], game="blackjack", regulation="pa-633a-2024")
    assert [] == list(WonLines().of_round(event, event.data, HERE, 2000))


@given(st.lists(amounts, min_size=1, max_size=6), st.booleans())
def test_no_candidate_is_left_out(paid: list[tuple[int, int]], is_reduced: bool) -> None:
    """Whatever the licensee chooses: the log finds in the kept lines what it would find in all."""
    lines = [line(stake, payout, seat=number) for number, (stake, payout) in enumerate(paid, 1)]
    settled = [
        SettledLine(
            *("riverside", "BJ-01", "blackjack", "pa-686a", "r-1", number, "exact", None),
            *(one["stake"], one["payout"], one["stake_returned"], NOON.date(), NOON, NOON.date()),
            reduced_by_wager=is_reduced,
        )
        for number, one in enumerate(lines, 1)
    ]
    found = {one.lines[0].seat for one in candidates(LAW, settled)}
    assert found <= set(numbers(*lines))
