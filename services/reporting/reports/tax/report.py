"""The tax sheet: revenue by class, layers of tax, shares, amounts due, and changes by restatements."""

from collections.abc import Collection, Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

from services.reporting.domain.law import Applied, unconfirmed
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Identity, Mark, fill
from services.reporting.framework.figures import Figure, computed, total
from services.reporting.read_model.reading import Books
from services.reporting.read_model.seals import sealed_days
from services.reporting.reports.common.cells import rate_text, require_whole
from services.reporting.reports.common.counted_win import counted_marks
from services.reporting.reports.tax.amended import AMENDED, amended_rows
from services.reporting.reports.tax.returns import EstimateTotal, LayerTotal, PeriodSheet, ShareTotal, law_of
from services.reporting.reports.tax.revenue import BASES, CountedRevenue, Earned, counted_revenue
from services.reporting.reports.tax.sections import CLASSES, DAYS, DUE, ESTIMATES, LAYERS, SHARES, TABLES
from shared.contracts.contests import ContestApproved
from shared.contracts.inventory import DayFinal
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.win import WinStated
from shared.jurisdictions import month_before
from shared.jurisdictions.model import ClassOfRevenue


async def _fill(books: Books) -> Content:
    require_whole(books, "tax is due on the revenue of a whole property")
    revenue = await counted_revenue(books)
    sheet, tables = revenue.sheet, _tables(books, revenue)
    sections = (
        _classes(books, revenue),
        _days(revenue),
        fill(TABLES, tables),
        fill(LAYERS, (_layer(revenue, line) for line in sheet.layers)),
        fill(SHARES, (_share(books, revenue, line) for line in sheet.shares)),
        fill(ESTIMATES, (_estimate(revenue, line) for line in sheet.estimates)),
        _due(revenue),
        fill(AMENDED, await amended_rows(books, revenue)),
    )
    return Content(
        sections, await _identities(books, revenue, tables), (*_marks(revenue), *_bases(books, revenue), *_win(books))
    )


def _classes(books: Books, revenue: CountedRevenue) -> Filled:
    sheet, known = revenue.sheet, revenue.classes
    rows = []
    for line in sheet.classes:
        name = line.revenue_class
        row: dict[str, Any] = {
            "revenue_class": name,
            "basis": books.place.law.classes[name].basis.on(sheet.last).value,
        }
        if name not in known:
            row["note"] = "nothing of this class is recorded in these gaming days"
        elif days := revenue.days((name,), sheet.first, sheet.last):
            of = ((name,), sheet.first, sheet.last)
            row |= {
                "days": len(days),
                "revenue_cents": revenue.figure(line.revenue_cents, *of),
                "counted_cents": revenue.figure(line.counted_cents, *of),
            }
        rows.append(row)
    return fill(CLASSES, rows)


def _days(revenue: CountedRevenue) -> Filled:
    missing, rows = revenue.missing, []
    for sheet in revenue.sheet.sheets:
        lines = {line.revenue_class: line for line in sheet.classes}
        for name in revenue.classes:
            day = sheet.gaming_day
            tables = revenue.tables.get((day, name), [])
            row: dict[str, Any] = {"gaming_day": day, "revenue_class": name, "tables": len(tables)}
            if (day, name) in missing:
                row["missing"] = "; ".join(missing[day, name])
            elif tables:
                row["revenue_cents"] = revenue.figure(lines[name].revenue_cents, (name,), day, day)
                row["counted_cents"] = revenue.figure(lines[name].counted_cents, (name,), day, day)
            rows.append(row)
    return fill(DAYS, rows)


def _tables(books: Books, revenue: CountedRevenue) -> list[dict[str, Any]]:
    """Return a row per table or contest, with its revenue on the days on which its whole class is counted."""
    sheet = revenue.sheet
    days = {name: revenue.days((name,), sheet.first, sheet.last) for name in revenue.classes}
    found: dict[tuple[ClassOfRevenue, str], list[Earned]] = {}
    for one in sorted(revenue.in_sheet, key=lambda one: (revenue.classes.index(one.revenue_class), one.name)):
        found.setdefault((one.revenue_class, one.name), []).append(one)
    rows = []
    for (revenue_class, name), earned in found.items():
        complete = [one for one in earned if one.gaming_day in days[revenue_class]]
        row: dict[str, Any] = {"revenue_class": revenue_class, "name": name}
        if revenue_class != "contest":
            row |= {"game": books.game_of(name), "kind": books.kind_of(name), "play": books.play_of(name)}
        if complete:
            cents = sum(one.cents for one in complete)
            because = revenue.because((revenue_class,), sheet.first, sheet.last, name=name)
            row |= {"days": len(complete), "revenue_cents": Figure(cents, because)}
        rows.append(row)
    return rows


