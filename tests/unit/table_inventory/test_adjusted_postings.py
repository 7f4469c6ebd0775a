"""What an approved adjustment posts: as much profit or loss as it changes the win, and nothing that stays open."""

from collections import Counter
from typing import get_args

import pytest

from services.table_inventory.domain.accounts import TableAccounts
from shared.contracts.inventory import Figure
from shared.contracts.legs import LEGS
from shared.contracts.properties import Sales

CHANGES: dict[Figure, int] = {
    "currency": 1,
    "counter_checks": 1,
    "fills": -1,
    "credits": 1,
    "rake": 1,
}
"""The sign of each figure in the revenue of a table."""


@pytest.mark.parametrize("figure", CHANGES)
@pytest.mark.parametrize("counted", [None, *get_args(Sales)])
def test_an_adjustment_changes_profit_by_what_it_changes_the_win(figure: Figure, counted: Sales | None) -> None:
    """Whoever closed the day has counted every box, and the count of the table has settled its inventory."""
    posted = TableAccounts("riverside", "BJ-01").adjusted(figure, 123_45, counted)
    by_nature = Counter[str]()
    for one in posted:
        kinds = LEGS["table-inventory"][one.account.leg].kinds
        by_nature["profit" if "revenue" in kinds else "assets"] += one.cents
    assert {"profit": -CHANGES[figure] * 123_45, "assets": CHANGES[figure] * 123_45} == by_nature
    assert not {one.account.leg for one in posted} & {"box", "transit", "inventory"}
