"""Postings as display text: debits and credits by account, and their sum, which is zero."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.console.felt.words import title, words
from services.console.money import dollars
from services.console.words import said, say

_ACCOUNTS: Final = said("felt.account")


@dataclass(frozen=True, slots=True)
class PostingView:
    """The amount of an entry on one account, as debit or credit; `leg` is the account's name in the journal."""

    account: str
    leg: str
    wager: str
    debit: str
    credit: str


def postings_of(postings: Sequence[Mapping[str, Any]]) -> tuple[tuple[PostingView, ...], str]:
    """Return postings (signed cents, debits positive) as display text, and their sum in dollars."""
    shown = tuple(_posting(one) for one in postings)
    return shown, dollars(sum(one["cents"] for one in postings))


def _posting(posting: Mapping[str, Any]) -> PostingView:
    cents, leg = posting["cents"], posting["leg"]
    return PostingView(
        account=_ACCOUNTS.get(leg, words(leg)),
        leg=leg,
        wager=title(posting["wager"]) if posting["wager"] else say("felt.all_wagers"),
        debit=dollars(cents) if cents > 0 else "",
        credit=dollars(-cents) if cents < 0 else "",
    )
