"""The sign of payout odds of a rules submission: every wager on offer, with every row by which it settles."""

from collections.abc import Iterator
from typing import Final

from shared.rules.catalogue import PaytableRow, catalogue
from shared.rules.document import in_dollars
from shared.rules.record import BetLimits, Submission
from shared.rules.signs._model import Words, words_of
from shared.rules.signs.sheet import Row, Section, Sheet, Stated, Table
from shared.rules.signs.wording import hand_of, statements, terms_of, what_it_pays, with_wild
from shared.rules.submission import Offer, Selection, select

_DEFAULT_LIMIT: Final = "winning wagers"


def sign(regulation: str, submission: Submission) -> Sheet:
    """Return the sign of payout odds of a rules submission, from the paytables by which its rounds settle.

    Raise `Refused` for an unknown regulation, and for a submission that it does not allow.
    """
    selection = select(catalogue(regulation), submission)
    words = words_of(regulation)
    bets = submission.bets or {}
    sections = [of_wager(offer, bets.get(name), words) for name, offer in selection.offers.items()]
    general = (*statements(selection, words, sign=True), *payout_limit(selection, words))
    if general:
        sections.append(Section("What else holds", None, general))
    return Sheet("sign", "Payout odds", selection.catalogue.title, regulation, about(selection, words), tuple(sections))


def about(selection: Selection, words: Words) -> tuple[tuple[str, str], ...]:
    """Return the (label, value) pairs of a sheet: the regulation, the paragraph that requires posting, the decks."""
    found = [("Regulation", selection.catalogue.source)]
    if words.demanded is not None:
        found.append(("Posted under", words.demanded))
    if selection.decks is not None:
        found.append(("Decks", str(selection.decks)))
    return tuple(found)


def of_wager(offer: Offer, bets: BetLimits | None, words: Words) -> Section:
    """Return the section of one wager: its terms, its payouts, and its Envy Bonuses."""
    least, most = (None, None) if bets is None else (bets.least, bets.most)
    stated = tuple(terms_of(offer, least, most))
    return Section(_title(offer), offer.name, stated, tuple(_tables(offer, words)))


def _title(offer: Offer) -> str:
    return offer.wager.title[0].upper() + offer.wager.title[1:]


def _tables(offer: Offer, words: Words) -> Iterator[Table]:
    rows = [row for row in offer.paytable.rows if row.option is None or offer.options[row.option]]
    wild, envy = any(row.odds_with_wild for row in rows), any(row.envy for row in rows)
    headings = ("Result", "Pays without a wild card", "Pays with a wild card") if wild else ("Result", "Pays")
    if envy:
        headings = (*headings, "Envy Bonus")

    def cells(row: PaytableRow) -> Iterator[str]:
        yield _hand(row, words)
        yield what_it_pays(row)
        if wild:
            yield with_wild(row)
        if envy:
            yield "" if row.envy is None else in_dollars(row.envy)

    named = "" if offer.paytable.name is None else f" (paytable {offer.paytable.name.replace('_', ' ')})"
    paragraph = offer.paytable.paragraph
    lines = tuple(Row(row.category, tuple(cells(row)), row.paragraph or paragraph) for row in rows)
    yield Table(f"What the {offer.wager.title} pays{named}", headings, lines)
    for bonuses in offer.wager.envy_bonuses:
        amounts = tuple(
            Row(category, (hand_of(words, category), in_dollars(cents)), bonuses.paragraph)
            for category, cents in bonuses.amounts.items()
        )
        caption = f"What a hand of another player earns a wager of {in_dollars(bonuses.stake)}"
        yield Table(caption, ("Result", "Envy Bonus"), amounts)


def _hand(row: PaytableRow, words: Words) -> str:
    """Return the name of a row's hand; for a bonus line, also the name of the hand whose payout it supplements."""
    said = hand_of(words, row.category)
    if row.line is not None and row.of is not None:
        return f"{said}, besides {hand_of(words, row.of)[0].lower()}{hand_of(words, row.of)[1:]}"
    return said


def payout_limit(selection: Selection, words: Words) -> Iterator[Stated]:
    """Yield the sentence on the payout limit and the wagers to which it applies, if there is a limit."""
    terms, cents = selection.catalogue.payout_limit, selection.payout_limit
    if terms is not None and cents is not None:
        what = words.limit or _DEFAULT_LIMIT
        yield Stated(f"Payout limit: {in_dollars(cents)} for {what}.", terms.paragraph)
