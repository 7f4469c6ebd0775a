"""Reportable winnings: candidates for Forms W-2G and 1042-S, what is withheld, and the log of forms."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest

from services.reporting.domain.federal.winnings import Candidate, SettledLine, Withholding, candidates
from services.reporting.domain.law import unconfirmed
from services.reporting.reports.winnings.forms import forms
from shared.contracts.treaties import TreatyClaim
from shared.jurisdictions import pack
from tests.support.packs import changed, dated

LAW = pack("us-federal")
W_2G = "reportable_winnings.w_2g_table_wager"
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)


def line(stake: int, odds: float = 0, *, minutes: int = 0, returned: int | None = None, **changes: Any) -> SettledLine:
    """A side bet of a stake, dollars, that was paid at odds to 1; that lost at 0, unless its stake was returned."""
    said: dict[str, Any] = {
        "property": "riverside",
        "table": "OU-01",
        "game": "over-under",
        "regulation": "pa-686a",
        "round_id": f"r-{minutes}",
        "seat": 3,
        "wager": "exact",
        "hand": None,
        "gaming_day": date(2026, 11, 20),
        "moment": NOON + timedelta(minutes=minutes),
        "paid_on": date(2026, 11, 20),
        "reduced_by_wager": True,
    }
    back = stake * bool(odds) if returned is None else returned
    winnings = round(stake * odds * 100)
    return SettledLine(
        **said | changes, stake_cents=stake * 100, winnings_cents=winnings, stake_returned_cents=back * 100
    )


def amounts(*lines: SettledLine) -> list[int]:
    """The amounts of the candidates, dollars."""
    return [found.amount_cents // 100 for found in candidates(LAW, lines)]


@pytest.mark.parametrize(
    ("stake", "odds", "paid_on", "expected"),
    [
        (5, 500, "2026-11-20", [2500]),
        (1, 500, "2026-11-20", []),
        (4, 500, "2026-11-20", [2000]),
        (3, 666, "2026-11-20", []),
        (10_000, 1, "2026-11-20", []),
        (100, 299, "2026-11-20", []),
        (100, 300, "2026-11-20", [30_000]),
        (2, 500, "2025-12-31", [1000]),
        (2, 500, "2026-01-01", []),
        (2, 300, "2025-12-31", [600]),
    ],
)
def test_both_the_amount_and_the_ratio_decide(stake: int, odds: int, paid_on: str, expected: list[int]) -> None:
    """$2,000 since 2026 and $600 before, and 300 times the wager: $5 at 500 to 1 is a form, $1 is none."""
    assert expected == amounts(line(stake, odds, paid_on=date.fromisoformat(paid_on)))


def test_the_date_of_payment_has_the_threshold() -> None:
    """The gaming day of New Year's Eve lasts into the year of the new threshold."""
    eve = date(2025, 12, 31)
    assert [] == amounts(line(2, 500, gaming_day=eve, paid_on=date(2026, 1, 1)))
    assert [1000] == amounts(line(2, 500, gaming_day=eve, paid_on=eve))


