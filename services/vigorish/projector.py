"""The read model of vigorish: how facts change what is owed and the lines behind it."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import case, func

from services.vigorish.domain.assessing import owed as owed_of
from services.vigorish.tables import SUMS, lines, owed
from shared.contracts.envelope import as_json
from shared.contracts.pit import VigorishOfRound
from shared.contracts.settlements import RoundKey, SettledRound
from shared.contracts.vigorish import (
    VigorishAssessed,
    VigorishCollection,
    VigorishReturn,
    VigorishTakenBack,
    VigorishWaiver,
)
from shared.journal.bulk import Row, added, excluded, insert
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_REVISION: Final = ("property", "table_name", "round_id", "revision")
_KNOWN: Final = ("game", "owed_by", "closed_at", "dealer_id", "settled_dealer_id")


class _Owed(dict[tuple[str, str, str, int, bool], dict[str, Any]]):
    """Rows of what is owed, added up."""

    def add(self, fact: SettledRound | VigorishOfRound, seat: int, *, bank: bool, **values: Any) -> None:
        key = (fact.property, fact.table, fact.round_id, seat, bank)
        row = self.get(key)
        if row is None:
            names = ("property", "table_name", "round_id", "seat", "bank")
            row = self[key] = dict(zip(names, key, strict=True)) | {"gaming_day": fact.gaming_day, "settled_at": None}
            row |= dict.fromkeys(SUMS, 0) | dict.fromkeys(_KNOWN)
        if values.get("game") is not None:
            row["gaming_day"] = fact.gaming_day
        for name, value in values.items():
            if name in SUMS:
                row[name] += value
            elif value is not None:
                row[name] = max(value, row[name] or value) if name == "settled_at" else value

    def settle(self, fact: VigorishCollection | VigorishWaiver, **cents: int) -> None:
        """Add what was collected or waived, and when and by which dealer."""
        self.add(fact, fact.seat, bank=fact.bank, settled_dealer_id=fact.dealer_id, settled_at=fact.at, **cents)


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the tables up to date with facts, in whatever order of the shards."""
    rows, lines_ = _Owed(), list[Row]()
    for _, fact in recorded:
        match fact:
            case VigorishAssessed():
                for (seat, bank), (cents, owed_by) in owed_of(fact.lines).items():
                    rows.add(
                        fact,
                        seat,
                        bank=bank,
                        assessed_cents=cents,
                        game=fact.game,
                        owed_by=owed_by,
                        closed_at=fact.closed_at,
                        dealer_id=fact.dealer_id,
                    )
                lines_ += _lines(fact)
            case VigorishTakenBack():
                for (seat, bank), (cents, _) in owed_of(fact.lines).items():
                    rows.add(fact, seat, bank=bank, assessed_cents=-cents)
            case VigorishCollection():
                rows.settle(fact, collected_cents=fact.cents)
            case VigorishWaiver():
                rows.settle(fact, waived_cents=fact.cents)
            case VigorishReturn():
                rows.add(fact, fact.seat, bank=fact.bank, returned_cents=fact.cents)
    connection = transaction.connection
    # In the order of their keys, so that two consumers cannot wait for each other.
    await _ADD_OWED.write(connection, [rows[key] for key in sorted(rows)])
    await _ADD_LINES.write(connection, lines_)


def _lines(fact: VigorishAssessed) -> Iterable[Row]:
    of_round = dict(zip(_REVISION, RoundKey.of(fact), strict=True))
    return (of_round | {"line": number, "document": as_json(line)} for number, line in enumerate(fact.lines))


_NEW: Final = excluded(owed)
# What a round assessed says its gaming day, whichever of it and what was collected came first.
_ADD_OWED: Final = insert(
    owed,
    on_conflict=added(owed, *SUMS)
    | {"gaming_day": case((_NEW.game.is_not(None), _NEW.gaming_day), else_=owed.c.gaming_day)}
    | {name: func.coalesce(_NEW[name], owed.c[name]) for name in _KNOWN}
    | {"settled_at": func.greatest(_NEW.settled_at, owed.c.settled_at)},
)
_ADD_LINES: Final = insert(lines)

PROJECTOR: Final = Projector(tables=(owed, lines), project=project)
