"""The gaming guide of a rules submission: how the game is played, how each wager wins, and what it pays."""

from dataclasses import replace
from typing import Final

from shared.rules.catalogue import catalogue
from shared.rules.record import Submission
from shared.rules.signs._model import words_of
from shared.rules.signs.sheet import Section, Sheet, Stated
from shared.rules.signs.sign import about, payout_limit, sign
from shared.rules.signs.wording import statements
from shared.rules.submission import Offer, select

_OFFERED: Final = {
    "required": "Every hand takes this wager.",
    "always": "It may be made in the course of a round.",
    "optional": "It is optional.",
}


def guide(regulation: str, submission: Submission) -> Sheet:
    """Return the gaming guide of a rules submission: the sign, with how the game is played and how each wager wins.

    Raise `Refused` for an unknown regulation, and for a submission that it does not allow.
    """
    selection, words = select(catalogue(regulation), submission), words_of(regulation)
    played = Section("How the game is played", None, tuple(statements(selection, words, sign=False)))
    sections = [
        _explained(section, selection.offers[section.wager], words.wins.get(section.wager))
        for section in sign(regulation, submission).sections
        if section.wager is not None
    ]
    limit = tuple(payout_limit(selection, words))
    ending = [Section("Payout limit", None, limit)] if limit else []
    shown = ([played] if played.stated else []) + sections + ending
    return Sheet("guide", "Gaming guide", selection.catalogue.title, regulation, about(selection, words), tuple(shown))


def _explained(section: Section, offer: Offer, wins: str | None) -> Section:
    """Return a wager's section; before the terms, sentences state whether the wager is optional and how it wins."""
    stated = [Stated(_OFFERED[offer.wager.offered], offer.wager.paragraph)]
    if wins is not None:
        stated.append(Stated(wins, offer.wager.decided))
    return replace(section, stated=(*stated, *section.stated))
