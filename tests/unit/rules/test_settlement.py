"""A settlement keeps money together."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from shared.rules import Contribution, Line, Settlement

WIN = Line(seat=1, wager="blackjack", outcome="win", stake=1000, payout=1500, stake_returned=1000, paragraph="§ 1")


def settlement(**changes: Any) -> Settlement:
    """Return a settlement of one progressive wager that took 300 off a meter of 1000, with parts changed."""
    line = replace(WIN, wager="progressive", payout=300, stake_returned=0, stake=100, from_meter=300)
    parts: dict[str, Any] = {
        "lines": (line,),
        "meters": {"progressive": 720},
        "contributions": (Contribution(seat=1, wager="progressive", meter="progressive", cents=20),),
        "meter_resets": {},
        "meters_before": {"progressive": 1000},
    }
    return Settlement(**(parts | changes))


def test_money_is_conserved_between_players_house_and_meters() -> None:
    """The meter gains 20 and loses 300; the house keeps the stake and pays the contribution."""
    settled = settlement()
    assert (200, 80, 0, -280) == (settled.players_net, settled.house_net, settled.bank_net, settled.meters_net)


@pytest.mark.parametrize(
    "changes",
    [{"meters": {"progressive": 721}}, {"contributions": ()}, {"meter_resets": {"progressive": 1}}],
)
def test_money_that_appears_is_a_bug(changes: dict[str, object]) -> None:
    """A meter that shows what nobody put there stops the settlement."""
    with pytest.raises(AssertionError, match="money is not conserved"):
        settlement(**changes)


def test_a_round_that_a_player_banks() -> None:
    """The center passes what the bank wins from the players and the dealer's wager; vigorish goes to the house."""
    lost = Line(1, "pai_gow_poker", "lose", 1000, 0, 0, "§ 1", paid_by="bank")
    dealer = Line(0, "dealer_wager", "win", 400, 400, 400, "§ 1", paid_by="bank")
    bank = Line(3, "bank", "win", 0, 600, 0, "§ 1", vigorish=30)
    settled = Settlement(lines=(lost, dealer, bank), meters={}, contributions=(), meter_resets={}, meters_before={})
    assert (-1000, 430, 570) == (settled.players_net, settled.house_net, settled.bank_net)
    with pytest.raises(AssertionError, match="money is not conserved"):
        replace(settled, lines=(lost, dealer, replace(bank, payout=601)))


def test_a_co_banked_round_shares_with_the_house() -> None:
    """The house takes its share of the surplus, or puts it into the shortage."""
    lost = Line(1, "pai_gow_poker", "lose", 1000, 0, 0, "§ 1", paid_by="bank")
    bank = Line(3, "bank", "win", 0, 500, 0, "§ 1", house_share=500)
    settled = Settlement(lines=(lost, bank), meters={}, contributions=(), meter_resets={}, meters_before={})
    assert (-1000, 500, 500) == (settled.players_net, settled.house_net, settled.bank_net)


def test_a_line_as_a_document_has_the_field_names_of_the_record() -> None:
    """What is as by default is not there; ROUND.md says what that is."""
    assert {
        "seat": 1,
        "wager": "blackjack",
        "outcome": "win",
        "stake": 1000,
        "payout": 1500,
        "stake_returned": 1000,
        "paragraph": "§ 1",
    } == WIN.as_document()
    more: dict[str, Any] = {"hand": 2, "category": "blackjack", "vigorish": 50, "from_meter": 500, "house_share": 5}
    more["paid_by"] = "bank"
    assert {**WIN.as_document(), **more} == replace(WIN, **more).as_document()


def test_the_net_of_a_line_is_the_players() -> None:
    """Payout and returned stake, less stake and vigorish."""
    assert replace(WIN, vigorish=75).net == 1425


def test_a_line_cannot_be_changed() -> None:
    """What was settled stays settled."""
    line: Any = WIN
    with pytest.raises(FrozenInstanceError):
        line.payout = 0
