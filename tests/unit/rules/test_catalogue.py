"""The catalogues hold what the texts offer."""

import pytest
import yaml
from pydantic import ValidationError

from shared.rules import REGULATIONS, catalogue
from shared.rules.catalogue import PaytableRow, Wager


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


_SIDE_BY_SIDE = """
title: Bonus Wager
paragraph: § 1.2
decided: § 1.3
paytables:
  - name: [A, B]
    paragraph: § 1.4
    fewest_decks: [1, ~]
    rows:
      - {category: flush, odds: [9, 2.5 to 1], envy: [~, 500]}
      - {category: straight, odds: 3 to 1}
      - {category: three_pair, push: [true, ~]}
  - paragraph: § 1.5
    rows:
      - {category: flush, odds: 8 to 1}
"""


def test_paytables_stand_side_by_side_where_the_text_prints_them_so() -> None:
    """Lists hold the values of several paytables: a value that is the same stands alone, None leaves a row out."""
    first, second, alone = Wager.model_validate(yaml.safe_load(_SIDE_BY_SIDE)).paytables
    assert [("A", 1), ("B", None), (None, None)] == [
        (table.name, table.fewest_decks) for table in (first, second, alone)
    ]
    assert [("flush", "9 to 1", None), ("straight", "3 to 1", None), ("three_pair", None, None)] == [
        (row.category, row.odds, row.envy) for row in first.rows
    ]
    assert [("flush", "2.5 to 1", 500), ("straight", "3 to 1", None)] == [
        (row.category, row.odds, row.envy) for row in second.rows
    ]


@pytest.mark.parametrize("values", ["[9]", "[9, 8, 7]"])
def test_a_list_of_values_must_have_one_for_each_paytable(values: str) -> None:
    """A value too few or too many cannot be assigned to a paytable, so the catalogue cannot be loaded."""
    document = yaml.safe_load(_SIDE_BY_SIDE.replace("[9, 2.5 to 1]", values))
    with pytest.raises(ValidationError):
        Wager.model_validate(document)
