"""The read model of reports. It also deletes the files of reports that are withdrawn unsent, and destroyed files."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import delete, exists

from services.suspicious_activity.domain.sars import SarDocument, begun, changes
from services.suspicious_activity.tables import sar_files, sars
from shared.contracts.filings import FilingError
from shared.contracts.suspicions import AboutSar, SarDestroyed, SarPrepared, SarSeenBy, SarWithdrawn
from shared.journal.bulk import Statement, compiled, given, insert, keyed, same, update
from shared.journal.entry import Entry
from shared.journal.pipeline import Pipeline
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_KEY: Final = ("property", "sar")
_ADD: Final = insert(sars)
_OF_SAR: Final = same(sar_files, given(sar_files, _KEY), _KEY)
_DESTROY: Final = compiled(delete(sar_files).where(_OF_SAR), _KEY)
_UNSENT: Final = exists().where(same(sars, sar_files, _KEY), sars.c.filed_at.is_(None))
_WITHDRAW: Final = compiled(delete(sar_files).where(_OF_SAR, _UNSENT), _KEY)
_ERRORS: Final = TypeAdapter(tuple[FilingError, ...])


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the tables, in the order of recording."""
    own = [(entry, fact) for entry, fact in recorded if isinstance(fact, AboutSar) and not isinstance(fact, SarSeenBy)]
    if not own:
        return
    async with transaction.pipeline() as sent:
        for entry, fact in own:
            await _write(sent, entry, fact)


async def _write(sent: Pipeline, entry: Entry, fact: AboutSar) -> None:
    key = {"property": fact.property, "sar": fact.sar}
    if isinstance(fact, SarPrepared):
        await sent.write(_ADD, [_row(dict(begun(fact, entry.recorded_at)))])
        return
    changed = _row(changes(fact, entry.recorded_at))
    await sent.write(_changing(tuple(changed)), [key | changed], otherwise=AssertionError(f"there is no report {key}"))
    if isinstance(fact, SarWithdrawn | SarDestroyed):
        delete_file = _WITHDRAW if isinstance(fact, SarWithdrawn) else _DESTROY
        await sent.write(delete_file, keyed(delete_file, [(fact.property, fact.sar)]))


@cache
def _changing(columns: tuple[str, ...]) -> Statement:
    return update(sars, columns)


def _row(values: dict[str, object]) -> dict[str, object]:
    """Return those values that are columns of the table, with `errors` as JSON."""
    if "errors" in values:
        values = values | {"errors": _ERRORS.dump_python(values["errors"], mode="json")}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if name in SarDocument.model_fields}


PROJECTOR: Final = Projector(tables=(sars,), project=project, beside=(sar_files,))
