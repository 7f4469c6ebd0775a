"""The catalogues hold what the texts offer."""

import pytest
import yaml
from pydantic import ValidationError

from shared.rules import REGULATIONS, catalogue
from shared.rules.catalogue import PaytableRow


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_a_catalogue_is_complete(regulation: str) -> None:
    """Every wager has a paytable, and rows that build on others find them."""
    entries = catalogue(regulation)
    assert regulation == entries.id
    for wager in entries.wagers.values():
        for table in wager.paytables:
            categories = {row.category for row in table.rows}
            assert len(categories) == len(table.rows)
            assert {row.of for row in table.rows if row.of} <= categories
            assert {row.option for row in table.rows if row.option} <= set(wager.options)


def test_2024_offers_five_wagers_more_than_2011() -> None:
    """The progressives, Three Card Poker and House Money came after the proposal."""
    old, new = (set(catalogue(regulation).wagers) for regulation in ("pa-633a-2011", "pa-633a-2024"))
    assert {
        "bad_beat_progressive",
        "three_card_poker",
        "hit_and_run_progressive",
        "straight_jack_progressive",
        "house_money",
    } == new - old
    assert set() == old - new


def test_the_texts_number_the_same_rule_differently() -> None:
    """The payout limit and the dealer's draw stand in other paragraphs."""
    old, new = catalogue("pa-633a-2011"), catalogue("pa-633a-2024")
    assert old.payout_limit is not None
    assert new.payout_limit is not None
    assert ("§ 633a.13(j)", "§ 633a.13(o)") == (old.payout_limit.paragraph, new.payout_limit.paragraph)
    assert ("§ 633a.7(n)", "§ 633a.7(m)") == (old.paragraphs["dealer_draws"], new.paragraphs["dealer_draws"])


@pytest.mark.parametrize("row", [{"category": "x", "odds": "ten"}, {"category": "x", "pays": "1 to 1"}, {}])
def test_a_row_that_cannot_be_paid_is_refused(row: dict[str, str]) -> None:
    """A catalogue with odds that are none cannot be loaded."""
    with pytest.raises(ValidationError):
        PaytableRow.model_validate(yaml.safe_load(yaml.safe_dump(row)))
