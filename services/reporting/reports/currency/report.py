"""Currency reports and logs (CTR, MTL): transactions of persons on a gaming day, warnings, and patterns."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import Any, Final

from services.reporting.domain.federal.currency import (
    WARNING_SHARE,
    CashMovement,
    CurrencyTotal,
    LogEntry,
    Standing,
    currency_totals,
    department_logs,
    lines_of,
    reported_with,
)
from services.reporting.domain.law import Applied, unconfirmed
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Identity, Made, Mark, fill
from services.reporting.framework.figures import NOTHING, Cell, EntriesOf, Figure
from services.reporting.framework.question import is_long
from services.reporting.read_model.currency import (
    ACCOUNT_MEASURES,
    BOUGHT,
    CAGE_MEASURES,
    CASH,
    CASH_MEASURES,
    OTHERS_MEASURES,
    entry_of,
    moved_by_measure,
    moved_currency,
    persons_alike,
)
from services.reporting.read_model.filings import FILINGS, filings_of
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cells import require_whole
from services.reporting.reports.currency.amended import AMENDED, amended_rows
from services.reporting.reports.currency.days import Logged, applied_to_logs, day_rows, read_days
from services.reporting.reports.currency.filed import (
    FILED,
    FiledReport,
    PersonsDay,
    amended_by_others,
    filed_reports,
    filed_rows,
    moved_days,
    sent_days,
)
from services.reporting.reports.currency.sections import (
    ALIKE,
    BELOW,
    DAYS,
    INSTRUMENTS,
    LINES,
    LOG,
    PATTERNS,
    REPORTABLE,
    WARNINGS,
)
from services.reporting.reports.currency.structuring import Pattern, Watch, patterns
from shared.contracts.accounts import AccountBoughtIn, AccountCashedOut, AccountOpened, PatronRegistered
from shared.contracts.cage import CageMoved, CageVoided, CheckRedeemed, RedemptionVoided
from shared.contracts.check_collection import CheckRecovered, RecoveryVoided
from shared.contracts.inventory import PitRecorded, PitVoided
from shared.jurisdictions import Pack
from shared.jurisdictions.forms import CurrencyReport
from shared.runtime.http.roles import READ_PATRON_REPORTS

_UNKNOWN: Final = "unknown"
"""The person of a currency transaction if not recorded."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """The totals and patterns of the queried transactions, for each report under a pack's law."""

    law: Pack
    totals: Mapping[str, Sequence[CurrencyTotal]]
    patterns: Sequence[tuple[str, Pattern]]
    with_whom: Mapping[str, Mapping[tuple[str, str, date], str]]
    """By report and by (property, person, day): the person whose report already contains all of the transactions."""

    def form_of(self, report: str, movement: CashMovement) -> str:
        found = self.law.forms[self.law.currency_reports[report].form].on(movement.gaming_day).value
        return found.number or found.title

    def reported_with(self, total: CurrencyTotal) -> str:
        """Return the person whose report already contains a total; empty if the total has a report of its own."""
        one = total.first
        return self.with_whom.get(total.held.report, {}).get((one.property, one.patron or "", one.gaming_day), "")

    def applied(self) -> Iterator[Applied]:
        held = {
            (report, one.held.gaming_day, one.standing): one
            for report, totals in self.totals.items()
            for one in totals
            if one.standing != "below"
        }
        return (applied for one in held.values() for applied in one.applied)


