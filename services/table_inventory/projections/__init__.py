"""The read model of the table-inventory ledger: the rows that each fact writes, by department."""

from services.table_inventory.projections import cage, gaming_days, pit, ratings

__all__ = ["cage", "gaming_days", "pit", "ratings"]
