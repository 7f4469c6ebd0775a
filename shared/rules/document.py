"""Generate the documentation page of a regulation from its catalogue.

Run as `python -m shared.rules.document <regulation>`.
"""

import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from shared.rules.catalogue import Catalogue, Option, Paytable, PaytableRow, Wager, catalogue
from shared.rules.errors import Refused
from shared.rules.odds import Odds

_OFFERED: Final = {
    "required": "The wager that every seat makes",
    "always": "Always offered",
    "optional": "Optional",
}

_EFFECTS: Final = {
    "none": "none: the round is settled",
    "dead_hand": "the hand of the seat does not count",
    "dead_round": "no hand counts",
    "may_void_hand": "the player may void the hand: its wagers go back",
    "abandoned": "the wagers of the seat are lost",
    "dead_round_but_bonuses": "no hand counts, but the bonus wagers that need only the player's hand are settled",
}


def page(regulation: str) -> str:
    """Return the Markdown page of one regulation; raise `Refused` for an unknown id."""
    return "\n\n".join(_blocks(catalogue(regulation))) + "\n"


def _blocks(entries: Catalogue) -> Iterator[str]:
    """Yield the headings, paragraphs and tables of the page."""
    yield f"# {entries.title}: {entries.id}"
    yield f"{entries.source}. Generated from the catalogue by `python -m shared.rules.document {entries.id}`."
    yield (
        "Where the text is silent, contradictory or misprinted, the settlement takes the readings in "
        f"[readings-{entries.id}.md](../contract/readings-{entries.id}.md); the form of a round is in "
        "[ROUND.md](../contract/ROUND.md)."
    )
    yield "## Table"
    yield _table("what | allowed | paragraph", _limits(entries))
    yield "## Options"
    yield _options(entries.options)
    yield "## Wagers"
    for name, wager in entries.wagers.items():
        yield from _wager(name, wager)
    yield "## Irregularities"
    irregularities = []
    for code, rule in entries.irregularities.items():
        from_cards = "" if rule.from_cards is None else f", from {rule.from_cards} cards on"
        irregularities.append(f"`{code}` | {_EFFECTS[rule.effect]}{from_cards} | {rule.paragraph}")
    yield _table("code | effect | paragraph", irregularities)
    if entries.readings:
        yield "## Further readings"
        yield "Taken by this settlement where neither the text nor the readings of the contract decide."
        yield _table("paragraph | reading", (f"{reading.paragraph} | {reading.taken}" for reading in entries.readings))


def _table(columns: str, rows: Iterable[str]) -> str:
    """Return a Markdown table; the header and each row are cells joined by ` | `."""
    return "\n".join((f"| {columns} |", "|---" * (columns.count("|") + 1) + "|", *(f"| {row} |" for row in rows)))


def _limits(entries: Catalogue) -> Iterator[str]:
    yield f"betting positions | {entries.seats.most} at most | {entries.seats.paragraph}"
    if entries.decks is not None:
        fewest, most = entries.decks.fewest, entries.decks.most
        number = f"{fewest} at least" + ("" if most is None else f", {most} at most")
        yield f"decks | {fewest if fewest == most else number} | {entries.decks.paragraph}"
    if entries.payout_limit is not None:
        least = in_dollars(entries.payout_limit.least)
        default = entries.payout_limit.default
        otherwise = "none" if default is None else f"{in_dollars(default)} where none is filed"
        yield f"payout limit | {otherwise}, or {least} at least | {entries.payout_limit.paragraph}"


def _options(options: dict[str, Option]) -> str:
    rows = []
    for name, option in options.items():
        default = "false" if option.type == "flag" else "none" if option.default is None else option.default
        if option.required:
            default = "must be selected"
        rows.append(f"`{name}` | {_values(option)} | {default} | {option.about} | {option.paragraph}")
    return _table("option | values | default | meaning | paragraph", rows)


def _values(option: Option) -> str:
    match option.type:
        case "flag":
            return "true or false"
        case "whole_number":
            return f"{option.least} to {option.most}"
        case "share":
            return "decimal string, above 0 up to 1"
        case "choice":
            return ", ".join(option.choices)
        case "decimal":
            assert option.between is not None
            return f"decimal string, {option.between[0]} to {option.between[1]}"
        case "text":
            return "text"