async def _fill(books: Books) -> Content:
    require_whole(books, "what a person moves is added up over all places")
    first, watch, only_due = books.question.first, Watch(), is_long(books.question)
    laws = [law for law in books.place.reporting if law.currency_reports]
    filed_cents = min((_least_cents(law, _filed(law), books) for law in laws if _filed(law)), default=0)
    logged_cents = min((_least_cents(law, _logged(law), books) for law in laws if _logged(law)), default=filed_cents)
    part_cents = filed_cents * min(WARNING_SHARE, watch.just_below_share, watch.part_share)
    log_rules = [one for law in laws for one in _of_currency(law, _logged(law))] if only_due else []
    filed_rules = [one for law in laws for one in _of_currency(law, _filed(law))]
    names = {report for law in laws for report in _filed(law)}
    filed = filed_reports(await filings_of(books), names, first, books.question.last)
    nobody_cents = ceil(min(filed_cents, logged_cents) * WARNING_SHARE)
    currency, days, identities, alike = await asyncio.gather(
        moved_currency(
            books,
            first - timedelta(days=watch.window_days - 1),
            person_cents=ceil(min(part_cents, logged_cents * WARNING_SHARE)),
            nobody_cents=nobody_cents,
            # For a long period, sales to unknown persons that are only logged are summed by gaming day.
            table_cents=(filed_cents or None) if only_due else nobody_cents,
            persons={key.person for key in filed},
        ),
        read_days(books, log_rules, filed_rules),
        _identities(books),
        persons_alike(books),
    )
    movements = [one for one in currency if one.gaming_day >= first]
    judged = [
        _judged(
            law,
            movements,
            [
                (report, pattern)
                for report in _filed(law)
                for pattern in patterns(law, currency, report=report, watch=watch)
                if pattern.last >= first
            ],
            filed,
        )
        for law in laws
    ]
    logs = [log for each in judged for log in _logs(each)]
    logged = [
        of_day
        for _, department, _, log in logs
        for of_day in _in_log(department, [one for one in log if not (only_due and _is_of_nobody_at_a_table(one))])
    ]
    entries = [
        (each, department, report, entry)
        for each, department, report, log in (() if only_due else logs)
        for entry in log
    ]
    reached = _standing(judged, "reached", only_filed=True)
    filed_laws = [(law, report) for law in laws for report in _filed(law)]
    changed = await amended_rows(books, filed_laws, filed_cents) if filed_laws else []
    became, below = [], []
    for each in judged:
        days_of, of_days = amended_by_others(
            moved_days(
                (each.form_of(report, one.first), one, each.reported_with(one))
                for report in _filed(each.law)
                for one in each.totals[report]
            ),
            filed,
        )
        became += filed_rows(books, each.law, days_of, of_days)
        below += [
            (each, one)
            for key, moved in days_of.items()
            if key in of_days
            for one in moved.on_report(of_days[key])
            if one.standing != "reached"
        ]
    sections = (
        fill(DAYS, day_rows(days, logged)),
        fill(REPORTABLE, Made(reached, _reportable)),
        fill(LINES, (line for judgment in reached for line in _lines(judgment))),
        fill(BELOW, (line for judgment in below for line in _lines(judgment))),
        fill(LOG, Made(entries, _entry)),
        fill(INSTRUMENTS, (row for each in judged for row in _listed(each))),
        fill(WARNINGS, Made(_standing(judged, "near", only_filed=only_due), _warning)),
        fill(PATTERNS, (_pattern(each, report, one) for each in judged for report, one in each.patterns)),
    )
    applied = [one for each in judged for one in each.applied()]
    if only_due:
        applied += (one for law in laws for one in applied_to_logs(law, _logged(law), books.question.last))
    others = (fill(AMENDED, changed), fill(FILED, became), fill(ALIKE, _alike(alike)))
    return Content((*sections, *others), identities, _marks(applied))


def _alike(groups: Iterable[Sequence[str]]) -> Iterator[dict[str, str]]:
    """Yield a row for each reference that differs from another only in case: different persons, or a mistake."""
    for names in groups:
        yield from ({"person": name, "alike": ", ".join(one for one in names if one != name)} for name in names)


def _judged(
    law: Pack,
    movements: Sequence[CashMovement],
    found: Sequence[tuple[str, Pattern]],
    filed: Mapping[PersonsDay, FiledReport],
) -> _Judged:
    totals = {report: currency_totals(law, report, movements) for report in law.currency_reports}
    with_whom = {report: reported_with(totals[report], sent_days(filed, report)) for report in _filed(law)}
    return _Judged(law, totals, found, with_whom)


def _filed(law: Pack) -> list[str]:
    """Return the reports of a pack that are filed; the others are logs."""
    return [name for name, rule in law.currency_reports.items() if rule.file_within_days is not None]


def _logged(law: Pack) -> list[str]:
    return [name for name in law.currency_reports if name not in _filed(law)]


def _of_currency(law: Pack, names: Iterable[str]) -> list[CurrencyReport]:
    return [law.currency_reports[name] for name in names if not _is_of_instruments(law, name)]


def _is_of_instruments(law: Pack, report: str) -> bool:
    return law.currency_reports[report].medium == "instrument"


def _least_cents(law: Pack, reports: Iterable[str], books: Books) -> int:
    """Return the lowest threshold of a pack's reports in the period, in cents."""
    dated = (one for name in reports for one in law.currency_reports[name].threshold_cents.root)
    return min(one.value for one in dated if one.effective_from <= books.question.last)


_Judgment = tuple[_Judged, CurrencyTotal]


