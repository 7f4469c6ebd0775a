"""The read model of the table-inventory ledger, by room: what each fact writes."""

from services.table_inventory.projections import cage, gaming_days, pit, ratings

__all__ = ["cage", "gaming_days", "pit", "ratings"]
