"""House edges of what rules submissions offer: exact, else the best known, or with the reason why there is none."""

from fractions import Fraction

import pytest

from loadtest.floor.games import GAMES
from services.reporting.domain.house_edges import (
    HouseEdge,
    edges_of,
    played_of_texts,
    returns_as_text,
    returns_of_text,
)
from shared.contracts.submissions import SubmissionApproved
from shared.rules import game_of, parse_submission, payback
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.paybacks import paybacks
from shared.rules.play import MODEL_ERROR
from shared.rules.submission import select
from tests.support.rounds import submission

OFFERS = {name: offer for game in GAMES for name, offer in game.offers.items()}
OWN_WAY = {"options": {"house_way": "own"}}


def _approved(**selected: object) -> SubmissionApproved:
    return SubmissionApproved.model_validate(submission(submission=selected)["data"])


def test_every_wager_on_offer_has_a_house_edge_or_a_reason() -> None:
    """Side bets that the initial cards decide are counted; Blackjack depends on the play."""
    approved = _approved(decks=6, wagers={"royal_match_21": {"paytable": "E"}, "kings_bounty": {}})
    edges = {edge.wager: edge for edge in edges_of(approved)}
    assert {"blackjack", "insurance", "royal_match_21", "kings_bounty"} == edges.keys()
    # 96 tens among the 311 cards besides the ace, paid 2 to 1
    assert 1 - Fraction(96, 311) * 3 == edges["insurance"].house_edge
    assert 1 - payback("pa-633a-2024", "royal_match_21", approved.submission) == edges["royal_match_21"].house_edge
    assert ("E", approved.hash) == (edges["royal_match_21"].paytable, edges["royal_match_21"].submission)
    assert ["required", "always", "optional", "optional"] == [
        edges[wager].offered for wager in ("blackjack", "insurance", "royal_match_21", "kings_bounty")
    ]
    assert (None, True) == (
        edges["blackjack"].returns,
        "depends on how hands are played" in str(edges["blackjack"].reason),
    )


def _edges(regulation: str, **selected: object) -> dict[str, HouseEdge]:
    approved = submission(regulation=regulation, submission=selected)["data"]
    return {edge.wager: edge for edge in edges_of(SubmissionApproved.model_validate(approved))}


def test_a_wager_that_is_played_has_the_edge_of_all_that_is_staked_on_it() -> None:
    """Doubles and splits are handle: the registry's payback of the first stake is spread over all of them."""
    wager = _edges("pa-633a-2024", decks=6)["blackjack"]
    [counted] = [
        one.play for one in paybacks("pa-633a-2024", _approved(decks=6).submission) if one.offer.name == "blackjack"
    ]
    assert counted is not None
    assert wager.house_edge is not None
    assert 1 - counted.payback == wager.house_edge * counted.staked
    assert 1 < counted.staked
    # the registry's error of 0.02 points is a maximum: three standard errors
    assert ("by_model", "0.0059", None) == (wager.counted, wager.error_shown, wager.lacks)
    assert abs(MODEL_ERROR / 3 / counted.staked - wager.standard_error) < Fraction(1, 10**12)


def test_a_sampled_wager_has_the_standard_error_of_its_sample() -> None:
    """Pai Gow Poker: too many hands to count."""
    wager = _edges("pa-645a-2011", **OFFERS["pai-gow"])["pai_gow_poker"]
    [counted] = [
        one.play
        for one in paybacks("pa-645a-2011", parse_submission(OFFERS["pai-gow"]))
        if one.offer.name == "pai_gow_poker"
    ]
    assert counted is not None
    assert ("sampled", counted.house_edge) == (wager.counted, wager.house_edge)
    assert abs(Fraction(counted.standard_error) - wager.standard_error) < Fraction(1, 10**12)
    assert wager.standard_error > 0


def test_wagers_that_are_only_made_together_share_one_edge() -> None:
    """Ante, blind and raise of DJ Wild: what they keep of all their stakes is what the ante keeps, as registered."""
    edges = _edges("pa-687a", **OFFERS["dj-wild"])
    together = [edges[wager] for wager in ("ante", "blind", "raise")]
    assert {"ante"} == {one.counted_with for one in together}
    [keeps] = {one.house_edge for one in together}
    [counted] = [
        one.play for one in paybacks("pa-687a", parse_submission(OFFERS["dj-wild"])) if one.offer.name == "ante"
    ]
    assert counted is not None
    assert keeps is not None
    assert counted.house_edge == keeps * counted.staked
    assert {("exactly", Fraction(0))} == {(one.counted, one.standard_error) for one in together}