def test_the_licensee_may_leave_the_wager_in() -> None:
    """Then what came back counts, the stake with it: more is reported, never less."""
    assert [2500] == amounts(line(5, 500))
    assert [2505] == amounts(line(5, 500, reduced_by_wager=False))
    assert ([], [2000]) == (amounts(line(4, 499)), amounts(line(4, 499, reduced_by_wager=False)))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("always", [2500, 2500, 2500]),
        ("unless_payer_declines", [2500, 2505, 2500]),
        ("if_payer_chooses", [2500, 2505, 2505]),
        ("never", [2505, 2505, 2505]),
    ],
)
def test_law_says_whose_choice_it_is_and_what_holds_without_one(rule: str, expected: list[int]) -> None:
    """Where the rule decides, the licensee's choice changes nothing; where it made none, the rule says what holds."""
    law = changed(LAW, {f"{W_2G}.reduced_by_wager": [dated(rule)]})
    found = [candidates(law, [line(5, 500, reduced_by_wager=choice)])[0] for choice in (True, False, None)]
    assert expected == [one.amount_cents // 100 for one in found]


def test_what_holds_without_a_choice_is_that_of_the_day_of_payment() -> None:
    """A change of the law is another dated value."""
    law = changed(LAW, {f"{W_2G}.reduced_by_wager": [dated("never"), dated("always", "2026-06-01")]})
    days = date(2026, 5, 31), date(2026, 6, 1)
    found = [candidates(law, [line(5, 500, paid_on=day)])[0].amount_cents for day in days]
    assert [2505_00, 2500_00] == found


def test_a_candidate_says_by_which_law() -> None:
    """Form, exact ratio, and each value that was applied, with its doubts."""
    [found] = candidates(LAW, [line(5, 500)])
    assert ("w_2g_table_wager", "w_2g", 500, Fraction(500)) == (
        found.rule,
        found.form,
        found.stake_cents,
        found.ratio,
    )
    applied = {one.place: one.value for one in found.applied}
    assert ("200000", "300", "if_payer_chooses") == tuple(
        applied[f"{W_2G}.{what}"] for what in ("threshold_cents", "wager_ratio", "reduced_by_wager")
    )
    assert f"{W_2G}.threshold_cents" in [one.place for one in unconfirmed(found.applied)]
    assert applied["forms.w_2g"].startswith("Certain Gambling Winnings (W-2G)")


@pytest.mark.parametrize(
    ("stake", "odds", "expected"),
    [
        (5, 500, Withholding("backup", Fraction(24, 100), 2_500_00, 600_00)),
        (10, 500, Withholding("backup", Fraction(24, 100), 5_000_00, 1_200_00)),
        (20, 500, Withholding("regular", Fraction(24, 100), 10_000_00, 2_400_00)),
    ],
)
def test_above_an_amount_something_is_withheld(stake: int, odds: int, expected: Withholding) -> None:
    """24% above $5,000 net of the wager; below it only of who gives no number."""
    [found] = candidates(LAW, [line(stake, odds)])
    assert (expected,) == found.withholdings


def test_regular_withholding_is_net_of_the_wager_whatever_is_reported() -> None:
    """With the wager left in, $5,010 are reported of $10 at 500 to 1: above $5,000 lies nothing that was won."""
    [below] = candidates(LAW, [line(10, 500, reduced_by_wager=False)])
    assert (Withholding("backup", Fraction(24, 100), 5_010_00, 1_202_40),) == below.withholdings
    [above] = candidates(LAW, [line(20, 500, reduced_by_wager=False)])
    assert (10_020_00, 10_000_00) == (above.amount_cents, above.withholdings[0].base_cents)


@pytest.mark.parametrize(
    ("stake", "odds", "kind"), [(20, 299, "backup"), (20, 300, "regular"), (20, 301, "regular"), (100, 299, "backup")]
)
@pytest.mark.parametrize("choice", [False, None])
def test_regular_withholding_takes_winnings_net_of_the_wager_that_reach_the_ratio(
    stake: int, odds: int, kind: str, choice: bool | None
) -> None:
    """$20 at 299 to 1, with the wager left in, are reported as 300 times the wager; what was won is 299 times."""
    [found] = candidates(LAW, [line(stake, odds, reduced_by_wager=choice)])
    assert stake * (odds + 1) * 100 == found.amount_cents
    assert [kind] == [one.kind for one in found.withholdings]


def test_a_bonus_without_a_stake_has_no_ratio() -> None:
    """The threshold alone decides."""
    bonus = replace(line(0), winnings_cents=2_000_00)
    [found] = candidates(LAW, [bonus])
    assert None is found.ratio
    assert () == candidates(LAW, [replace(bonus, winnings_cents=1_999_99)])


def test_wagers_are_looked_at_alone() -> None:
    """What a hand won in total is nothing that is reported; the order is that of the moments."""
    lines = [line(5, 500, minutes=9), line(1, 1999, wager="over"), line(100, 0, wager="under"), line(7, 400, minutes=3)]
    assert [2800, 2500] == amounts(*(replace(one, round_id="r-1", wager=f"{one.wager}-{one.moment}") for one in lines))


def test_the_lines_of_one_wager_are_one_win() -> None:
    """Envy Bonuses for two other hands: neither reaches $2,000; what a split hand lost is not taken off."""
    bonus = replace(line(0, wager="envy_bonus"), winnings_cents=1_200_00)
    [found] = candidates(LAW, [bonus, replace(bonus, winnings_cents=1_000_00), replace(bonus, seat=4)])
    assert (2_200_00, None, 2) == (found.amount_cents, found.ratio, len(found.lines))
    [hands] = foreign(line(10, 1, hand=1), line(10, hand=2), line(10, 1.5, hand=3))
    assert (25_00, 20_00, 7_50) == (hands.amount_cents, hands.stake_cents, hands.withholdings[0].amount_cents)


def test_wagers_are_combined_where_the_rule_says_so() -> None:
    """All of a seat in a round, from that day on: what came back less all that was wagered, by all that was wagered."""
    law = changed(LAW, {f"{W_2G}.combined": [dated("each_wager_alone"), dated("seat_and_round", "2026-06-01")]})
    lines = [line(3, 700), line(4, wager="over"), line(2, 999, seat=4)]
    assert () == candidates(law, lines)  # $2,100 less $4 that lost is below 300 times $7, and $1,998 below $2,000
    [found] = candidates(law, [lines[0], replace(lines[1], stake_returned_cents=4_00), lines[2]])
    assert (2_100_00, 7_00, Fraction(300), 2) == (
        found.amount_cents,
        found.stake_cents,
        found.ratio,
        len(found.lines),
    )
    earlier = [replace(one, paid_on=date(2026, 5, 31)) for one in lines]
    assert [(2_100_00, 1)] == [(found.amount_cents, len(found.lines)) for found in candidates(law, earlier)]


def foreign(*lines: SettledLine) -> list[Candidate]:
    """The candidates for Form 1042-S where these were won by a nonresident alien."""
    found = candidates(LAW, [replace(one, nonresident_alien=True) for one in lines])
    return [one for one in found if one.form == "form_1042_s"]


def test_nonresident_aliens_have_a_form_of_their_own() -> None:
    """Whatever the amount, 30% is withheld; nothing of it where the winner is not known to be one."""
    [found] = foreign(line(10, 1))
    assert (10_00, (Withholding("regular", Fraction(30, 100), 10_00, 3_00),)) == (
        found.amount_cents,
        found.withholdings,
    )
    assert () == candidates(LAW, [line(10, 1)])


def test_excluded_games_are_not_reported() -> None:
    """Blackjack is on the list: its own wagers, that is; whether its side bets are is open, so they are reported."""
    blackjack = line(10, 1.5, regulation="pa-633a-2024", wager="blackjack")
    insurance, side_bet = replace(blackjack, wager="insurance"), replace(blackjack, wager="twenty_point_bonus")
    assert ["twenty_point_bonus"] == [found.lines[0].wager for found in foreign(blackjack, insurance, side_bet)]
    [found] = foreign(side_bet)
    assert "reportable_winnings.form_1042_s_winnings.excluded_wagers" in [
        one.place for one in unconfirmed(found.applied)
    ]


def test_side_bets_are_excluded_where_the_pack_says_so() -> None:
    """Then all of the game is."""
    law = changed(LAW, {"reportable_winnings.form_1042_s_winnings.excluded_wagers": [dated("all")]})
    side_bet = line(10, 25, regulation="pa-633a-2024", wager="twenty_point_bonus", nonresident_alien=True)
    assert () == candidates(law, [side_bet])


def test_before_the_first_law_nothing_is_guessed() -> None:
    """The rate of withholding is known since 2018."""
    with pytest.raises(LookupError, match="nothing is known for 2017-12-31"):
        candidates(LAW, [line(5, 500, paid_on=date(2017, 12, 31))])


WON = [
    line(5, 500, patron="p-1"),
    line(20, 500, minutes=1, patron="p-1"),
    line(5, 500, minutes=2),
    line(5, 500, minutes=3),
    line(5, 500, minutes=4, patron="p-1", gaming_day=date(2026, 11, 21), paid_on=date(2026, 11, 21)),
]


def test_each_win_has_a_form_of_its_own() -> None:
    """Numbered in the order of the wins, with what is withheld."""
    found = forms(candidates(LAW, WON), first_number=41)
    assert [41, 42, 43, 44, 45] == [one.number for one in found]
    assert [(2_500_00, 0, 600_00), (10_000_00, 2_400_00, 0)] == [
        (one.amount_cents, one.regular_cents, one.backup_cents) for one in found[:2]
    ]


def test_wins_of_a_patron_and_day_may_share_a_form() -> None:
    """The licensee's choice; of an unidentified person each has its own, and another gaming day or year has another."""
    found = forms(candidates(LAW, WON), aggregated_on=lambda _: True)
    assert [(1, "p-1", 2), (2, None, 1), (3, None, 1), (4, "p-1", 1)] == [
        (one.number, one.patron, len(one.candidates)) for one in found
    ]
    assert (12_500_00, 2_400_00, 600_00) == (found[0].amount_cents, found[0].regular_cents, found[0].backup_cents)
    eve = [
        line(20, 500, patron="p-1", gaming_day=date(2025, 12, 31), paid_on=paid, minutes=minutes)
        for minutes, paid in enumerate((date(2025, 12, 31), date(2026, 1, 1)))
    ]
    assert [2025, 2026] == [one.year for one in forms(candidates(LAW, eve), aggregated_on=lambda _: True)]


def claimed(country: str, paid_on: date = date(2026, 11, 20), **changes: Any) -> Candidate:
    """What a nonresident alien won, who claims relief under the treaty with a country."""
    claim = TreatyClaim(country=country, article="21", signed_on=date(2023, 1, 1), valid_until=date(2029, 12, 31))
    said: dict[str, Any] = {
        "nonresident_alien": True,
        "residence": country,
        "has_number": True,
        "treaty": claim,
    } | changes
    [found] = candidates(LAW, [line(5, 500, paid_on=paid_on, **said)], "nonresident_alien")
    return found


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (claimed("DE"), ("DE", Fraction(0), 0)),
        (claimed("CA"), (None, Fraction(3, 10), 750_00)),
        (claimed("DE", has_number=False), (None, Fraction(3, 10), 750_00)),
        (claimed("DE", residence="FR"), (None, Fraction(3, 10), 750_00)),
        (claimed("DE", paid_on=date(2030, 1, 1)), (None, Fraction(3, 10), 750_00)),
        (claimed("DE", treaty=None), (None, Fraction(3, 10), 750_00)),
        (claimed("HU", paid_on=date(2023, 12, 31)), ("HU", Fraction(0), 0)),
        (claimed("HU", paid_on=date(2024, 1, 1)), (None, Fraction(3, 10), 750_00)),
        (claimed("RU", paid_on=date(2024, 8, 15)), ("RU", Fraction(0), 0)),
        (claimed("RU", paid_on=date(2024, 8, 16)), (None, Fraction(3, 10), 750_00)),
    ],
)
def test_a_treaty_gives_relief_where_it_is_claimed(
    found: Candidate, expected: tuple[str | None, Fraction, int]
) -> None:
    """As the list of the day of payment has it; without a claim that holds, 30% is withheld."""
    [withheld] = found.withholdings
    assert expected == (found.treaty, withheld.rate, withheld.amount_cents)
    has_list = "reportable_winnings.form_1042_s_winnings.treaty_rates" in [one.place for one in found.applied]
    assert has_list is (found.treaty is not None)


def test_what_a_treaty_gives_relief_on_is_a_form_of_its_own() -> None:
    """Also where all winnings of a gaming day are on one."""
    found = [claimed("DE", patron="p-1"), claimed("DE", treaty=None, patron="p-1"), claimed("DE", patron="p-1")]
    log = forms(found, aggregated_on=lambda _: True)
    assert [(2, 0), (1, 750_00)] == [(len(one.candidates), one.regular_cents) for one in log]
