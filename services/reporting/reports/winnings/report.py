"""The log of reportable winnings (Forms W-2G and 1042-S): candidates by wager, and a form for each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from services.reporting.domain.federal.state_withholding import applied_to, state_tax_cents
from services.reporting.domain.federal.winnings import Candidate, candidates
from services.reporting.domain.law import Applied, unconfirmed
from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Identity, Mark, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Sources, total
from services.reporting.read_model.filings import FILINGS
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.winnings import Won, posted_rounds
from services.reporting.reports.winnings.forms import FormEntry, forms
from services.reporting.reports.winnings.returns import RETURNS, LoggedForm, return_rows
from services.reporting.reports.winnings.sections import CANDIDATES, FORMS
from services.reporting.reports.winnings.winners import SOURCES, Winners, won_and_winners
from shared.contracts.accounts import AccountOpened, PatronRegistered
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.jurisdictions import Pack, past_review
from shared.jurisdictions.forms import StateWithholding
from shared.runtime.http.roles import READ_PATRON_REPORTS


@dataclass(frozen=True, slots=True)
class _Kept:
    """The possibly reportable lines of a property under one pack, with their winners."""

    law: Pack
    state: StateWithholding | None
    winners: Winners
    lines: Mapping[int, Won]

    def of(self, candidate: Candidate) -> Sequence[Won]:
        return [self.lines[id(line)] for line in candidate.lines]

    def because(self, candidate: Candidate) -> Sources:
        return tuple(dict.fromkeys(one.entry for one in self.of(candidate)))

    def win(self, candidate: Candidate) -> str:
        """Return the text that identifies a win, unaffected by corrections of other seats or wagers of its round."""
        first, combined = candidate.lines[0], _applied(candidate, "combined")
        seat = f"{first.occasion()}/{first.seat}"
        return seat if combined is not None and combined.value == "seat_and_round" else f"{seat}/{first.wager}"

    def residence(self, candidate: Candidate) -> str | None:
        return self.winners.residence(self.of(candidate)[0])

    def recorded(self, found: Iterable[Candidate]) -> list[Listed]:
        listed = (self.winners.of(one) for candidate in found for one in self.of(candidate))
        return list({one.entry: one for one in listed if one is not None}.values())

    def account(self, candidate: Candidate) -> str | None:
        return ", ".join(dict.fromkeys(one.account for one in self.of(candidate) if one.account)) or None


async def _fill(books: Books) -> Content:
    listed, winners = await won_and_winners(books, {_country(law) for law in books.place.reporting})
    rows: list[dict[str, Any]] = []
    logged: list[dict[str, Any]] = []
    returned: list[tuple[Pack, list[LoggedForm]]] = []
    found: list[Candidate] = []
    for law in books.place.reporting:
        whose = [_of_winner(books, one, winners, law) for one in listed]
        state = books.place.law.state_withholding
        kept = _Kept(law, state, winners, {id(one.line): one for one in whose})
        judged = _of_residents(kept, candidates(law, [one.line for one in whose]))
        mine = [one for one in judged if _is_asked(books, one)]
        found += mine
        rows += [_candidate(kept, one) for one in mine]
        log = [_logged(books, kept, entry) for entry in _log(books, judged)]
        logged += [one.row for one in log if _is_asked(books, one.entry.candidates[0])]
        returned.append((law, log))
    returns = await return_rows(books, returned, lambda entry: _is_asked(books, entry.candidates[0]))
    sections = (fill(CANDIDATES, rows), fill(FORMS, logged), fill(RETURNS, returns))
    identities = (*await _identities(books, found, logged), *_returned_once(books, returned, logged, returns))
    return Content(sections, identities, _marks(books, found))


def _of_winner(books: Books, won: Won, winners: Winners, law: Pack) -> Won:
    """Return a line with its winner and the property's choice; a winner not known as resident may be an alien."""
    is_resident = winners.residence(won) == _country(law)
    chosen = books.place_on(won.line.gaming_day).document.winnings_reduced_by_wager
    patron = winners.patron(won)
    line = replace(won.line, patron=patron, nonresident_alien=not is_resident, reduced_by_wager=chosen)
    return replace(won, line=replace(line, residence=winners.residence(won), **winners.claim(won)))


