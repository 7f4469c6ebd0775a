"""The wording of odds, hands, meters and options for patrons."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from shared.rules.catalogue import PaytableRow
from shared.rules.document import in_dollars, in_percent
from shared.rules.signs._model import Statement, Words
from shared.rules.signs.sheet import Stated
from shared.rules.submission import Offer, OptionValue, Selection

_SHARED: Final = {
    "equally": "Several winners of all of the meter share it equally.",
    "in_proportion_to_the_wagers": "Several winners of all of the meter share it in proportion to their wagers.",
    "in_settlement_order": "Of several winners of all of the meter the first that is settled takes it, and the next "
    "takes what the meter shows after that.",
}


def hand_of(words: Words, category: str) -> str:
    """Return the display name of a category.

    >>> hand_of(Words(), "straight_flush")
    'Straight flush'
    """
    said = words.hands.get(category, category.replace("_", " "))
    return said[0].upper() + said[1:]


def what_it_pays(row: PaytableRow) -> str:
    """Return a row's payout without a wild card: odds, an amount, a share of the meter, or the return of the wager."""
    parts = []
    if row.odds is not None:
        parts.append(odds_in_words(row.odds))
    if row.amount is not None:
        parts.append(in_dollars(row.amount) + (", taken off the meter" if row.off_meter else ""))
    if row.meter is not None:
        parts.append("all of the meter" if row.meter_share == 1 else f"{in_percent(row.meter)} of the meter")
    if row.push:
        parts.append("wager returned")
    return " and ".join(parts)


def with_wild(row: PaytableRow) -> str:
    """Return a row's payout with a wild card; empty if it has none."""
    return "" if row.odds_with_wild is None else odds_in_words(row.odds_with_wild)


def odds_in_words(text: str) -> str:
    """Return odds as they are printed, with thousands separators.

    >>> odds_in_words("1000 for 1"), odds_in_words("5.75 to 1")
    ('1,000 for 1', '5.75 to 1')
    """
    number, _, rest = text.partition(" ")
    return f"{int(number):,} {rest}" if number.isdigit() else text


def terms_of(offer: Offer, least_cents: int | None, most_cents: int | None) -> Iterator[Stated]:
    """Yield the terms of a wager other than its payouts: its limits, its stake, its meter, its Envy Bonuses."""
    wager, paytable = offer.wager, offer.paytable
    least_cents = max((cents for cents in (least_cents, wager.least) if cents is not None), default=None)
    bounds = [
        f"{name} {in_dollars(cents)}" for name, cents in (("at least", least_cents), ("at most", most_cents)) if cents
    ]
    if bounds:
        yield Stated(f"Wager {' and '.join(bounds)}.", wager.paragraph)
    if paytable.stake is not None:
        yield Stated(f"The wager is {in_dollars(paytable.stake)}.", paytable.paragraph)
    odds = [row.parsed_odds for row in paytable.rows if row.line is None]  # a bonus line has no stake of its own
    kept = any(one is not None and not one.stake_returned for one in odds)
    amounts = any(row.amount is not None for row in paytable.rows)
    if kept or (amounts and not paytable.stake_returned):
        what = "a payout “for 1”" if kept else "an amount"
        yield Stated(f"The wager does not go back with {what}.", paytable.paragraph)
    elif amounts:
        yield Stated("The wager goes back with a winning amount.", paytable.paragraph)
    if paytable.wild_joker:
        yield Stated("The joker may be any card.", paytable.paragraph)
    yield from _meter_of(offer)
    if any(row.envy is not None for row in paytable.rows):
        least = "The wager" if wager.qualifies is None else f"A wager of {in_dollars(wager.qualifies)} or more"
        yield Stated(f"{least} earns Envy Bonuses for hands of other players.", paytable.paragraph)
    if wager.bars_surrender:
        yield Stated("Whoever makes it may not surrender.", wager.paragraph)


def _meter_of(offer: Offer) -> Iterator[Stated]:
    meter, terms = offer.meter, offer.wager.meter
    if meter is None:
        return
    paragraph = offer.paytable.paragraph if terms is None else terms.paragraph
    gains = f"gains {in_percent(meter.rate)} of every wager"
    if meter.reserve_rate is not None:
        gains += f" ({in_percent(meter.reserve_rate)} more is put aside for the next beginning)"
    yield Stated(f"The meter begins at {in_dollars(meter.reset)}, goes back to it, and {gains}.", paragraph)
    if terms is not None:
        yield Stated(_SHARED[terms.shared], terms.shared_paragraph)


def options_of(selection: Selection) -> dict[str, OptionValue]:
    """Return the values of all options by name: those of the game and those of the offered wagers."""
    values = dict(selection.options)
    for offer in selection.offers.values():
        values |= offer.options
    return values


def statements(selection: Selection, words: Words, *, sign: bool) -> Iterator[Stated]:
    """Yield the sentences about the game that apply under a submission; for a `sign`, only those for the sign."""
    values = options_of(selection)
    texts = {name: _text(value) for name, value in values.items() if value is not None}
    dollars = {name: in_dollars(value) for name, value in values.items() if type(value) is int}
    for one in words.play:
        if (one.sign or not sign) and _holds(one, selection, values):
            yield Stated(one.says.format(**texts, dollars=dollars), one.paragraph)


def _holds(one: Statement, selection: Selection, values: Mapping[str, OptionValue]) -> bool:
    return (
        (one.wager is None or one.wager in selection.offers)
        and all(values.get(name) == value for name, value in one.when.items())
        and not any(values.get(name) == value for name, value in one.unless.items())
        and all(values.get(name) is not None for name in one.mentioned)
    )


def _text(value: OptionValue) -> str:
    if isinstance(value, Fraction):
        return in_percent(str(float(value))) if value <= 1 else f"{float(value):g}"
    return str(value)
