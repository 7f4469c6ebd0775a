"""DJ Wild as it is played best: the published edge, a Blind paytable of one's own, and deals that are settled."""

from dataclasses import replace
from fractions import Fraction
from math import comb, sqrt
from random import Random
from typing import Any

from shared.cards import standard_deck
from shared.cards.ranking.deuces_wild import rank_with_wilds
from shared.rules import catalogue, compile_rules, parse_round, parse_submission, play
from shared.rules.dj_wild.play import play_ante, stands
from shared.rules.submission import select

REGULATION = "pa-687a"
SUBMISSION = parse_submission({})
SEED = 687
DEALS = 6_000


def test_the_house_edge_is_the_published_one() -> None:
    """About 3.5% of the Ante Wager, as an analyst counted; three hands in ten are folded."""
    found = play(REGULATION, "ante", SUBMISSION)
    assert ["3.47%", "1.02%"] == [f"{float(edge):.2%}" for edge in (found.house_edge, found.edge_of_all_staked)]
    assert ("ante", "blind", "raise") == found.wagers
    assert "30.68%" == f"{float(found.probability('folded')):.2%}"


def test_every_hand_is_raised_or_folded() -> None:
    """All 2,869,685 of them; only below two pair is any folded."""
    raised, folded = stands()
    assert comb(53, 5) == sum(stand.hands for decided in (raised, folded) for stand in decided.values())
    assert {"high_card", "pair"} == set(folded)
    assert "high_card" not in raised


def test_another_blind_paytable_is_priced_from_the_same_counts() -> None:
    """A straight that pays 2 to 1 adds what straights win; nothing else changes."""
    selection = select(catalogue(REGULATION), SUBMISSION)
    blind = selection.offers["blind"]
    rows = [
        row.model_copy(update={"odds": "2 to 1"}) if row.category == "straight" else row for row in blind.paytable.rows
    ]
    other = replace(blind, paytable=blind.paytable.model_copy(update={"rows": tuple(rows)}))
    changed = replace(selection, offers={**selection.offers, "blind": other})
    usual, more = (play_ante(one, one.offers["ante"]) for one in (selection, changed))
    deals = comb(53, 5) * comb(48, 5)
    assert usual.house_edge - more.house_edge == Fraction(stands()[0]["straight"].wins, deals)


def test_deals_that_are_settled_come_to_what_was_counted() -> None:
    """A pair of fours and better is raised, the best play but for some kickers; within four standard errors."""
    rules, chance, deck = compile_rules(REGULATION, SUBMISSION), Random(SEED), standard_deck(jokers=1)
    least = rank_with_wilds(["4s", "4h", "7c", "6d", "5c"])
    nets = []
    for _ in range(DEALS):
        cards = chance.sample(deck, 10)
        seat: dict[str, Any] = {"seat": 1, "player": "p", "cards": cards[:5], "wagers": {"ante": 1, "blind": 1}}
        if rank_with_wilds(cards[:5]) >= least:
            seat["wagers"]["raise"] = 2
        else:
            seat["folded"] = True
        record = {"seats": [seat], "dealer": {"cards": cards[5:]}}
        nets.append(sum(line.net for line in rules.settle(parse_round(REGULATION, record)).lines))
    found = play(REGULATION, "ante", SUBMISSION)
    error = found.standard_deviation / sqrt(DEALS)
    assert abs(sum(nets) / DEALS + float(found.house_edge)) < 4 * error, f"seed {SEED}"
