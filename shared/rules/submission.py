"""Check a rules submission against the catalogue, and resolve what it selects."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from shared.rules.catalogue import Catalogue, Option, Paytable, Wager
from shared.rules.errors import Refused
from shared.rules.record import Meter, OfferedWager, Submission

OptionValue = bool | int | str | Fraction | None
"""A flag, a whole number, a word or text, a share or decimal, or None: nothing was selected and there is no default."""

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
    """A submission that the catalogue allows, with every default filled in. `payout_limit` is in cents."""

    catalogue: Catalogue
    decks: int | None
    options: Mapping[str, OptionValue]
    offers: Mapping[str, Offer]
    payout_limit: int | None

    def offer(self, wager: str) -> Offer:
        """Return the offer of a wager; raise `Refused` where the submission does not offer it."""
        if wager not in self.offers:
            raise Refused(
                f"wager '{wager}' is not offered; there are: {', '.join(self.offers)}", paragraph=self.catalogue.offered
            )
        return self.offers[wager]


def select(catalogue: Catalogue, submission: Submission) -> Selection:
    """Resolve a submission; raise `Refused` where it selects what the regulation does not allow."""
    decks = _decks(catalogue, submission)
    options = _options(catalogue.options, submission.options, "option", catalogue.offered)
    for name, option in catalogue.options.items():
        if option.most_decks is not None and options[name] and decks is not None and decks > option.most_decks:
            raise Refused(
                f"option '{name}' allows {option.most_decks} decks at most, not {decks}", paragraph=option.paragraph
            )
    limit = _payout_limit(catalogue, submission)
    for name in submission.wagers:
        if name not in catalogue.wagers or catalogue.wagers[name].offered != "optional":
            raise Refused(
                f"wager '{name}' is not an optional wager of {catalogue.id}; there are "
                + ", ".join(key for key, wager in catalogue.wagers.items() if wager.offered == "optional"),
                paragraph=catalogue.offered,
            )
    offers = {
        name: _offer(name, wager, submission.wagers.get(name, OfferedWager()), options, decks)
        for name, wager in catalogue.wagers.items()
        if wager.offered != "optional" or name in submission.wagers
    }
    return Selection(catalogue=catalogue, decks=decks, options=options, offers=offers, payout_limit=limit)


def _decks(catalogue: Catalogue, submission: Submission) -> int | None:
    allowed, decks = catalogue.decks, submission.decks
    if allowed is None:
        if decks is not None:
            raise Refused(
                f"'decks' {decks}: {catalogue.title} leaves no choice of decks; leave it out",
                paragraph=catalogue.offered,
            )
        return None
    if decks is None and allowed.fewest == allowed.most:
        return allowed.fewest
    if decks is None and allowed.default is not None:
        return allowed.default
    if decks is None:
        raise Refused("'decks' is missing: the submission says how many are used", paragraph=allowed.paragraph)
    if decks < allowed.fewest or (allowed.most is not None and decks > allowed.most):
        most = "" if allowed.most is None else f" and at most {allowed.most}"
        raise Refused(f"'decks' {decks}: at least {allowed.fewest}{most}", paragraph=allowed.paragraph)
    return decks


def _payout_limit(catalogue: Catalogue, submission: Submission) -> int | None:
    limit, allowed = submission.payout_limit, catalogue.payout_limit
    if limit is None:
        return None if allowed is None else allowed.default
    if allowed is None:
        raise Refused(f"'payout_limit' {limit}: {catalogue.id} knows no payout limit", paragraph=catalogue.offered)
    if limit < allowed.least:
        raise Refused(f"'payout_limit' {limit} is below the least limit {allowed.least}", paragraph=allowed.paragraph)
    return limit


def _options(
    known: Mapping[str, Option], given: Mapping[str, bool | int | str], where: str, paragraph: str
) -> dict[str, OptionValue]:
    for name in given:
        if name not in known:
            raise Refused(
                f"{where} '{name}' does not exist; there are: {', '.join(known) or 'none'}", paragraph=paragraph
            )
    values: dict[str, OptionValue] = {}
    for name, option in known.items():
        if name in given:
            values[name] = _option(name, option, given[name], where)
        elif option.required:
            what = " or ".join(option.choices) or _KINDS[option.type]
            raise Refused(f"{where} '{name}' is missing: select {what}", paragraph=option.paragraph)
        elif option.type == "flag":
            values[name] = bool(option.default)
        elif option.type in ("share", "decimal") and option.default is not None:
            values[name] = Fraction(str(option.default))
        else:
            values[name] = option.default
    return values


def _option(name: str, option: Option, value: bool | int | str, where: str) -> OptionValue:
    def refused(reason: str) -> Refused:
        return Refused(f"{where} '{name}' {value!r}: {reason}", paragraph=option.paragraph)

    if option.type == "flag" and isinstance(value, bool):
        return value
    if option.type == "whole_number" and isinstance(value, int) and not isinstance(value, bool):
        if option.least is not None and value < option.least:
            raise refused(f"at least {option.least}")
        if option.most is not None and value > option.most:
            raise refused(f"at most {option.most}")
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
            raise refused(f"at least {least} and at most {most}")
        return Fraction(value)
    raise refused(f"must be {_KINDS[option.type]}")


def _offer(
    name: str, wager: Wager, given: OfferedWager, options: Mapping[str, OptionValue], decks: int | None
) -> Offer:
    if wager.requires is not None and not options[wager.requires]:
        raise Refused(
            f"wager '{name}' needs option '{wager.requires}', which is not selected", paragraph=wager.paragraph
        )
    paytable = _paytable(name, wager, given.paytable, decks)
    return Offer(
        name=name,
        wager=wager,
        paytable=paytable,
        options=_options(wager.options, given.options, f"wager '{name}': option", wager.paragraph),
        meter=_meter(name, wager, paytable, given.meter)
        if paytable.meter is None
        else _fixed_meter(name, paytable, given.meter),
    )


def _paytable(name: str, wager: Wager, selected: str | None, decks: int | None) -> Paytable:
    in_play = "the decks in play" if decks is None else "1 deck" if decks == 1 else f"{decks} decks"
    if selected is not None:
        named = [table for table in wager.paytables if table.name == selected]
        if not named:
            names = ", ".join(table.name for table in wager.paytables if table.name) or "none to select"
            raise Refused(
                f"wager '{name}' has no paytable {selected!r}; there are: {names}",
                paragraph=wager.paytables[0].paragraph,
            )
        for table in named:
            if table.is_for(decks):
                return table
        raise Refused(
            f"wager '{name}': paytable {selected} is for {named[0].decks}, not for {in_play}",
            paragraph=named[0].paragraph,
        )
    allowed = [table for table in wager.paytables if table.is_for(decks)]
    if not allowed:
        raise Refused(f"wager '{name}' has no paytable for {in_play}", paragraph=wager.paytables[0].paragraph)
    if len(allowed) > 1:
        names = ", ".join(table.name for table in allowed if table.name)
        raise Refused(f"wager '{name}': 'paytable' is missing; select one of {names}", paragraph=allowed[0].paragraph)
    return allowed[0]


def _meter(name: str, wager: Wager, paytable: Paytable, given: Meter | None) -> Meter | None:
    if wager.meter is None:
        if given is not None:
            raise Refused(f"wager '{name}' has no progressive meter", paragraph=wager.paragraph)
        return None
    if given is None:
        raise Refused(
            f"wager '{name}': 'meter' with its rate and reset amount is missing", paragraph=wager.meter.paragraph
        )
    if given.reserve_rate is not None:
        raise Refused(
            f"wager '{name}': 'reserve_rate' {given.reserve_rate!r}: there is no reserve for this meter",
            paragraph=wager.meter.paragraph,
        )
    if given.reset < wager.meter.least_reset:
        raise Refused(
            f"wager '{name}': 'reset' {given.reset} is below the least reset amount {wager.meter.least_reset}",
            paragraph=wager.meter.paragraph,
        )
    if paytable.reset is not None and given.reset != paytable.reset:
        raise Refused(
            f"wager '{name}': 'reset' {given.reset}: paytable {paytable.name} has the reset amount {paytable.reset}",
            paragraph=paytable.paragraph,
        )
    if paytable.least_rate is not None and Fraction(given.rate) < Fraction(paytable.least_rate):
        raise Refused(
            f"wager '{name}': 'rate' {given.rate!r} is below the least rate of progression {paytable.least_rate}",
            paragraph=wager.meter.rate_paragraph,
        )
    return given


def _fixed_meter(name: str, paytable: Paytable, given: Meter | None) -> Meter:
    """Return the meter that a paytable fixes; the submission may leave it out, or repeat it."""
    terms = paytable.meter
    assert terms is not None
    if given is not None:
        stated = {"reset": given.reset, "rate": Fraction(given.rate)}
        fixed = {"reset": terms.reset, "rate": Fraction(terms.rate)}
        if given.reserve_rate is not None:
            stated["reserve_rate"] = Fraction(given.reserve_rate)
            fixed["reserve_rate"] = Fraction(terms.reserve_rate or 0)
        for field, value in stated.items():
            if value != fixed[field]:
                raise Refused(
                    f"wager '{name}': the meter does not match paytable {paytable.name}: '{field}' is "
                    f"{getattr(given, field)}, the paytable says {getattr(terms, field) or 'none'}",
                    paragraph=paytable.paragraph,
                )
    return Meter(rate=terms.rate, reset=terms.reset, reserve_rate=terms.reserve_rate)