def _layer(revenue: CountedRevenue, line: LayerTotal) -> dict[str, Any]:
    classes = revenue.taxed(line.layer)
    return {
        "layer": line.layer,
        "payee": line.payee,
        "filed": _filed(line),
        "rate": rate_text(line.rate),
        **_amounts(revenue, line, classes),
        **_source(_value(line.applied, "rate")),
    }


def _share(books: Books, revenue: CountedRevenue, line: ShareTotal) -> dict[str, Any]:
    classes = books.place.law.shares[line.share].classes
    return {
        "share": line.share,
        "party": line.party,
        "part": rate_text(line.part),
        **_amounts(revenue, line, classes),
        **_source(_value(line.applied, "parties")),
    }


def _amounts(
    revenue: CountedRevenue, line: LayerTotal | ShareTotal, classes: Collection[ClassOfRevenue]
) -> dict[str, Any]:
    """Return the cells of a tax or share line; without amounts if no day is completely counted for its classes."""
    days = len(revenue.days(classes, line.first, line.last))
    of = (classes, line.first, line.last)
    figures = {
        "base_cents": revenue.figure(line.base_cents, *of),
        "amount_cents": revenue.figure(line.amount_cents, *of),
    }
    return {"first_day": line.first, "last_day": line.last, "days": days, **(figures if days else {})}


def _estimate(revenue: CountedRevenue, line: EstimateTotal) -> dict[str, Any]:
    """Return the row of a month's estimates; without amounts while the tax of a required month is unknown."""
    row: dict[str, Any] = {
        "layer": line.layer,
        "payee": line.payee,
        "month": line.month,
        "paid_with": line.paid_with,
        "ahead_from": line.ahead_from,
        "ahead_months": line.ahead_months,
        **_source(_value(line.applied, "estimates")),
    }
    figures = _paid_ahead(revenue, line)
    return row if figures is None else row | figures


def _paid_ahead(revenue: CountedRevenue, line: EstimateTotal) -> dict[str, Figure] | None:
    """Return the figures of a month's estimates; None while the tax of a required month is unknown."""
    months = [line.month] if line.paid_with is None else [line.month, line.paid_with]
    classes = revenue.taxed(line.layer)
    spans = [(month, month_before(month, -1) - timedelta(days=1)) for month in months]
    if not all(revenue.days(classes, *span) for span in spans):
        return None
    because = tuple(dict.fromkeys(one for span in spans for one in revenue.because(classes, *span)))
    this = revenue.because(classes, *spans[0])
    return {
        "tax_cents": computed(line.tax_cents, this),
        "paid_cents": computed(line.paid_cents, because),
        "ahead_cents": computed(line.ahead_cents, this),
        "change_cents": computed(line.change_cents, because),
    }


def _value(applied: Iterable[Applied], what: str) -> Applied:
    return next(one for one in applied if one.place.endswith(f".{what}"))


def _source(applied: Applied) -> dict[str, Any]:
    return {"effective_from": applied.effective_from, "source": applied.source, "status": applied.status}


def _filed(line: LayerTotal) -> str:
    return _value(line.applied, "period").value


def _due(revenue: CountedRevenue) -> Filled:
    sheet = revenue.sheet
    due: dict[tuple[str, str], list[LayerTotal]] = {}
    for line in sheet.layers:
        due.setdefault((line.payee, _filed(line)), []).append(line)
    rows: list[dict[str, Any]] = []
    for (payee, filed), lines in due.items():
        row: dict[str, Any] = {"payee": payee, "filed": filed}
        layers = {line.layer for line in lines}
        ahead = [_paid_ahead(revenue, one) for one in sheet.estimates if one.layer in layers]
        waits = any(revenue.waits(revenue.taxed(line.layer), line.first, line.last) for line in lines)
        if filed != sheet.kind:
            row["note"] = f"part of the return of its {filed}: an account, no return"
        if None in ahead:
            row["note"] = "the tax of a month by which it is paid ahead is not in these books"
        elif not waits and any(revenue.days(revenue.taxed(line.layer), line.first, line.last) for line in lines):
            of_lines = (
                revenue.figure(line.amount_cents, revenue.taxed(line.layer), line.first, line.last) for line in lines
            )
            row["due_cents"] = total((*of_lines, *(one["change_cents"] for one in ahead if one is not None)))
        rows.append(row)
    return fill(DUE, rows)