def _standing(judged: Iterable[_Judged], standing: Standing, *, only_filed: bool) -> list[_Judgment]:
    """Return the totals with the given standing; with `only_filed`, without those of logs."""
    return [
        (each, one)
        for each in judged
        for report in (_filed(each.law) if only_filed else each.law.currency_reports)
        for one in each.totals[report]
        if one.standing == standing
    ]


def _total(judgment: _Judgment) -> dict[str, Any]:
    judged, one = judgment
    because, threshold = _because([entry.movement for entry in one.entries]), _threshold(one)
    return {
        "form": judged.form_of(one.held.report, one.first),
        "gaming_day": one.held.gaming_day,
        "person": one.first.patron or _UNKNOWN,
        "direction": one.first.direction,
        "movements": _number([entry.movement for entry in one.entries]),
        "cents": Figure(one.cents, because),
        "threshold_cents": one.held.threshold_cents,
        "entry": Cell(one.first.reference, _because([one.first])),
        "source": threshold.source,
        "status": threshold.status,
    }


def _because(movements: Sequence[CashMovement]) -> EntriesOf:
    return EntriesOf(movements, entry_of, lambda one: one.cents)


def _number(movements: Sequence[CashMovement]) -> Figure:
    return Figure(len(movements), EntriesOf(movements, entry_of, lambda _: 1))


def _threshold(one: CurrencyTotal) -> Applied:
    return next(applied for applied in one.applied if applied.place.endswith(".threshold_cents"))


def _reportable(judgment: _Judgment) -> dict[str, Any]:
    judged, one = judgment
    return _total(judgment) | {"file_by": one.file_by, "reported_with": judged.reported_with(one)}


def _lines(judgment: _Judgment) -> Iterator[dict[str, Any]]:
    """Yield the lines of a total by kind, conductor and beneficiaries, in the order of their first transactions."""
    judged, one = judgment
    for line in lines_of(one):
        movements = line.movements
        because = _because(movements)
        yield {
            "form": judged.form_of(one.held.report, one.first),
            "gaming_day": one.held.gaming_day,
            "person": one.first.patron or _UNKNOWN,
            "direction": one.first.direction,
            "kind": movements[0].kind,
            "specified": movements[0].specified,
            **_agency(movements[0]),
            "reported_with": judged.reported_with(one),
            "movements": _number(movements),
            "cents": Figure(line.cents, because),
            "entry": Cell(one.first.reference, _because([one.first])),
        }


def _agency(one: CashMovement) -> dict[str, str]:
    return {"conducted_by": one.conductor or "", "on_behalf_of": ", ".join(one.on_behalf_of)}


def _warning(judgment: _Judgment) -> dict[str, Any]:
    _, one = judgment
    return _total(judgment) | {"left_cents": one.held.threshold_cents - one.cents}


def _logs(judged: _Judged) -> list[tuple[_Judged, str, str, Sequence[LogEntry]]]:
    """Return all currency logs under a pack, each with its department and the name of its report."""
    return [
        (judged, department, report, log)
        for report in _logged(judged.law)
        if not _is_of_instruments(judged.law, report)
        for department, log in department_logs(judged.totals[report]).items()
    ]


def _listed(judged: _Judged) -> Iterator[dict[str, Any]]:
    """Yield the rows for a pack's logs of monetary instruments, oldest first within a log."""
    for report in _logged(judged.law):
        if _is_of_instruments(judged.law, report):
            for log in department_logs(judged.totals[report]).values():
                yield from (_instrument(judged, report, entry.movement) for entry in log)


def _is_of_nobody_at_a_table(entry: LogEntry) -> bool:
    """Return whether an entry is a table sale to an unknown person; a long report only totals such sales."""
    return entry.movement.patron is None and entry.movement.department == "table"


def _in_log(department: str, log: Iterable[LogEntry]) -> Iterator[Logged]:
    by_day: dict[date, dict[tuple[str, str], CashMovement]] = {}
    for one in (entry.movement for entry in log):
        # A transaction for others has an entry for each person, but moved money once.
        by_day.setdefault(one.gaming_day, {})[one.reference, one.direction] = one
    for day, by_reference in by_day.items():
        movements = list(by_reference.values())
        because = _because(movements)
        yield day, department, _number(movements), Figure(sum([one.cents for one in movements]), because)


def _entry(logged: tuple[_Judged, str, str, LogEntry]) -> dict[str, Any]:
    judged, department, report, entry = logged
    one = entry.movement
    because = _because([one])
    return {
        "department": department,
        "form": judged.form_of(report, one),
        "gaming_day": one.gaming_day,
        "moment": one.moment,
        "place": one.place,
        "person": one.patron or _UNKNOWN,
        **_agency(one),
        "direction": one.direction,
        "kind": one.kind,
        "specified": one.specified,
        "cents": Figure(one.cents, because),
        "in_cents": entry.in_cents,
        "out_cents": entry.out_cents,
        "entry": Cell(one.reference, because),
    }


