"""Queries on filings: reports already filed, changed identities, used identifiers, late filings, missing files."""

import re
from collections.abc import Collection, Sequence
from datetime import date
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import Exists, and_, exists, func, literal, or_, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.filings import FilingDocument, FilingSummary, ReportDocument, ReportedBefore
from services.wagering_accounts.tables import (
    balances,
    filing_files,
    filing_reports,
    filings,
    patron_identities,
    patrons,
)
from shared.runtime.differences import ComparedTable
from shared.runtime.filing.sealed_files import FileStore
from shared.runtime.filing.steps import UNSENT
from shared.runtime.projections.sql_comparison import compare_selected
from shared.runtime.reference_search import FOUND_MAX, matches_reference
from shared.runtime.rows import find_row, rows_of, things_of

FILES: Final = FileStore(filing_files, "filing", "filing")

_F, _R = filings.c, filing_reports.c
_STANDS: Final = and_(
    _F.property == _R.property,
    _F.filing == _R.filing,
    _F.status != "withdrawn",
    or_(_F.acknowledged_at.is_(None), _R.accepted),
)
_NUMBER: Final = re.compile("[0-9]{1,15}")
_REPORTS: Final = TypeAdapter(tuple[ReportDocument, ...])


async def find(connection: AsyncConnection, property_name: str, filing: int) -> FilingDocument:
    """Return a filing. Raises: Rejected if it does not exist."""
    missing = f"there is no filing {filing} of {property_name}"
    row = await find_row(connection, filings, missing, property=property_name, filing=filing)
    query = rows_of(filing_reports, property=property_name, filing=filing).order_by(_R.report)
    names = ReportDocument.model_fields
    reports = [{name: one[name] for name in names} for one in (await connection.execute(query)).mappings()]
    said = {name: row._mapping[name] for name in FilingSummary.model_fields}
    return FilingDocument(**said, reports=_REPORTS.validate_python(reports))


async def filings_like(connection: AsyncConnection, property_name: str, typed: str) -> list[FilingSummary]:
    """Return the first filings whose number, tracking identifier or report identifier matches `typed`."""
    identifier = func.coalesce(_R.bsa_id, _R.account_number)
    of_report = select(_R.filing).where(_R.property == property_name, matches_reference(identifier, typed))
    of_filing = select(_F.filing).where(_F.property == property_name, matches_reference(_F.tracking_id, typed))
    parts = [part.limit(FOUND_MAX) for part in (of_report, of_filing)]
    numbers = {number for part in parts for number in (await connection.execute(part)).scalars()}
    if _NUMBER.fullmatch(typed):
        numbers.add(int(typed))
    query = rows_of(filings, property=property_name).where(_F.filing.in_(numbers)).order_by(_F.filing).limit(FOUND_MAX)
    return [FilingSummary.model_validate(row) for row in await connection.execute(query)]


async def standing(
    connection: AsyncConnection, property_name: str, form: str, period: str, amended: Collection[str]
) -> list[ReportedBefore]:
    """Return reports, neither withdrawn nor rejected, of a form and period, or with one of these identifiers."""
    query = (
        select(
            *(_R.kind, _R.reference, _F.period, _R.filing, _F.status, _R.bsa_id, _R.account_number, _R.winnings_cents),
            *(_R.amends, _F.acknowledged_at),
        )
        .select_from(filing_reports.join(filings, _STANDS))
        .where(
            _F.property == property_name,
            or_(and_(_F.form == form, _F.period == period), _R.bsa_id.in_(amended)),
        )
        .order_by(_R.filing, _R.report)
    )
    return await things_of(ReportedBefore, connection, query)


async def identities_changed(connection: AsyncConnection, filing: FilingDocument) -> Sequence[str]:
    """Return the references in a filing whose identity was recorded or erased after the filing was prepared.

    The references are patrons who are part of a report, and accounts that a patron owns.
    """
    named = {patron for one in filing.reports for patron in one.patrons()}
    held = {one.reference for one in filing.reports if one.kind == "account"}
    i, p, b = patron_identities.c, patrons.c, balances.c
    known = patron_identities.join(patrons, and_(p.property == i.property, p.patron == i.patron))
    holders = known.join(balances, and_(b.property == i.property, b.patron == i.patron))
    changed = and_(
        i.property == filing.property,
        or_(i.identified_at > filing.prepared_at, p.erased_at > filing.prepared_at),
    )
    found = union(
        select(i.patron.label("reference")).select_from(known).where(changed, i.patron.in_(named)),
        select(b.account).select_from(holders).where(changed, b.account.in_(held)),
    ).order_by("reference")
    return (await connection.execute(found)).scalars().all()