async def _identities(
    books: Books, revenue: CountedRevenue, tables: Iterable[Mapping[str, Any]]
) -> tuple[Identity, ...]:
    sheet, missing = revenue.sheet, revenue.missing
    lacking = "; ".join(f"{day}: {', '.join(tables)}" for (day, _), tables in sorted(missing.items()))
    found = [
        Identity(
            "tables with a win",
            Figure(sum(not one.missing for one in revenue.earned)),
            Figure(len(revenue.earned)),
            f"every table has been counted{f'; not yet: {lacking}' if lacking else ''}",
            unit="count",
        ),
        Identity(
            "tables and classes",
            total(row["revenue_cents"] for row in tables if "revenue_cents" in row),
            Figure(sum(line.revenue_cents for line in sheet.classes)),
            "total revenue: by table and contest, and by class",
        ),
        Identity(
            "days and sheet",
            total(Figure(line.amount_cents) for line in sheet.layers),
            Figure(sum(line.amount_cents for day in sheet.sheets for line in day.layers)),
            "tax of the layers: the sum of the days, and the period",
        ),
    ]
    if sheet.shares:
        found.append(_divided(sheet))
    sealed = [one for one in await sealed_days(books) if not one.changed and one.revenue_cents is not None]
    whole = revenue.days(revenue.classes, sheet.first, sheet.last)
    if sealed := [one for one in sealed if one.gaming_day in whole]:
        of_them = {one.gaming_day for one in sealed}
        won_cents = sum(one.cents for one in revenue.earned if one.gaming_day in of_them and one.source != "electronic")
        classes = [name for name in revenue.classes if revenue.sources[name] != {"electronic"}]
        because = tuple(ref for day in sorted(of_them) for ref in revenue.because(classes, day, day))
        found.append(
            Identity(
                "sealed days",
                Figure(won_cents, because),
                Figure(sum(one.revenue_cents or 0 for one in sealed), tuple(one.entry for one in sealed)),
                (
                    "revenue of unchanged sealed days, without electronic win: as computed here, and as in their "
                    "sealed reports"
                ),
            )
        )
    return tuple(found)


def _divided(sheet: PeriodSheet) -> Identity:
    bases = {(line.share, day.gaming_day): line.base_cents for day in sheet.sheets for line in day.shares}
    parties = Figure(sum(line.amount_cents for line in sheet.shares))
    return Identity(
        "parties", parties, Figure(sum(bases.values())), "the parties' amounts sum to the whole base, to the cent"
    )


_OF: Final = {
    "classes": ("classes/counted_cents", "days/counted_cents", "layers/base_cents", "shares/base_cents"),
    "taxes": ("layers/amount_cents", "due/due_cents"),
    "shares": ("shares/amount_cents",),
}
"""The columns that depend on each part of a pack, keyed by the name of the part."""


def _marks(revenue: CountedRevenue) -> tuple[Mark, ...]:
    """Return a remark on each unconfirmed value of law behind the figures.

    Values for classes without facts, and for taxes on such classes only, are left out.
    """
    known = set(revenue.classes)
    applies = {
        *(f"classes.{name}" for name in known),
        *(f"taxes.{line.layer}" for line in revenue.sheet.layers if revenue.taxed(line.layer) & known),
        *(f"shares.{line.share}" for line in revenue.sheet.shares),
    }
    return tuple(
        Mark(one.place, one.source, one.note or "", _OF[one.place.partition(".")[0]])
        for one in unconfirmed(law_of(revenue.sheet))
        if one.place.rpartition(".")[0] in applies
    )


def _bases(books: Books, revenue: CountedRevenue) -> tuple[Mark, ...]:
    """Return a remark on each class whose revenue is not computed on the basis that law requires."""
    dated = {name: books.place.law.classes[name].basis.on(revenue.sheet.last) for name in revenue.classes}
    return tuple(
        Mark(
            f"classes.{name}.basis",
            basis.source,
            f"law computes it by {basis.value}; it is computed here by {', '.join(sorted(used))}",
            ("classes/revenue_cents", "days/revenue_cents"),
        )
        for name, basis in dated.items()
        if (used := {BASES[source] for source in revenue.sources[name]}) != {basis.value}
    )


def _win(books: Books) -> tuple[Mark, ...]:
    columns = ("classes/revenue_cents", "days/revenue_cents")
    return tuple(Mark(one.what, one.source, one.note, columns) for one in counted_marks(books))


TAX: Final = Report(
    name="tax",
    title="Gross table game revenue and tax",
    about=(
        "Revenue by class: counted win, rake of non-banking tables, electronic win of fully automated tables, "
        "and contest entry fees less prizes; then each layer of tax with its dated rate and source, the "
        "shares, and the amount due to each payee. For a day, this is the daily sheet; for a week or month, "
        "the return of the taxes paid for that period, with a statement of all others. After a restatement, "
        "each version is shown beside the previous one."
    ),
    sections=(CLASSES, DAYS, TABLES, LAYERS, SHARES, ESTIMATES, DUE, AMENDED),
    sources=(
        *(WinStated, ContestApproved, DayFinal),
        *(SettlementPosted, SettlementReversed),
    ),
    fill=_fill,
    signatures=("Revenue audit", "Controller"),
)
