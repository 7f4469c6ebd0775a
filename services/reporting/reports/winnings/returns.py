"""The information returns of a year: amounts to be reported, amounts as filed, and deadlines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from itertools import count
from typing import Any, Final, NamedTuple

from pydantic_core import to_json

from services.reporting.framework.document import Column, Section
from services.reporting.framework.figures import Cell, Figure, total
from services.reporting.read_model.filings import AMENDMENT, LATE, REJECTED, STEPS, FilingSteps, filings_of
from services.reporting.read_model.reading import Books
from services.reporting.reports.winnings.forms import FormEntry
from services.reporting.reports.winnings.sections import STATE, TREATY, WITHHELD_BESIDE
from shared.contracts.filings import PreparedReport
from shared.jurisdictions import Pack
from shared.jurisdictions.returns import ReturnField, due_on
from shared.runtime.filing.steps import UNSENT

RETURNS: Final = Section(
    name="returns",
    title="Information returns",
    key=("form", "year", "account_number"),
    columns=(
        Column(name="form", title="Form"),
        Column(name="year", title="Year", formula="calendar year of the payment"),
        Column(
            name="account_number",
            title="Account number",
            formula="account number of the return, derived from the patron and the win, gaming day or year",
        ),
        Column(name="patron", title="Patron", formula="by reference"),
        Column(name="residence", title="Tax residence", formula="country, if known"),
        Column(name="won_on", title="Won on", unit="day", formula="date of the first win, on the property's clock"),
        Column(name="wager", title="Wager"),
        Column(name="forms", title="Forms", unit="count", formula="number of forms of the log on the return"),
        Column(name="winnings_cents", title="Winnings", unit="cents"),
        Column(name="regular_cents", title="Regular withholding", unit="cents", formula="to be withheld in every case"),
        Column(
            name="withheld_cents",
            title="Withheld",
            unit="cents",
            formula="federal tax withheld, as cashiers recorded it; empty if nothing was recorded for a form",
        ),
        *TREATY,
        *STATE,
        *WITHHELD_BESIDE,
        Column(name="identified_by", title="Identified by", formula="types of identification documents"),
        Column(name="copy_by", title="Copy by", unit="day", formula="date by which the winner must have a copy"),
        Column(name="file_by", title="File by", unit="day"),
        Column(
            name="status",
            title="Status",
            formula=(
                "due: not in any filing; to_correct: sent with other amounts or details, or its wins were reversed; "
                "to_withdraw: prepared with other amounts or details but not sent (the return or a later correction)"
            ),
        ),
        Column(
            name="filing",
            title="Filing",
            formula="the latest filing of the return that was sent and not rejected; if there is none, the latest one",
        ),
        Column(name="filed_winnings_cents", title="Winnings as filed", unit="cents"),
        Column(name="filed_withheld_cents", title="Withheld as filed", unit="cents"),
        Column(name="filed_state_withheld_cents", title="Withheld for the state as filed", unit="cents"),
        Column(name="filed_local_withheld_cents", title="Withheld for the locality as filed", unit="cents"),
        Column(
            name="late",
            title="Late",
            formula="not sent by the due date, or sent after it; for corrections, the date of the first return counts",
        ),
        *STEPS,
        AMENDMENT,
        Column(name="amended_winnings_cents", title="Winnings as amended", unit="cents"),
        Column(name="amended_withheld_cents", title="Withheld as amended", unit="cents"),
        Column(name="amended_state_withheld_cents", title="Withheld for the state as amended", unit="cents"),
        Column(name="amended_local_withheld_cents", title="Withheld for the locality as amended", unit="cents"),
        REJECTED,
        Column(
            name="basis",
            title="Details",
            formula=(
                "digest of the details of the return that are no amounts, such as residence and wager; a return was "
                "filed with other details if its filing has another digest"
            ),
        ),
    ),
)

WITHHELD: Final = ("withheld_cents", "state_withheld_cents", "local_withheld_cents")
"""The columns of withheld taxes in returns and filings: federal, state, local."""

_NUMBERS: Final = 10**10


class _Filed(NamedTuple):
    """An information return as reported in a filing.

    `correction` is a later report of the same return that was not sent. `rejected` is a later report that was rejected
    and has not been filed again. `first` is the filing of the first report that was sent and not rejected, to which the
    deadline applies; None if there is none.
    """

    steps: FilingSteps
    report: PreparedReport
    correction: "_Filed | None" = None
    rejected: "_Filed | None" = None
    first: FilingSteps | None = None

    @property
    def filing(self) -> int:
        """Return the number of the filing that contains the report."""
        return self.steps.prepared.filing

    @property
    def status(self) -> str:
        """Return the status of the report in its filing."""
        return self.steps.status_of(self.report.report)

    @property
    def cents(self) -> dict[str, int]:
        """Return the filed winnings and withheld taxes in cents, by column name."""
        return {name: getattr(self.report, name) or 0 for name in ("winnings_cents", *WITHHELD)}

    def holds(self, cents: tuple[int, ...], basis: str | None) -> bool:
        """Return whether these are the filed amounts and details; details are compared only if both are known."""
        filed = self.report.basis
        return cents == tuple(self.cents.values()) and (None in (basis, filed) or basis == filed)

    def is_replaced_by(self, new: "_Filed") -> bool:
        """Return whether this report corrects a return to zero, and `new` in the same filing replaces it."""
        return not self.report.winnings_cents and new.filing == self.filing


@dataclass(frozen=True, slots=True)
class LoggedForm:
    """An entry of the log of forms, with the values of its row, and the win or gaming day that identifies it."""

    entry: FormEntry
    row: dict[str, Any]
    known_by: str
    wager: str
    won_on: date


class Return(NamedTuple):
    """An information return, with the forms of the log that it covers."""

    account_number: str
    forms: Sequence[LoggedForm]

    @property
    def entry(self) -> FormEntry:
        """Return the first of the forms; all of them have the same patron and year."""
        return self.forms[0].entry


async def return_rows(
    books: Books, logged: Sequence[tuple[Pack, Sequence[LoggedForm]]], is_asked: Callable[[FormEntry], bool]
) -> list[dict[str, Any]]:
    """Return the rows of information returns that cover queried forms of the log; empty unless a year is queried.

    If all tables and games are queried, filed returns that no longer have a form are included, except rejected ones,
    which need no correction.
    """
    question = books.question
    if question.period != "year":
        return []
    filed, rows = _filed(await filings_of(books)), []
    for law, forms in logged:
        for one in returns_of(law, forms):
            before = filed.pop((one.entry.form, str(one.entry.year), one.account_number), None)
            if any(is_asked(form.entry) for form in one.forms):
                rows.append(_row(books, law, one, before))
    if question.table is None and question.game is None:
        gone = {key: before for key, before in filed.items() if before.status != "rejected"}
        for (form, year, number), before in gone.items():
            for law in (law for law, _ in logged if form in law.returns and year == str(question.first.year)):
                rows.append(_gone(books, law, form, number, before))
    return rows


def returns_of(law: Pack, logged: Iterable[LoggedForm]) -> list[Return]:
    """Return the information returns for the log's forms: one per form, or one per recipient and year.

    Winnings with relief under a treaty are on a separate return, because their rate differs; so are those that a
    recipient won as a resident of another country.
    """
    together: dict[tuple[str, ...], list[LoggedForm]] = {}
    residences: dict[tuple[str, ...], str | None] = {}
    for one in logged:
        entry = one.entry
        if entry.form in law.returns:
            rule = law.returns[entry.form].returned.on(date(entry.year, 12, 31)).value
            treaty = entry.candidates[0].treaty
            key = (entry.property, entry.form, str(entry.year), entry.patron or "", *((treaty,) if treaty else ()))
            if rule != "recipient" or entry.patron is None:
                key = (*key, one.known_by)
            # The residence first known is not part of the key: if it is corrected, the return keeps its number.
            residence = one.row.get("residence")
            if residences.setdefault(key, residence) != residence:
                key = (*key, residence or "")
            together.setdefault(key, []).append(one)
    taken: set[str] = set()
    return [Return(_account_number(key, taken), forms) for key, forms in together.items()]


def _account_number(key: tuple[str, ...], taken: set[str]) -> str:
    """Return an unused ten-digit account number, derived from a return's key, and add it to `taken`."""
    for again in count():
        digest = sha256("\x1f".join((*key, *("again",) * again)).encode())
        found = f"{int(digest.hexdigest(), 16) % _NUMBERS:010}"
        if found not in taken:
            taken.add(found)
            return found
    raise AssertionError("numbers do not end")


