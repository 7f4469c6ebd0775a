"""The projector of the ledger's read model. Facts of different shards may be applied in any order."""

from collections.abc import Sequence
from typing import Final

from services.table_inventory.projections import cage, gaming_days, pit, ratings
from services.table_inventory.projections.rows import Rows
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_KEPT: Final = {**pit.KEPT, **gaming_days.KEPT, **cage.KEPT}


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the read model."""
    rows = Rows()
    standing = await pit.what_stands(transaction.connection, recorded)
    for entry, fact in recorded:
        if type(fact) in _KEPT:
            write, table, more = _KEPT[type(fact)]
            rows.keep(write, table, fact, **more)
        rows.touch(entry, gaming_days.touched(fact))
        rows.hold(entry, fact)
        pit.apply(rows, entry, fact, standing)
        gaming_days.apply(rows, entry, fact)
        cage.apply(rows, entry, fact)
        ratings.apply(rows, entry, fact)
    await rows.write(transaction.connection)


PROJECTOR: Final = Projector(tables=(*pit.TABLES, *gaming_days.TABLES, *cage.TABLES, *ratings.TABLES), project=project)
