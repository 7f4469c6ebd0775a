"""What rounds assess, at which rate and rounding, and who owes it."""

from datetime import date
from typing import Any

import pytest

from services.vigorish.domain.assessing import assess, assessment, owed, rate_of
from shared.contracts.settlement_views import PostedRound
from shared.contracts.vigorish import AssessedLine, Rounding, VigorishAssessed
from shared.jurisdictions import gaming_pack
from shared.rules.errors import Refused
from shared.rules.pai_gow.vigorish import vigorish
from tests.support.properties import place, under_law
from tests.unit.vigorish.examples import VIGORISH
from tests.unit.vigorish.rounds import PROPERTY, bank_line, line, posted, rules

RULES = rules()
LAW = gaming_pack("us-pa")


def round_of(*lines: dict[str, Any], **changes: Any) -> PostedRound:
    """A posted round with these lines."""
    return PostedRound.model_validate(posted(1, RULES, lines, **changes)["data"])


def test_a_line_says_base_rate_rounding_and_result() -> None:
    """$12 won under rounding up to quarters: 5% are 60 cents, which are 75."""
    [found] = assess(round_of(line(3, 1200, 75), line(4, 500, 0, outcome="lose")), "quarter_up", LAW)
    assert (3, "player", 1200, "0.05", "quarter_up", 75, "§ 645a.13(a)", True) == (
        found.seat,
        found.owed_by,
        found.base_cents,
        found.rate,
        found.rounding,
        found.cents,
        found.rate_paragraph,
        found.agrees,
    )


def test_a_result_that_rate_and_rounding_do_not_make_is_marked() -> None:
    """The settlement counts; that it does not agree stands beside it."""
    [found] = assess(round_of(line(3, 1200, 60)), "quarter_up", LAW)
    assert (60, False) == (found.cents, found.agrees)


@pytest.mark.parametrize("rounding", ["none", "quarter_up"])
def test_every_amount_agrees_with_the_rules(rounding: Rounding) -> None:
    """The ledger's own arithmetic and the settlement's come to the same for every amount up to $50."""
    found = assess(round_of(*(line(1, won, vigorish(won, rounding)) for won in range(20, 5001))), rounding, LAW)
    assert all(one.agrees for one in found)
    assert 4981 == len(found)


def test_banks_are_apart() -> None:
    """A player whom a bank paid, the bank and a co-bank each have a class; banks have accounts of their own."""
    found = assess(
        round_of(line(1, 1000, 50, paid_by="bank"), bank_line(4, 2000, 100), bank_line(5, 600, 30, house_share=600)),
        "none",
        LAW,
    )
    assert ["player_against_bank", "bank", "co_bank"] == [one.owed_by for one in found]
    assert {(1, False): 50, (4, True): 100, (5, True): 30} == {key: cents for key, (cents, _) in owed(found).items()}
    fact = VigorishAssessed.model_validate(VIGORISH["vigorish.assessed"]["data"])
    money = assessment(fact.model_copy(update={"lines": found}))
    postings = {(p.account.wager, p.account.leg): p.cents for p in money}
    assert {
        ("player", "outstanding"): 50,
        ("player", "assessed"): -50,
        ("bank", "outstanding"): 130,
        ("bank", "assessed"): -130,
    } == postings


def test_a_regulation_without_a_rate_is_refused() -> None:
    """Nothing is guessed."""
    with pytest.raises(Refused, match="pack us-pa has no rate of vigorish for pa-686a"):
        rate_of(LAW, "pa-686a", date(2026, 11, 20))
    with pytest.raises(Refused, match="no rate of vigorish for ri-pai-gow: nothing is known for 2009-12-31"):
        rate_of(gaming_pack("us-ri"), "ri-pai-gow", date(2009, 12, 31))


def test_the_rate_is_that_of_the_propertys_own_law() -> None:
    """Another rate assesses another share; a regulation of another jurisdiction has none here."""
    dearer = under_law(place(PROPERTY), "vigorish.pa-645a-2011", "0.06").law
    found = [assess(round_of(line(3, 1200, 72)), "none", law)[0] for law in (LAW, dearer)]
    assert [("0.05", False), ("0.06", True)] == [(one.rate, one.agrees) for one in found]
    with pytest.raises(Refused, match="pack us-ri has no rate of vigorish for pa-645a-2011"):
        rate_of(gaming_pack("us-ri"), "pa-645a-2011", date(2026, 11, 20))


def test_a_round_without_vigorish_assesses_nothing() -> None:
    """No line, no rate needed."""
    nothing: tuple[AssessedLine, ...] = ()
    assert nothing == assess(round_of(line(1, 100, 0), regulation="pa-686a"), "none", LAW)
