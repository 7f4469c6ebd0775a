"""The read model of filings. Files are stored beside the journal; a withdrawal or an erasure destroys them."""

from collections.abc import Sequence
from functools import cache
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import delete, or_, select, tuple_

from services.wagering_accounts.domain.filings import FilingSummary, begun, changes
from services.wagering_accounts.tables import filing_files, filing_reports, filings
from shared.contracts.accounts import PatronErased
from shared.contracts.filings import AboutFiling, FilingAcknowledged, FilingError, FilingPrepared, FilingWithdrawn
from shared.journal.bulk import Statement, compiled, given, insert, keyed, same, update
from shared.journal.entry import Entry
from shared.journal.pipeline import Pipeline
from shared.journal.recording import Recorded
from shared.runtime.projector import Projector, Transaction

_ADD: Final = insert(filings)
_ADD_REPORTS: Final = insert(filing_reports)
_ANSWER: Final = update(filing_reports, ("accepted", "bsa_id", "errors"))
_ERRORS: Final = TypeAdapter(tuple[FilingError, ...])
_KEY: Final = ("property", "filing")


def _destroy_withdrawn() -> Statement:
    return compiled(delete(filing_files).where(same(filing_files, given(filing_files, _KEY), _KEY)), _KEY)


def _destroy_erased() -> Statement:
    """Return the statement that deletes the files of all filings that name a patron."""
    of_patron = ("property", "reference")
    wanted, r, d = given(filing_reports, of_patron), filing_reports.c, filing_files.c
    names = or_(r.reference == wanted.c.reference, r.with_others.has_key(wanted.c.reference))
    found = select(r.property, r.filing).where(r.kind == "patron", r.property == wanted.c.property, names)
    return compiled(delete(filing_files).where(tuple_(d.property, d.filing).in_(found)), of_patron)


_WITHDRAWN: Final = _destroy_withdrawn()
_ERASED: Final = _destroy_erased()


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the tables, in order."""
    own = [(entry, fact) for entry, fact in recorded if isinstance(fact, AboutFiling | PatronErased)]
    if not own:
        return
    async with transaction.pipeline() as sent:
        for entry, fact in own:
            if isinstance(fact, PatronErased):
                await sent.write(_ERASED, keyed(_ERASED, [(fact.property, fact.patron)]))
            else:
                await _write(sent, entry, fact)


async def _write(sent: Pipeline, entry: Entry, fact: AboutFiling) -> None:
    key = {"property": fact.property, "filing": fact.filing}
    if isinstance(fact, FilingPrepared):
        filing = begun(fact, entry.recorded_at)
        await sent.write(_ADD, [{**_row(dict(filing)), **key}])
        rows = [{**dict(one), **key, "errors": []} for one in filing.reports]
        await sent.write(_ADD_REPORTS, rows)
        return
    changed = _row(changes(fact, entry.recorded_at))
    unknown = AssertionError(f"there is no filing {key}")
    await sent.write(_changing(tuple(changed)), [key | changed], otherwise=unknown)
    if isinstance(fact, FilingAcknowledged):
        answers = [{**key, **_row(dict(one))} for one in fact.reports]
        await sent.write(_ANSWER, answers, otherwise=unknown)
    if isinstance(fact, FilingWithdrawn):
        await sent.write(_WITHDRAWN, keyed(_WITHDRAWN, [(fact.property, fact.filing)]))


@cache
def _changing(columns: tuple[str, ...]) -> Statement:
    return update(filings, columns)


def _row(values: dict[str, object]) -> dict[str, object]:
    """Return column values by name, with errors and unconfirmed values as JSON."""
    if "errors" in values:
        values = values | {"errors": _ERRORS.dump_python(values["errors"], mode="json")}  # type: ignore[arg-type]
    if "unconfirmed" in values:
        values = values | {"unconfirmed": list(values["unconfirmed"])}  # type: ignore[call-overload]
    return {name: value for name, value in values.items() if name in _COLUMNS}


_COLUMNS: Final = {*FilingSummary.model_fields, "report", "accepted", "bsa_id"}

FILINGS: Final = Projector(tables=(filings, filing_reports), project=project, beside=(filing_files,))
