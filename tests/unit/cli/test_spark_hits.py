"""`pitledger spark hits`: the counts of an archive beside the exact probabilities of the rows."""

from typing import Any

from services.cli.spark.hits import against_probabilities
from shared.contracts.submissions import SubmissionApproved
from shared.rules import returns
from tests.support.rounds import submission

WAGER = "kings_bounty"
APPROVED = SubmissionApproved.model_validate(submission(submission={"decks": 6, "wagers": {WAGER: {}}})["data"])
EXACT = returns(APPROVED.regulation, WAGER, APPROVED.submission)
ROWS = sorted({str(hit.won.category) for hit in EXACT.hits})


def counted(wager: str, category: str, lines: int, **changes: Any) -> dict[str, Any]:
    """Lines of a wager with a category, under the submission."""
    named = {"property": APPROVED.property, "game": APPROVED.game, "version": 1, "submission": APPROVED.hash}
    return named | {"wager": wager, "category": category, "lines": lines} | changes


def test_hits_stand_beside_what_the_cards_lead_to() -> None:
    """All lines of the wager are wagers; every row of the paytable is named, also one that was never hit."""
    often = ROWS[0]
    lines = [counted(WAGER, "", 9_000), counted(WAGER, often, 1_000)]
    found = {row[4]: row for row in against_probabilities(lines, [APPROVED])}

    assert ROWS == list(found)
    for name, row in found.items():
        hits = 1_000 if name == often else 0
        expected = f"{float(EXACT.probability(name) * 10_000):.2f}"
        assert ("riverside", "blackjack", 1, WAGER, name, 10_000, hits, expected) == row[:8]
    assert ("yes", "") == (found[often][9], found[ROWS[1]][9])


def test_a_number_of_hits_that_is_expected_is_no_alarm() -> None:
    """A hundred thousand wagers, of which each row was hit as often as its probability says."""
    lines = {name: round(EXACT.probability(name) * 100_000) for name in ROWS}
    rest = counted(WAGER, "", 100_000 - sum(lines.values()))
    found = list(against_probabilities([rest, *(counted(WAGER, *one) for one in lines.items())], [APPROVED]))

    assert [""] * len(ROWS) == [row[9] for row in found]
    assert lines == {row[4]: row[6] for row in found}


def test_wagers_without_an_exact_distribution_are_left_out() -> None:
    """What depends on how hands are played, what is made after cards are seen, and what nobody approved."""
    other = counted(WAGER, "", 10, submission="0" * 64)
    lines = [counted("blackjack", "blackjack", 5), counted("insurance", "dealer_blackjack", 5), other]

    assert [] == list(against_probabilities(lines, [APPROVED]))