def _country(law: Pack) -> str:
    """Return the country code at the start of a pack's id, such as `US` for `us-federal`."""
    return law.id.partition("-")[0].upper()


def _of_residents(kept: _Kept, judged: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates for forms, without forms for residents if the winner is known to be a nonresident.

    If the winner's residence is unknown, the candidates for both forms are returned, and a person decides.
    """
    nonresidents = {
        id(line)
        for one in judged
        if kept.law.reportable_winnings[one.rule].winner == "nonresident_alien" and kept.residence(one) is not None
        for line in one.lines
    }
    return [
        one
        for one in judged
        if kept.law.reportable_winnings[one.rule].winner == "nonresident_alien"
        or not nonresidents & {id(line) for line in one.lines}
    ]


def _is_asked(books: Books, candidate: Candidate) -> bool:
    """Return whether a candidate is in the queried period: by date of payment for a year, else by gaming day."""
    line, question = candidate.lines[0], books.question
    return (
        question.first <= (line.paid_on if question.period == "year" else line.gaming_day) <= question.last
        and question.table in (None, line.table)
        and question.game in (None, line.game)
    )


def _log(books: Books, judged: Iterable[Candidate]) -> list[FormEntry]:
    """Return the log of forms, numbered within each form and year; wins are combined as the property chose."""

    def is_aggregated(day: date) -> bool:
        return books.place_on(day).document.winnings_forms == "patron_day"

    logs: dict[tuple[str, int], list[Candidate]] = {}
    for one in judged:
        logs.setdefault((one.form, one.lines[0].paid_on.year), []).append(one)
    return [entry for log in logs.values() for entry in forms(log, aggregated_on=is_aggregated)]


def _candidate(kept: _Kept, one: Candidate) -> dict[str, Any]:
    line, because = one.lines[0], kept.because(one)
    threshold = _applied(one, "threshold_cents")
    ratio = _applied(one, "wager_ratio")
    return {
        "form": _number(kept.law, one.form, line.paid_on),
        "win": Cell(kept.win(one), because),
        "winner": kept.law.reportable_winnings[one.rule].winner,
        "gaming_day": line.gaming_day,
        "paid_on": line.paid_on,
        "moment": line.moment,
        "table": line.table,
        "game": line.game,
        "wager": ", ".join(dict.fromkeys(each.wager_words or each.wager for each in one.lines)),
        "stake_cents": Figure(one.stake_cents, because),
        "amount_cents": Figure(one.amount_cents, because),
        "odds": line.odds,
        "capped": line.capped,
        "ratio": None if one.ratio is None else str(one.ratio),
        "threshold_cents": None if threshold is None else int(threshold.value),
        "least_ratio": None if ratio is None else int(ratio.value),
        "account": kept.account(one),
        "patron": line.patron,
        "residence": kept.residence(one),
        "regular_cents": Figure(_withheld(one, "regular"), because),
        "backup_cents": Figure(_withheld(one, "backup"), because),
        "source": None if threshold is None else threshold.source,
        "status": None if threshold is None else threshold.status,
    }


def _logged(books: Books, kept: _Kept, entry: FormEntry) -> LoggedForm:
    """Return an entry of the log; `known_by` is the gaming day if the form combines a day's wins, else the win."""
    first = entry.candidates[0]
    win = f"{first.lines[0].table} {kept.win(first)}"
    return LoggedForm(
        entry=entry,
        row=_form(kept, entry),
        known_by=str(entry.gaming_day) if entry.is_of_day else win,
        wager=first.lines[0].wager_words or first.lines[0].wager,
        won_on=first.lines[0].moment.astimezone(books.place.zone).date(),
    )


def _form(kept: _Kept, entry: FormEntry) -> dict[str, Any]:
    first = entry.candidates[0]
    because = tuple(dict.fromkeys(ref for one in entry.candidates for ref in kept.because(one)))
    return {
        "form": _number(kept.law, entry.form, first.lines[0].paid_on),
        "year": str(entry.year),
        "number": entry.number,
        "winner": kept.law.reportable_winnings[first.rule].winner,
        "gaming_day": entry.gaming_day,
        "account": kept.account(first),
        "patron": entry.patron,
        "residence": kept.residence(first),
        "wins": Cell(", ".join(kept.win(one) for one in entry.candidates), because),
        "amount_cents": Figure(entry.amount_cents, because),
        "regular_cents": Figure(entry.regular_cents, because),
        "backup_cents": Figure(entry.backup_cents, because),
        "treaty": first.treaty,
        "rate_percent": _rate_percent(first),
        "state_code": None if kept.state is None or kept.state.form != entry.form else kept.state.state_code,
        "state_cents": Figure(state_tax_cents(kept.state, entry.candidates), because),
        **_recorded(kept.recorded(entry.candidates)),
        **_withheld_taxes(kept, entry),
    }


def _rate_percent(one: Candidate) -> str | None:
    """Return the rate of regular withholding in percent, with two decimals; None if nothing is withheld."""
    rate = next((each.rate for each in one.withholdings if each.kind == "regular"), None)
    return None if rate is None else f"{float(rate * 100):.2f}"


def _recorded(said: Sequence[Listed]) -> dict[str, Any]:
    """Return cells with cashiers' records of the wins on a form; `filed_on` is empty until all wins are filed."""
    if not said:
        return {}
    facts, entries = [one.fact for one in said], tuple(one.entry for one in said)

    def together(values: Iterable[str | None]) -> str | None:
        return ", ".join(dict.fromkeys(value for value in values if value)) or None

    filed = [fact.filed_on for fact in facts if fact.filed_on is not None]
    return {
        "form_number": together(fact.form_number for fact in facts),
        "identified_by": together(kind for fact in facts for kind in fact.identified_by),
        "tax_number": together(fact.tax_number for fact in facts),
        "filed_on": Cell(max(filed), entries) if len(filed) == len(facts) else None,
    }


def _withheld_taxes(kept: _Kept, entry: FormEntry) -> dict[str, Any]:
    """Return cells with the taxes that cashiers recorded as withheld, and required withholding without a record.

    A tax is left out if cashiers recorded nothing about the form, or if it was required for a win and no cashier
    recorded the withheld amount.
    """
    said = kept.recorded(entry.candidates)
    cells: dict[str, Any] = {"unrecorded_cents": NOTHING}
    for name, demanded in _DEMANDED.items():
        unrecorded = [
            Figure(cents, kept.because(one))
            for one in entry.candidates
            if (cents := demanded(kept, one))
            and all(getattr(listed.fact, name) is None for listed in kept.recorded([one]))
        ]
        cells["unrecorded_cents"] = total((cells["unrecorded_cents"], *unrecorded))
        if said and not unrecorded:
            cells[name] = total(Figure(getattr(one.fact, name) or 0, (one.entry,)) for one in said)
    return cells


_DEMANDED: Final[Mapping[str, Callable[[_Kept, Candidate], int]]] = {
    "withheld_cents": lambda _, one: _withheld(one, "regular"),
    "state_withheld_cents": lambda kept, one: state_tax_cents(kept.state, [one]),
    "local_withheld_cents": lambda _kept, _one: 0,
}
"""For each withheld tax, the amount in cents that must be withheld from a win in any case; no pack has a local tax."""


def _applied(one: Candidate, what: str) -> Applied | None:
    return next((applied for applied in one.applied if applied.place.endswith(f".{what}")), None)


def _number(law: Pack, form: str, day: date) -> str:
    found = law.forms[form].on(day).value
    return found.number or found.title


def _withheld(one: Candidate, kind: str) -> int:
    return sum(each.amount_cents for each in one.withholdings if each.kind == kind)


async def _identities(
    books: Books, found: Sequence[Candidate], logged: Sequence[Mapping[str, Any]]
) -> tuple[Identity, ...]:
    lines = [line for one in found for line in one.lines]
    rounds = {(line.gaming_day, line.table, line.round_id) for line in lines if line.round_id is not None}
    return (
        Identity(
            "forms and candidates",
            Figure(sum(one.amount_cents for one in found)),
            Figure(sum(row["amount_cents"].value for row in logged)),
            "every candidate is on exactly one form",
        ),
        Identity(
            "rounds",
            Figure(len(rounds)),
            Figure(sum(one.times for one in (await posted_rounds(books, rounds)).values())),
            "each round with a candidate has one settlement in effect",
            unit="count",
        ),
    )


def _returned_once(
    books: Books,
    returned: Sequence[tuple[Pack, object]],
    logged: Sequence[Mapping[str, Any]],
    returns: Sequence[Mapping[str, Any]],
) -> tuple[Identity, ...]:
    """Return the identity that a year's returns equal the log; none for one table or game: returns can cover more."""
    question = books.question
    if question.period != "year" or question.table is not None or question.game is not None:
        return ()
    titles = {_number(law, form, question.last) for law, _ in returned for form in law.returns}
    return (
        Identity(
            "forms and returns",
            Figure(sum(row["amount_cents"].value for row in logged if row["form"] in titles)),
            Figure(sum(row["winnings_cents"].value for row in returns)),
            "every form is on exactly one information return",
        ),
    )


def _choice(books: Books, columns: tuple[str, ...]) -> tuple[Mark, ...]:
    """Return a remark on each rule that lets the property choose whether to deduct the wager, if it has not chosen."""
    if books.place.document.winnings_reduced_by_wager is not None:
        return ()
    held = (
        (rule.reduced_by_wager.on(books.question.last), name)
        for law in books.place.reporting
        for name, rule in law.reportable_winnings.items()
    )
    return tuple(
        Mark("choice of the licensee", dated.source, f"{name}: none was made, so {dated.value} holds", columns)
        for dated, name in held
        if dated.value in ("if_payer_chooses", "unless_payer_declines")
    )


def _marks(books: Books, found: Sequence[Candidate]) -> tuple[Mark, ...]:
    columns = ("candidates/amount_cents", "forms/amount_cents")
    applied = dict.fromkeys(unconfirmed(law for one in found for law in one.applied))
    state = books.place.law.state_withholding
    of_state = dict.fromkeys(unconfirmed(law for one in found for law in applied_to(state, one)))
    # A threshold that is past review may be wrong even if no win reached it, so the mark does not depend on wins.
    for law in books.place.reporting:
        for name, part in (("reportable_winnings", law.reportable_winnings), ("returns", law.returns)):
            late = past_review(part, name, books.question.last)
            applied |= dict.fromkeys(Applied.of(place, dated) for place, dated in late)
    return (
        Mark(
            "nonresident aliens",
            "the lines of settlements that are kept",
            (
                "wins reportable only for nonresident aliens are listed only if an account or a cashier identifies "
                "the winner and the tax residence"
            ),
            ("candidates/winner", "forms/winner"),
        ),
        *_choice(books, columns),
        *(Mark(one.place, one.source, one.note or "", columns) for one in applied),
        *(Mark(one.place, one.source, one.note or "", ("forms/state_cents",)) for one in of_state),
    )


WINNINGS: Final = Report(
    name="winnings",
    title="Winnings to report (W-2G, 1042-S)",
    about=(
        "Wins that reach the reporting thresholds for the year of payment: candidates for forms, the winner "
        "where an account or a cashier identifies one, and the status of each form. For a year, wins are "
        "those paid in it by the property's clock; other periods go by gaming day. Wins of reversed rounds "
        "are excluded."
    ),
    sections=(CANDIDATES, FORMS, RETURNS),
    sources=(SettlementPosted, SettlementReversed, AccountOpened, PatronRegistered, *SOURCES, *FILINGS),
    fill=_fill,
    signatures=("Cage supervisor", "Revenue audit"),
    role=READ_PATRON_REPORTS,
)