def _filed(filings: Sequence[FilingSteps]) -> dict[tuple[str, str, str], _Filed]:
    """Return the current report of each return, keyed by form, year and account number.

    The current report is the last one that was sent and not rejected. A later report that was not sent is its
    `correction`, and a later rejected one its `rejected`. If none was sent, the current report is the last one
    prepared. A rejected report is current only if there is no other report, or if the report that it should replace was
    corrected to zero in the same filing.
    """
    sent, unsent, rejected, first = (dict[tuple[str, str, str], _Filed]() for _ in range(4))
    for one in filings:
        for report in one.prepared.reports:
            if report.account_number is not None:
                status = one.status_of(report.report)
                found = rejected if status == "rejected" else unsent if status in UNSENT else sent
                filed = _Filed(one, report)
                number = (one.prepared.form, one.prepared.period, report.account_number)
                found[number] = filed
                if found is sent:
                    first.setdefault(number, filed)
    last = rejected | unsent
    for key, filed in sent.items():
        new = None if key in unsent else rejected.get(key)
        if new is None or not filed.is_replaced_by(new):
            again = None if new is None or new.filing < filed.filing else new
            last[key] = filed._replace(correction=unsent.get(key), rejected=again, first=first[key].steps)
    return last


def _row(books: Books, law: Pack, one: Return, before: _Filed | None) -> dict[str, Any]:
    winnings = total(form.row["amount_cents"] for form in one.forms)
    withheld = {name: _recorded(one.forms, name) for name in WITHHELD}
    row = {
        **{name: one.forms[0].row[name] for name in ("form", "year", "patron", "residence", "treaty", "state_code")},
        "rate_percent": one.forms[0].row["rate_percent"],
        "account_number": one.account_number,
        "won_on": min(form.won_on for form in one.forms),
        "wager": ", ".join(dict.fromkeys(form.wager for form in one.forms)),
        "forms": len(one.forms),
        "winnings_cents": winnings,
        "regular_cents": total(form.row["regular_cents"] for form in one.forms),
        "state_cents": total(form.row["state_cents"] for form in one.forms),
        **withheld,
        "identified_by": next((form.row["identified_by"] for form in one.forms if form.row.get("identified_by")), None),
    }
    row["basis"] = _basis(law, one, row)
    cents = (winnings.value, *(0 if known is None else known.value for known in withheld.values()))
    return row | dict(_became(books, law, (one.entry.form, one.entry.year), cents, row["basis"], before))