async def tracked(connection: AsyncConnection, filing: FilingDocument, tracking_id: str) -> dict[str, str]:
    """Return {tracking identifier: name of the filing} if another filing of the property has it, else an empty dict."""
    others = and_(_F.property == filing.property, _F.filing != filing.filing, _F.tracking_id == tracking_id)
    found = (await connection.execute(select(_F.filing).where(others).limit(1))).scalar_one_or_none()
    return {} if found is None else {tracking_id: f"filing {found}"}


async def identified(
    connection: AsyncConnection, filing: FilingDocument, identifiers: Collection[str]
) -> dict[str, str]:
    """Return the names of reports in other filings of the property that have these BSA identifiers, by identifier."""
    others = and_(_R.property == filing.property, _R.filing != filing.filing, _R.bsa_id.in_(identifiers))
    found = await connection.execute(select(_R.bsa_id, _R.filing, _R.report).where(others))
    return {row.bsa_id: f"report {row.report} in filing {row.filing}" for row in found}


async def unsent_late(connection: AsyncConnection, property_name: str, today: date) -> int:
    """Return the number of a property's filings that were not sent by their last day.

    A filing with only amendments or corrections is never late. Rejected filings are counted by the reporting service,
    which can tell whether their reports are due.
    """
    query = (
        select(func.count())
        .select_from(filings)
        .where(
            _F.property == property_name,
            _F.file_by < today,
            _F.status.in_(UNSENT),
            _has_first_report().correlate(filings),
        )
    )
    return int((await connection.execute(query)).scalar_one())


async def only_amends(connection: AsyncConnection, property_name: str, numbers: Collection[int]) -> set[int]:
    """Return the numbers of those given filings that have only amendments or corrections, which have no deadline."""
    query = select(_F.filing).where(
        _F.property == property_name, _F.filing.in_(numbers), ~_has_first_report().correlate(filings)
    )
    return set((await connection.execute(query)).scalars())


def _has_first_report() -> Exists:
    """Return the SQL condition that a filing has a report which neither amends nor corrects an earlier one."""
    first, corrected = filing_reports.alias("first"), filing_reports.alias("corrected")
    beside = exists().where(
        corrected.c.property == first.c.property,
        corrected.c.filing == first.c.filing,
        corrected.c.account_number == first.c.account_number,
        corrected.c.corrects.is_not(None),
    )
    return exists().where(
        first.c.property == _F.property,
        first.c.filing == _F.filing,
        first.c.amends.is_(None),
        first.c.corrects.is_(None),
        ~beside.correlate(first),
    )


async def filed_again(connection: AsyncConnection, property_name: str, numbers: Collection[int]) -> set[int]:
    """Return the numbers of those given rejected filings whose rejected reports have all been filed again.

    A later filing that was withdrawn does not count. A later one that was rejected counts, because it must itself be
    filed again.
    """
    f, r = filings.alias("before"), filing_reports.alias("rejected")
    later = exists().where(
        _F.property == _R.property,
        _F.filing == _R.filing,
        _F.status != "withdrawn",
        _R.filing > r.c.filing,
        _F.form == f.c.form,
        _F.period == f.c.period,
        _F.property == r.c.property,
        _R.kind == r.c.kind,
        _R.reference == r.c.reference,
        _R.account_number.is_not_distinct_from(r.c.account_number),
    )
    left = exists().where(
        r.c.property == f.c.property, r.c.filing == f.c.filing, r.c.accepted.is_not(True), ~later.correlate(f, r)
    )
    query = select(f.c.filing).where(f.c.property == property_name, f.c.filing.in_(numbers), ~left.correlate(f))
    return set((await connection.execute(query)).scalars())


async def properties_with_filings(connection: AsyncConnection) -> Sequence[str]:
    """Return the properties that have filings."""
    return (await connection.execute(select(_F.property).distinct().order_by(_F.property))).scalars().all()


async def compare_files(connection: AsyncConnection) -> ComparedTable:
    """Return the filings whose file is missing, except withdrawn filings and those that name an erased patron."""
    p, d = patrons.c, filing_files.c
    erased = exists().where(
        _R.property == _F.property,
        _R.filing == _F.filing,
        _R.kind == literal("patron"),
        p.property == _R.property,
        or_(p.patron == _R.reference, _R.with_others.has_key(p.patron)),
        p.erased_at.is_not(None),
    )
    said = select(_F.property, _F.filing).where(_F.status != "withdrawn", ~erased)
    both = and_(d.property == _F.property, d.filing == _F.filing)
    stored = select(_F.property, _F.filing).join(filing_files, both).where(_F.status != "withdrawn", ~erased)
    return await compare_selected(
        connection, filing_files.name, ["property", "filing"], stored.subquery("stored"), said.subquery("said")
    )
