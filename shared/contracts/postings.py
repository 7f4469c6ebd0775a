"""The postings of a published entry as text, because an attribute of a CloudEvent cannot be a list. Pure.

Each posting is `table/wager/leg=cents`, with spaces between them; table and wager are empty if the account has none.
Cents are signed, debits positive; the postings of an entry sum to zero. The property is in the entry's data.
"""

from collections.abc import Iterable
from typing import Annotated, Final, NamedTuple

from pydantic import StringConstraints

_POSTING: Final = r"[A-Za-z0-9._-]{0,64}/[A-Za-z0-9._-]{0,64}/[a-z_]{1,64}=-?[1-9][0-9]{0,18}"

PostingsText = Annotated[str, StringConstraints(pattern=rf"^({_POSTING}( {_POSTING})*)?$")]
"""Postings as text."""


class LegPosting(NamedTuple):
    """A posting on a leg of a property's account: signed cents, debits positive."""

    table: str
    wager: str
    leg: str
    cents: int


def postings_as_text(postings: Iterable[LegPosting]) -> str:
    """Return postings as text.

    >>> postings_as_text([LegPosting("BJ-01", "blackjack", "handle", -500), LegPosting("BJ-01", "", "chips", 500)])
    'BJ-01/blackjack/handle=-500 BJ-01//chips=500'
    """
    return " ".join([f"{table}/{wager}/{leg}={cents}" for table, wager, leg, cents in postings])


def postings_of_text(text: str) -> list[LegPosting]:
    """Return the postings that a text encodes.

    >>> postings_of_text("BJ-01//chips=500 //cage=-500")[1]
    LegPosting(table='', wager='', leg='cage', cents=-500)
    """
    found = []
    for one in text.split():
        account, _, cents = one.partition("=")
        table, wager, leg = account.split("/")
        found.append(LegPosting(table, wager, leg, int(cents)))
    return found