def test_a_progressive_wager_has_its_edge_in_the_long_run() -> None:
    """Over all readings of the meter, which pays out what is put onto it; not the one at the reset amount."""
    game = game_of("pa-645a-2011")
    selection = select(catalogue("pa-645a-2011"), parse_submission(OFFERS["pai-gow"]))
    counted = game.progressive(selection, "progressive_payout")
    wager = _edges("pa-645a-2011", **OFFERS["pai-gow"])["progressive_payout"]
    assert counted.in_the_long_run is not None
    assert wager.house_edge == 1 - counted.in_the_long_run != counted.at(counted.reset_cents).house_edge
    assert "exactly" == wager.counted


def test_a_meter_that_pays_fixed_amounts_has_its_edge_at_the_reset_amount() -> None:
    """The long run then depends on the readings, and the registry knows the payback of a reading alone."""
    offer = OFFERS["pai-gow-rhode-island"]
    selection = select(catalogue("ri-pai-gow"), parse_submission(offer))
    counted = game_of("ri-pai-gow").progressive(selection, "progressive_payout")
    assert None is counted.in_the_long_run
    wager = _edges("ri-pai-gow", **offer)["progressive_payout"]
    assert counted.at(counted.reset_cents).house_edge == wager.house_edge


def test_a_wager_that_nobody_counted_lacks_a_house_edge_and_says_why() -> None:
    """A house way of the licensee's own was not sampled."""
    wager = _edges("pa-645a-2011", **OWN_WAY)["pai_gow_poker"]
    assert (None, None, Fraction(0)) == (wager.house_edge, wager.counted, wager.standard_error)
    assert "house way" in str(wager.lacks)


OWN_EDGE = {"wager": "pai_gow_poker", "house_edge_percent": "2.7", "source": "GLI report 7"}


def test_the_licensees_own_value_is_the_house_edge_where_the_registry_has_none() -> None:
    """It is no exact distribution and has no standard error, and the reason why the registry has none stays."""
    data = submission(regulation="pa-645a-2011", submission=OWN_WAY, stated_house_edges=[OWN_EDGE])["data"]
    [wager] = edges_of(SubmissionApproved.model_validate(data))
    assert (Fraction(27, 1000), "stated", None, None) == (
        wager.house_edge,
        wager.counted,
        wager.error_shown,
        wager.why_none,
    )
    assert (None, True, "GLI report 7") == (wager.returns, "house way" in str(wager.lacks), wager.stated.source)  # type: ignore[union-attr]


def test_the_licensees_own_value_never_replaces_what_the_registry_counts() -> None:
    """A release may count a wager for which a value was stated before: that one stays beside the registry's."""
    named = {"options": {"house_way": "standard"}}
    data = submission(regulation="pa-645a-2011", submission=named, stated_house_edges=[OWN_EDGE])["data"]
    [wager] = edges_of(SubmissionApproved.model_validate(data))
    assert _edges("pa-645a-2011", **named)["pai_gow_poker"].house_edge == wager.house_edge != Fraction(27, 1000)
    assert wager.stated is not None
    assert ("sampled", "2.7") == (wager.counted, wager.stated.house_edge_percent)


def test_a_played_edge_survives_the_database() -> None:
    """What is read back is what was counted, to the last fraction."""
    found = [edge.played for edge in _edges("pa-645a-2011", **OFFERS["pai-gow"]).values() if edge.played is not None]
    texts = ((str(one.house_edge), str(one.standard_error), one.counted, one.counted_with) for one in found)
    assert found == [played_of_texts(*one) for one in texts] != []


def test_what_the_regulation_does_not_allow_has_none() -> None:
    """A submission that could not be settled under is refused as a whole."""
    with pytest.raises(Refused, match="no_such_wager"):
        edges_of(_approved(decks=6, wagers={"no_such_wager": {}}))


def test_a_distribution_survives_the_database() -> None:
    """What is read back is what was counted, to the last fraction."""
    found = [edge.returns for edge in edges_of(_approved(decks=6, wagers={"royal_match_21": {"paytable": "E"}}))]
    counted = [one for one in found if one is not None]
    assert counted == [returns_of_text(returns_as_text(one)) for one in counted] != []
