"""Check a rules submission against the catalogue, and resolve its selections, with defaults filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from shared.rules.catalogue import Catalogue, Option, Paytable, PaytableRow, Wager
from shared.rules.errors import Finding, Refused
from shared.rules.record import Meter, OfferedWager, Submission

OptionValue = bool | int | str | Fraction | None
"""The value of an option: a flag, whole number, word, text, share or decimal; None if not selected and no default."""

_LONGEST_TEXT: Final = 20_000
_SHARE: Final = re.compile(r"0(\.[0-9]{1,9})?|1(\.0{1,9})?")
_DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")

_KINDS: Final = {
    "flag": "true or false",
    "whole_number": "a whole number",
    "share": "a decimal string above 0 and up to 1, such as '0.50'",
    "choice": "one of the words that the catalogue lists",
    "decimal": "a decimal string such as '5.5'",
    "text": "a text of 1 to 20,000 characters",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """One wager that players may make under a submission: its paytable, options and meter, resolved."""

    name: str
    wager: Wager
    paytable: Paytable
    options: Mapping[str, OptionValue]
    meter: Meter | None


@dataclass(frozen=True, slots=True)
class Selection:
    """A submission that the catalogue allows, with all defaults filled in. `payout_limit` is in cents."""

    catalogue: Catalogue
    decks: int | None
    options: Mapping[str, OptionValue]
    offers: Mapping[str, Offer]
    payout_limit: int | None

    def offer(self, wager: str) -> Offer:
        """Return the offer of a wager; raise `Refused` if the submission does not offer it."""
        if wager not in self.offers:
            raise Refused(
                f"wager '{wager}' is not offered; there are: {', '.join(self.offers)}", paragraph=self.catalogue.offered
            )
        return self.offers[wager]


class Findings:
    """Collects the faults of a submission, each with its place as a JSON pointer and its paragraph."""

    def __init__(self) -> None:
        """Begin without faults."""
        self.found: list[Finding] = []

    def add(self, pointer: str, detail: str, paragraph: str | None) -> None:
        """Add a fault at a place, given as a JSON pointer."""
        self.found.append(Finding(pointer, detail, paragraph))


def select(catalogue: Catalogue, submission: Submission) -> Selection:
    """Resolve a submission; raise `Refused` if the regulation does not allow its selections."""
    selection, found = examine(catalogue, submission)
    if selection is None:
        raise Refused(found[0].detail, paragraph=found[0].paragraph)
    return selection


def examine(catalogue: Catalogue, submission: Submission) -> tuple[Selection | None, list[Finding]]:
    """Resolve a submission; if that is impossible, return None and all of its faults."""
    findings = Findings()
    decks, decks_known = _decks(catalogue, submission, findings)
    options = _options(catalogue.options, submission.options, ("", "/options"), catalogue.offered, findings)
    for name, option in catalogue.options.items():
        if option.most_decks is not None and options[name] and decks is not None and decks > option.most_decks:
            detail = f"option '{name}' allows {option.most_decks} decks at most, not {decks}"
            findings.add(f"/options/{name}", detail, option.paragraph)
    limit = _payout_limit(catalogue, submission, findings)
    for name in submission.wagers:
        if name not in catalogue.wagers or catalogue.wagers[name].offered != "optional":
            findings.add(
                f"/wagers/{name}",
                f"wager '{name}' is not an optional wager of {catalogue.id}; there are "
                + ", ".join(key for key, wager in catalogue.wagers.items() if wager.offered == "optional"),
                catalogue.offered,
            )
    offers = {}
    for name, wager in catalogue.wagers.items():
        if wager.offered != "optional" or name in submission.wagers:
            given = submission.wagers.get(name, OfferedWager())
            offer = _Offering(name, wager, given, findings).offer(options, decks, decks_known=decks_known)
            if offer is not None:
                offers[name] = offer
    if findings.found:
        return None, findings.found
    return Selection(catalogue=catalogue, decks=decks, options=options, offers=offers, payout_limit=limit), []


def _decks(catalogue: Catalogue, submission: Submission, findings: Findings) -> tuple[int | None, bool]:
    """Return the number of decks, and whether it is known; it is unknown if it is missing or invalid."""
    allowed, decks = catalogue.decks, submission.decks
    if allowed is None:
        if decks is not None:
            detail = f"'decks' {decks}: {catalogue.title} leaves no choice of decks; leave it out"
            findings.add("/decks", detail, catalogue.offered)
        return None, True
    if decks is None and allowed.fewest == allowed.most:
        return allowed.fewest, True
    if decks is None and allowed.default is not None:
        return allowed.default, True
    if decks is None:
        detail = "'decks' is missing: the submission says how many are used"
        findings.add("/decks", detail, allowed.paragraph)
        return None, False
    if decks < allowed.fewest or (allowed.most is not None and decks > allowed.most):
        most = "" if allowed.most is None else f" and at most {allowed.most}"
        findings.add("/decks", f"'decks' {decks}: at least {allowed.fewest}{most}", allowed.paragraph)
        return None, False
    return decks, True


def _payout_limit(catalogue: Catalogue, submission: Submission, findings: Findings) -> int | None:
    limit, allowed = submission.payout_limit, catalogue.payout_limit
    if limit is None:
        return None if allowed is None else allowed.default
    if allowed is None:
        detail = f"'payout_limit' {limit}: {catalogue.id} knows no payout limit"
        findings.add("/payout_limit", detail, catalogue.offered)
    elif limit < allowed.least:
        detail = f"'payout_limit' {limit} is below the least limit {allowed.least}"
        findings.add("/payout_limit", detail, allowed.paragraph)
    return limit


def _options(
    known: Mapping[str, Option],
    given: Mapping[str, bool | int | str],
    where: tuple[str, str],
    paragraph: str,
    findings: Findings,
) -> dict[str, OptionValue]:
    """Return the values of options; `where` is their place as text such as `wager 'x': `, and as a JSON pointer."""
    words, pointer = where
    for name in given:
        if name not in known:
            detail = f"{words}option '{name}' does not exist; there are: {', '.join(known) or 'none'}"
            findings.add(f"{pointer}/{name}", detail, paragraph)
    values: dict[str, OptionValue] = {}
    for name, option in known.items():
        values[name] = None
        if name in given:
            try:
                values[name] = _option(option, given[name])
            except ValueError as wrong:
                detail = f"{words}option '{name}' {given[name]!r}: {wrong}"
                findings.add(f"{pointer}/{name}", detail, option.paragraph)
        elif option.required:
            what = " or ".join(option.choices) or _KINDS[option.type]
            detail = f"{words}option '{name}' is missing: select {what}"
            findings.add(f"{pointer}/{name}", detail, option.paragraph)
        elif option.type == "flag":
            values[name] = bool(option.default)
        elif option.type in ("share", "decimal") and option.default is not None:
            values[name] = Fraction(str(option.default))
        else:
            values[name] = option.default
    return values


def _option(option: Option, value: bool | int | str) -> OptionValue:
    """Return the value of an option. Raises: ValueError that states the permitted values."""
    if option.type == "flag" and isinstance(value, bool):
        return value
    if option.type == "whole_number" and isinstance(value, int) and not isinstance(value, bool):
        if option.least is not None and value < option.least:
            raise ValueError(f"at least {option.least}")
        if option.most is not None and value > option.most:
            raise ValueError(f"at most {option.most}")
        return value
    if option.type == "share" and isinstance(value, str) and _SHARE.fullmatch(value) and Fraction(value) > 0:
        return Fraction(value)
    if option.type == "choice" and isinstance(value, str) and value in option.choices:
        return value
    if option.type == "text" and isinstance(value, str) and 1 <= len(value) <= _LONGEST_TEXT:
        return value
    if option.type == "decimal" and isinstance(value, str) and _DECIMAL.fullmatch(value):
        assert option.between is not None
        least, most = option.between
        if not Fraction(least) <= Fraction(value) <= Fraction(most):
            raise ValueError(f"at least {least} and at most {most}")
        return Fraction(value)
    raise ValueError(f"must be {_KINDS[option.type]}")


def _with_odds_of(paytable: Paytable, options: Mapping[str, OptionValue]) -> Paytable:
    """Return a paytable with the odds that options select; the paytable itself if no option selects odds."""
    if all(row.odds_from is None for row in paytable.rows):
        return paytable
    rows = tuple(row.model_copy(update={"odds": _odds_of(row, options)}) for row in paytable.rows)
    return paytable.model_copy(update={"rows": rows})


def _odds_of(row: PaytableRow, options: Mapping[str, OptionValue]) -> str | None:
    value = None if row.odds_from is None else options[row.odds_from]
    match value:
        case Fraction():  # a decimal is the number in "number to 1"
            return f"{Decimal(value.numerator) / Decimal(value.denominator):f} to 1"
        case str():
            return value
        case _:
            return row.odds


@dataclass(frozen=True, slots=True)
class _Offering:
    """A wager of the catalogue, with the submission's selections for it."""

    name: str
    wager: Wager
    given: OfferedWager
    findings: Findings

    def offer(self, options: Mapping[str, OptionValue], decks: int | None, *, decks_known: bool) -> Offer | None:
        """Return the resolved offer; None if its paytable cannot be determined."""
        name, wager = self.name, self.wager
        if wager.requires is not None and not options[wager.requires]:
            self._wrong("", f"wager '{name}' needs option '{wager.requires}', which is not selected", wager.paragraph)
        paytable = self._paytable(decks, decks_known=decks_known)
        where = (f"wager '{name}': ", f"/wagers/{name}")
        own = _options(wager.options, self.given.options, where, wager.paragraph, self.findings)
        if paytable is None:
            return None
        meter = self._meter(paytable) if paytable.meter is None else self._fixed_meter(paytable)
        selected = _with_odds_of(paytable, options)
        return Offer(name=name, wager=wager, paytable=selected, options=own, meter=meter)

    def _wrong(self, place: str, detail: str, paragraph: str | None) -> None:
        self.findings.add(f"/wagers/{self.name}{place}", detail, paragraph)

    def _paytable(self, decks: int | None, *, decks_known: bool) -> Paytable | None:
        name, wager, selected = self.name, self.wager, self.given.paytable
        in_play = "the decks in play" if decks is None else "1 deck" if decks == 1 else f"{decks} decks"
        tables = [table for table in wager.paytables if selected is None or table.name == selected]
        if not tables:
            names = ", ".join(table.name for table in wager.paytables if table.name) or "none to select"
            detail = f"wager '{name}' has no paytable {selected!r}; there are: {names}"
            self._wrong("/paytable", detail, wager.paytables[0].paragraph)
            return None
        allowed = [table for table in tables if table.is_for(decks)] if decks_known else tables
        if not allowed and selected is not None:
            detail = f"wager '{name}': paytable {selected} is for {tables[0].decks}, not for {in_play}"
            self._wrong("/paytable", detail, tables[0].paragraph)
        elif not allowed:
            self._wrong("", f"wager '{name}' has no paytable for {in_play}", wager.paytables[0].paragraph)
        elif len(allowed) > 1 and selected is None:
            if decks_known:
                names = ", ".join(table.name for table in allowed if table.name)
                detail = f"wager '{name}': 'paytable' is missing; select one of {names}"
                self._wrong("/paytable", detail, allowed[0].paragraph)
            return None
        return allowed[0] if allowed else None

    def _meter(self, paytable: Paytable) -> Meter | None:
        name, terms, given = self.name, self.wager.meter, self.given.meter
        if terms is None:
            if given is not None:
                self._wrong("/meter", f"wager '{name}' has no progressive meter", self.wager.paragraph)
            return None
        if given is None:
            detail = f"wager '{name}': 'meter' with its rate and reset amount is missing"
            self._wrong("/meter", detail, terms.paragraph)
            return None
        if given.reserve_rate is not None:
            detail = f"wager '{name}': 'reserve_rate' {given.reserve_rate!r}: there is no reserve for this meter"
            self._wrong("/meter/reserve_rate", detail, terms.paragraph)
        if given.reset < terms.least_reset:
            detail = f"wager '{name}': 'reset' {given.reset} is below the least reset amount {terms.least_reset}"
            self._wrong("/meter/reset", detail, terms.paragraph)
        if paytable.reset is not None and given.reset != paytable.reset:
            detail = (
                f"wager '{name}': 'reset' {given.reset}: paytable {paytable.name} has the reset amount {paytable.reset}"
            )
            self._wrong("/meter/reset", detail, paytable.paragraph)
        if paytable.least_rate is not None and Fraction(given.rate) < Fraction(paytable.least_rate):
            detail = (
                f"wager '{name}': 'rate' {given.rate!r} is below the least rate of progression {paytable.least_rate}"
            )
            self._wrong("/meter/rate", detail, terms.rate_paragraph)
        return given

    def _fixed_meter(self, paytable: Paytable) -> Meter:
        """Return the meter that a paytable fixes; the submission may omit or repeat it."""
        terms, given = paytable.meter, self.given.meter
        assert terms is not None
        if given is not None:
            stated = {"reset": given.reset, "rate": Fraction(given.rate)}
            fixed = {"reset": terms.reset, "rate": Fraction(terms.rate)}
            if given.reserve_rate is not None:
                stated["reserve_rate"] = Fraction(given.reserve_rate)
                fixed["reserve_rate"] = Fraction(terms.reserve_rate or 0)
            for field, value in stated.items():
                if value != fixed[field]:
                    detail = (
                        f"wager '{self.name}': the meter does not match paytable {paytable.name}: '{field}' is "
                        f"{getattr(given, field)}, the paytable says {getattr(terms, field) or 'none'}"
                    )
                    self._wrong(f"/meter/{field}", detail, paytable.paragraph)
        return Meter(rate=terms.rate, reset=terms.reset, reserve_rate=terms.reserve_rate)