def _basis(law: Pack, one: Return, row: Mapping[str, Any]) -> str:
    """Return the digest of what a return says beside its amounts, in the fields that the form has."""
    layout = law.returns[one.entry.form].layout.on(date(one.entry.year, 12, 31)).value
    details: dict[ReturnField, str] = {
        "recipient.residence": str(row["residence"]),
        "won_on": row["won_on"].isoformat(),
        "wager": row["wager"],
        "tax_rate": f"{row['treaty']} {row['rate_percent']}",
        "state.code": str(row["state_code"]),
        "recipient.second_document": ", ".join((row["identified_by"] or "").split(", ")[1:2]),
    }
    written = [
        said[: column.length_max] if column.shortened else said
        for field, said in details.items()
        if (column := layout.column(field)) is not None
    ]
    return sha256(to_json(written)).hexdigest()[:16]


def _recorded(forms: Sequence[LoggedForm], name: str) -> Figure | None:
    """Return the tax withheld in cents, as cashiers recorded it on the forms; None if a form has no such record."""
    found = [form.row.get(name) for form in forms]
    return None if None in found else total(one for one in found if one is not None)


def _gone(books: Books, law: Pack, form: str, number: str, before: _Filed) -> dict[str, Any]:
    """Return the row of a filed return that no form of the log supports any more."""
    steps, report = before.steps, before.report
    year = int(steps.prepared.period)
    said = law.forms[form].on(date(year, 12, 31)).value
    nothing = Figure(0, steps.entries)
    row = {
        "form": said.number or said.title,
        "year": steps.prepared.period,
        "account_number": number,
        "patron": report.reference,
        "forms": 0,
        **dict.fromkeys(("winnings_cents", "regular_cents", "state_cents", *WITHHELD), nothing),
    }
    return row | dict(_became(books, law, (form, year), (0,) * (1 + len(WITHHELD)), None, before))


def _became(
    books: Books, law: Pack, of: tuple[str, int], cents: tuple[int, ...], basis: str | None, before: _Filed | None
) -> Iterator[tuple[str, Any]]:
    """Yield the cells about a return's filing.

    `cents` are the return's current winnings and withheld taxes, `basis` its details; None without a form.
    """
    form, year = of
    rule, today = law.returns[form], books.place.gaming_day(books.question.known_at)
    file_by = due_on(rule.file_by, year)
    yield "copy_by", due_on(rule.copy_by, year)
    yield "file_by", file_by
    if before is None:
        yield "status", "due"
        yield "late", LATE if file_by < today else ""
        return
    steps, later = before.steps, before.correction
    status = before.status
    late = [(before.first or steps).lateness(status, file_by, today, books)]
    if later is not None and not later.holds(cents, basis):
        status = "to_withdraw"
    elif status != "rejected" and not before.holds(cents, basis):
        status = "to_withdraw" if status in UNSENT else "to_correct"
    yield from steps.steps()
    yield "status", Cell(status, (*steps.entries, *(later.steps.entries if later else ())))
    for name, value in before.cents.items():
        yield f"filed_{name}", Figure(value, steps.entries)
    if later is not None:
        yield from later.steps.as_amendment()
        for name, value in later.cents.items():
            yield f"amended_{name}", Figure(value, later.steps.entries)
    if (again := _again(before, status)) is not None:
        late.append(again.steps.lateness(again.status, file_by, today, books))
        yield from again.steps.as_rejected()
    yield "late", next(filter(None, late), "")


def _again(before: _Filed, status: str) -> _Filed | None:
    """Return the rejected report that must be filed again, or None.

    If a return was corrected to zero and replaced in the same filing, and only the replacement was accepted, the
    correction must be filed again.
    """
    if status == "rejected":
        return before
    rejected = before.rejected
    return rejected if rejected is not None and (status == "to_correct" or rejected.filing == before.filing) else None
