"""The catalogue row under which a settlement line was paid, and its odds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from pydantic import ValidationError

from services.console.felt.words import title, words
from services.console.words import say
from shared.rules.catalogue import PaytableRow
from shared.rules.document import what_pays

_OFFERED_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class RowView:
    """A paytable row as display text; `paid` is true if the settlement line was paid under the row."""

    category: str
    pays: str
    paid: bool


@dataclass(frozen=True, slots=True)
class WagerRules:
    """A wager in the catalogue: the paragraphs that authorize and decide it, and the paytable in use."""

    title: str
    authorized: str
    decided: str
    paytable: str
    paragraph: str
    rows: tuple[RowView, ...]


def rules_of(
    line: Mapping[str, Any], catalogue: Mapping[str, Any] | None, selected: Mapping[str, Any]
) -> WagerRules | None:
    """Return the catalogue's rules for a settlement line's wager; None if the wager is not in the catalogue.

    `selected` is the rules submission: the number of decks and the paytables selected by the licensee.
    """
    found = _row(line, catalogue, selected)
    if found is None:
        return None
    wager, table, row = found
    name = table.get("name")
    return WagerRules(
        title=str(wager.get("title", title(line["wager"]))),
        authorized=str(wager.get("paragraph", "")),
        decided=str(wager.get("decided", "")),
        paytable=say("felt.paytable") if name is None else say("felt.paytable_named", name=name),
        paragraph=str(table.get("paragraph", "")),
        rows=tuple(RowView(words(one["category"]), _pays(one), one is row) for one in table["rows"]),
    )


def odds_of(line: Mapping[str, Any], catalogue: Mapping[str, Any] | None, selected: Mapping[str, Any]) -> str:
    """Return the odds of a paid settlement line: the catalogue's odds, or else the ratio of the amounts.

    >>> odds_of({"wager": "blackjack", "stake": 10000, "payout": 15000, "stake_returned": 10000}, None, {})
    '3 to 2'
    >>> odds_of({"wager": "blackjack", "stake": 10000, "payout": 0}, None, {})
    ''
    """
    payout, stake = int(line.get("payout", 0)), int(line.get("stake", 0))
    if payout <= 0:
        return ""
    found = _row(line, catalogue, selected)
    if found is not None and found[2] is not None:
        return _pays(found[2])
    if stake <= 0 or line.get("wager") == "bank":
        return ""
    ratio = Fraction(payout, stake)
    returned = int(line.get("stake_returned", 0)) > 0
    # Unusual odds are those of a payout that was limited, shared or taken off a meter: only the amount is shown.
    if ratio.denominator > _OFFERED_MAX:
        return ""
    return say("felt.odds.to" if returned else "felt.odds.for", paid=f"{ratio.numerator:,}", staked=ratio.denominator)


def _row(
    line: Mapping[str, Any], catalogue: Mapping[str, Any] | None, selected: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any] | None] | None:
    """Return a settlement line's wager, paytable and paytable row from the catalogue; None without the wager."""
    wager = ((catalogue or {}).get("wagers") or {}).get(line.get("wager"))
    if wager is None:
        return None
    table = _table(wager.get("paytables") or [], line["wager"], selected)
    if table is None:
        return None
    category = line.get("category")
    rows = [row for row in table["rows"] if row["category"] == category]
    if category is None and line.get("outcome") == "win" and len(table["rows"]) == 1:
        rows = list(table["rows"])
    return wager, table, rows[0] if rows else None


def _table(tables: Sequence[Mapping[str, Any]], wager: str, selected: Mapping[str, Any]) -> Mapping[str, Any] | None:
    name = (((selected.get("wagers") or {}).get(wager)) or {}).get("paytable")
    decks = selected.get("decks")
    fitting = [table for table in tables if name is None or table.get("name") == name]
    for table in fitting:
        fewest, most = table.get("fewest_decks"), table.get("most_decks")
        if decks is None or (fewest or decks) <= decks <= (most or decks):
            return table
    return fitting[0] if fitting else None


def _pays(row: Mapping[str, Any]) -> str:
    try:
        return what_pays(PaytableRow.model_validate(row))
    except ValidationError:
        return str(row.get("odds", ""))
