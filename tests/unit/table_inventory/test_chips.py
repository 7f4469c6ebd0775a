"""Chips that the property does not have: whatever event of the pit names them."""

from datetime import date
from typing import Any, Final

import pytest

from services.table_inventory.domain.pit import require_pieces
from shared.contracts.chips import Contents, Pieces
from shared.contracts.money import amount
from shared.contracts.pit import EVENTS, PitData
from shared.rules.errors import Refused
from tests.support.properties import place

DAY: Final = date(2026, 11, 20)
SETS: Final = (
    {"chip_set": "first", "denominations_cents": [100, 500], "in_use_from": "2020-01-01", "retired_on": "2026-11-20"},
    {"chip_set": "second", "denominations_cents": [100, 2500], "in_use_from": "2026-11-20"},
    {"chip_set": "coins", "kind": "coin", "denominations_cents": [50], "in_use_from": "2020-01-01"},
)
NAMED: Final = [
    (model, name)
    for model in EVENTS
    for name, field in model.model_fields.items()
    if field.annotation == Contents.__origin__  # type: ignore[attr-defined]  # what is annotated
]


def test_the_events_that_name_chips_are_known() -> None:
    """Counts, openers, fills, sales, checks and changes are among them."""
    assert {"OpenedTable", "ClosedTable", "CountedOpenTable", "CarriedTable", "ReceivedFill", "SoldChips"} < {
        model.__name__ for model, _ in NAMED
    }
    assert {"contents", "taken", "given"} == {name for _, name in NAMED}


@pytest.mark.parametrize(("model", "name"), NAMED, ids=lambda one: getattr(one, "__name__", one))
def test_other_chips_are_refused_by_their_denomination(model: type[PitData], name: str) -> None:
    """With those that there are on the gaming day; a property that names none has all."""
    here, anywhere = place(chip_sets=SETS), place()

    def said(*pieces: Pieces) -> PitData:
        data: dict[str, Any] = {name: pieces}
        return model.model_construct(**data)

    def named(cents: int, kind: str = "chip") -> PitData:
        other = Pieces.model_validate({"kind": kind, "cents": cents, "count": 1})
        return said(Pieces(cents=2500, count=1), other)

    for cents, kind in ((300, "chip"), (500, "chip"), (100, "coin"), (2500, "plaque")):
        why = f"'{name}' has a {kind} of {amount(cents)}: riverside has none in use on 2026-11-20; it has "
        with pytest.raises(Refused) as refused:
            require_pieces(named(cents, kind), here, DAY)
        assert f"{why}chip $1.00, chip $25.00, coin $0.50 ('chip_sets' of its version 1)" == str(refused.value)
        require_pieces(named(cents, kind), anywhere, DAY)
    require_pieces(named(100), here, DAY)
    require_pieces(named(50, "coin"), here, DAY)
    require_pieces(said(Pieces(cents=500, count=1)), here, date(2026, 11, 19))
