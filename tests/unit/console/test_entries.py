"""The entries behind a figure as their page shows them: with sign, factor and sum, and where they lead."""

from typing import Any

from services.console.entries import Lead, shown_entries, shown_sums

FOUND: dict[str, Any] = {
    "unit": "cents",
    "value": 12,
    "adds_up_to": "35/3",
    "rounding": "1/3",
    "entries": [
        {
            "service": "table-inventory",
            "table": "BJ-01",
            "measure": "opener_cents",
            "value": 500,
            "factor": "-1",
            "adds": "-500",
            "leads": [
                {"what": "count", "name": "7", "table": "BJ-01", "gaming_day": "2026-11-20"},
                {"what": "box", "name": "9", "table": "BJ-01", "gaming_day": "2026-11-20"},
                {"what": "slip", "name": "fill/17", "table": "BJ-01", "gaming_day": "2026-11-20"},
                {"what": "slip", "name": "credit/paper/3", "table": "BJ-01", "gaming_day": "2026-11-20"},
                {"what": "drop_count", "name": "2", "table": None, "gaming_day": "2026-11-20"},
            ],
        },
        {"service": "round-settlement", "table": "BJ-01", "round_id": "r-1", "measure": "handle_cents", "leads": []},
    ],
}


def test_an_entry_of_table_inventory_leads_to_its_count_box_and_slip() -> None:
    """And one of round settlement to its round, for whoever may read rounds."""
    inventory, settled = shown_entries("riverside", FOUND, may_read_rounds=True)
    assert [
        Lead("Table count 7", "/p/riverside/pit-events/BJ-01/7"),
        Lead("Drop box exchange 9", "/p/riverside/pit-events/BJ-01/9"),
        Lead("Fill 17", "/p/riverside/floor/BJ-01?day=2026-11-20"),
        Lead("Manual credit 3", "/p/riverside/floor/BJ-01?day=2026-11-20"),
        Lead("Drop count 2", "/p/riverside/desk/counts/2"),
    ] == inventory["leads"]
    assert ("−", -500, "cents") == (inventory["factor"], inventory["adds"], inventory["unit"])
    assert [Lead("r-1", "/p/riverside/rounds/BJ-01/r-1")] == settled["leads"]
    assert [Lead("r-1", "")] == shown_entries("riverside", FOUND, may_read_rounds=False)[1]["leads"]


def test_the_sum_is_shown_and_what_rounding_added() -> None:
    """Of a sum that is whole only the sum; of what is no sum, nothing."""
    assert [("reports.sum", "35/3"), ("reports.rounding", "1/3"), ("reports.value", 12)] == shown_sums(FOUND)
    assert [("reports.sum", 12)] == shown_sums(FOUND | {"adds_up_to": "12", "rounding": "0"})
    assert [] == shown_sums(FOUND | {"adds_up_to": None, "rounding": None})
