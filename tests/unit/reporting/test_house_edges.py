"""House edges of what rules submissions offer: exact, or with the reason why not."""

from fractions import Fraction

import pytest

from services.reporting.domain.house_edges import edges_of, returns_as_text, returns_of_text
from shared.contracts.submissions import SubmissionApproved
from shared.rules import payback
from shared.rules.errors import Refused
from tests.support.rounds import submission


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
        edges["blackjack"].house_edge,
        "depends on how hands are played" in str(edges["blackjack"].reason),
    )


def test_what_the_regulation_does_not_allow_has_none() -> None:
    """A submission that could not be settled under is refused as a whole."""
    with pytest.raises(Refused, match="no_such_wager"):
        edges_of(_approved(decks=6, wagers={"no_such_wager": {}}))


def test_a_distribution_survives_the_database() -> None:
    """What is read back is what was counted, to the last fraction."""
    found = [edge.returns for edge in edges_of(_approved(decks=6, wagers={"royal_match_21": {"paytable": "E"}}))]
    counted = [one for one in found if one is not None]
    assert counted == [returns_of_text(returns_as_text(one)) for one in counted] != []