def _wager(name: str, wager: Wager) -> Iterator[str]:
    needs = "" if wager.requires is None else f"; needs option `{wager.requires}`"
    yield f"### {wager.title} (`{name}`)"
    yield f"{_OFFERED[wager.offered]}{needs}: {wager.paragraph}; decided under {wager.decided}."
    if wager.least is not None:
        yield f"No wager below {in_dollars(wager.least)}."
    if wager.bars_surrender:
        yield "A player who made it may not surrender."
    if wager.qualifies is not None:
        yield f"A wager of {in_dollars(wager.qualifies)} or more earns the Envy Bonuses for the hands of other players."
    if wager.meter is not None:
        how = wager.meter.shared.replace("_", " ")
        shared = f"are paid {how}" if wager.meter.shared == "in_settlement_order" else f"share it {how}"
        yield (
            f"Progressive meter: initial and reset amount of {in_dollars(wager.meter.least_reset)} at least "
            f"({wager.meter.paragraph}); several winners of all of it {shared} "
            f"({wager.meter.shared_paragraph})."
        )
    if wager.options:
        yield _options(wager.options)
    for table in wager.paytables:
        yield f"{_terms(table)}:"
        yield _table("category | pays", (f"`{row.category}` | {what_pays(row)}" for row in table.rows))
    for bonuses in wager.envy_bonuses:
        yield f"Envy Bonuses for a wager of {in_dollars(bonuses.stake)} ({bonuses.paragraph}):"
        amounts = (f"`{category}` | {in_dollars(amount)}" for category, amount in bonuses.amounts.items())
        yield _table("hand of another player | Envy Bonus", amounts)


def _terms(table: Paytable) -> str:
    name = "Paytable" if table.name is None else f"Paytable {table.name}"
    terms = [f"{name}, for {table.decks} ({table.paragraph})"]
    if table.stake is not None:
        terms.append(f"wager {in_dollars(table.stake)}")
    if table.meter is not None:
        terms.append(f"meter seed {in_dollars(table.meter.reset)}, rate of progression {in_percent(table.meter.rate)}")
        if table.meter.reserve_rate is not None:
            terms.append(f"reserve rate {in_percent(table.meter.reserve_rate)}")
    if table.reset is not None:
        terms.append(f"meter seed {in_dollars(table.reset)}")
    if any(row.amount is not None for row in table.rows):
        terms.append("wager returned with a win" if table.stake_returned else "wager not returned")
    if table.envy_paragraph is not None:
        terms.append(f"Envy Bonuses under {table.envy_paragraph}")
    if table.wild_joker:
        terms.append("fully wild joker")
    if table.least_rate is not None:
        terms.append(f"rate of progression {in_percent(table.least_rate)} at least")
    return "; ".join(terms)


def what_pays(row: PaytableRow) -> str:
    """Return a row's payout in words, with its conditions in parentheses."""
    parts = []
    if row.meter is not None:
        parts.append(f"{in_percent(row.meter)} of the meter")
    if row.parsed_odds is not None:
        parts.append(str(row.parsed_odds))
    if row.odds_with_wild is not None:
        parts.append(f"{Odds.parse(row.odds_with_wild)} with a wild card")
    if row.amount is not None:
        parts.insert(0, in_dollars(row.amount))
    if row.push:
        parts.append("the wager goes back")
    notes = []
    if row.of is not None and row.dealer is not None:
        how = "in addition to" if row.line is not None else "instead of"
        notes.append(f"{how} `{row.of}`, with a dealer {row.dealer.replace('_', ' ')}")
    if row.line is not None:
        notes.append(f"line `{row.line}`")
    if row.option is not None:
        notes.append(f"where `{row.option}` is selected")
    if row.odds_from is not None:
        notes.append(f"as option `{row.odds_from}` selects")
    if row.envy is not None:
        notes.append(f"Envy Bonus {in_dollars(row.envy)}")
    if row.off_meter:
        notes.append("deducted from the meter")
    if row.limited:
        notes.append("under the payout limit")
    if row.paragraph is not None:
        notes.append(row.paragraph)
    return " and ".join(parts) + (f" ({'; '.join(notes)})" if notes else "")


def in_percent(rate: str) -> str:
    """Return a share between 0 and 1 as a percentage.

    >>> in_percent("0.205")
    '20.5%'
    """
    return f"{float(Fraction(rate) * 100):g}%"


def in_dollars(cents: int) -> str:
    """Return cents as dollars.

    >>> in_dollars(2500000), in_dollars(1050)
    ('$25,000', '$10.50')
    """
    return f"${cents // 100:,}" if cents % 100 == 0 else f"${cents / 100:,.2f}"


def main(arguments: list[str]) -> int:
    """Print the page of the regulation named on the command line; return exit code 2 if there is no such regulation."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m shared.rules.document <regulation>\n")
        return 2
    try:
        sys.stdout.write(page(arguments[0]))
    except Refused as refusal:
        sys.stderr.write(f"{refusal}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