def _instrument(judged: _Judged, report: str, one: CashMovement) -> dict[str, Any]:
    because, described = _because([one]), one.instrument
    return {
        "form": judged.form_of(report, one),
        "gaming_day": one.gaming_day,
        "moment": one.moment,
        "place": one.place,
        "person": one.patron or _UNKNOWN,
        **_agency(one),
        "direction": one.direction,
        "kind": one.kind,
        "instrument_type": "" if described is None else described.instrument_type.replace("_", " "),
        "issuer": "" if described is None else described.issuer,
        "references": "" if described is None else "; ".join(described.references),
        "cents": Figure(one.cents, because),
        "by": one.by,
        "entry": Cell(one.reference, because),
    }


def _pattern(judged: _Judged, report: str, one: Pattern) -> dict[str, Any]:
    because = _because(one.movements)
    return {
        "form": judged.form_of(report, one.movements[0]),
        "pattern": one.name,
        "person": one.patron or _UNKNOWN,
        "direction": one.direction,
        "first_day": one.first,
        "last_day": one.last,
        "movements": _number(one.movements),
        "cents": Figure(one.cents, because),
        "saw": one.saw,
        "why": one.why,
    }


async def _identities(books: Books) -> tuple[Identity, ...]:
    moved_cents = await moved_by_measure(books)
    accounts = (await books.amounts(tuple(CASH_MEASURES), ("item",), items=(CASH,))).get((CASH,), {})
    shown = {
        **{of: accounts.get(name, NOTHING) for of, name in zip(ACCOUNT_MEASURES, CASH_MEASURES, strict=True)},
        **(await books.amounts((*CAGE_MEASURES, BOUGHT, *OTHERS_MEASURES))).get((), {}),
    }
    sides = {
        **{name: (f"currency {way}", f"of accounts that went {way}") for name, way in ACCOUNT_MEASURES.items()},
        "cage_in_cents": ("cage in", "that went in at the cage"),
        "cage_out_cents": ("cage out", "that went out at the cage"),
        BOUGHT: ("tables in", "for which known persons bought chips at tables"),
        **{
            name: (f"for others {way}", f"that somebody moved {way} for others")
            for name, way in OTHERS_MEASURES.items()
        },
    }
    return tuple(
        Identity(
            name,
            Figure(moved_cents.get(measure, 0)),
            shown.get(measure, NOTHING),
            f"sum of the movements of persons, and all currency {what}",
        )
        for measure, (name, what) in sides.items()
    )


def _marks(listed: Iterable[Applied]) -> tuple[Mark, ...]:
    columns = (
        "days/logged_cents",
        "days/unknown_cents",
        "reportable/cents",
        "log/cents",
        "instruments/cents",
        "warnings/cents",
    )
    return tuple(Mark(one.place, one.source, one.note or "", columns) for one in unconfirmed(listed))


CURRENCY: Final = Report(
    name="currency",
    title="Currency reports and logs (CTR, MTL)",
    about=(
        "Currency transactions of persons by gaming day, currency in and currency out separately, summed over "
        "all places where a person is known; a transaction counts for the person who conducts it and for "
        "everyone on whose behalf it is conducted. The report lists the totals to be reported with due dates "
        "and kinds of transactions, the log of each department, the list of monetary instruments, totals near "
        "a threshold, patterns that a person should review, and totals that were reportable until a "
        "transaction was voided. For each report it shows whether, when and by whom it was filed, FinCEN's "
        "answer, and whether it is still correct: if not, a sent report must be amended, an unsent one "
        "withdrawn. Persons are listed by reference; references that differ only in case are listed too. For "
        "periods of more than a week, the logs are totaled by gaming day and department (request a day for "
        "the lines), and totals near the threshold of a log only are not listed."
    ),
    sections=(DAYS, REPORTABLE, LINES, BELOW, LOG, INSTRUMENTS, WARNINGS, PATTERNS, AMENDED, FILED, ALIKE),
    sources=(
        *(AccountBoughtIn, AccountCashedOut, AccountOpened, PatronRegistered, PitRecorded, PitVoided),
        *(CageMoved, CageVoided, CheckRedeemed, RedemptionVoided, CheckRecovered, RecoveryVoided),
        *FILINGS,
    ),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Title 31 officer",),
    role=READ_PATRON_REPORTS,
)
