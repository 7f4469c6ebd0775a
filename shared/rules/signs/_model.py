"""The texts for patrons of a regulation: our own sentences about a game, each with its paragraph."""

import re
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

from pydantic import Field

from shared.rules.catalogue._model import Paragraph, Text
from shared.rules.packaged import parsed
from shared.rules.record import Listed, Name, Record

_MENTIONED: Final = re.compile(r"{(?:dollars\[)?(\w+)")


class Statement(Record):
    """A sentence about the game, in the guide and, with `sign`, also on the sign.

    It applies if each option in `when` has the value given there, no option in `unless` has the value given there, and
    `wager`, if given, is offered. In the text, `{name}` is the value of that option, and `{dollars[name]}` the same as
    an amount. A sentence about an option without a value is left out.
    """

    says: Text
    paragraph: Paragraph
    sign: bool = False
    wager: Name | None = None
    when: dict[Name, bool | int | str] = Field(default_factory=dict)
    unless: dict[Name, bool | int | str] = Field(default_factory=dict)

    @property
    def mentioned(self) -> list[str]:
        """Return the options whose values the sentence mentions."""
        return _MENTIONED.findall(self.says)


class Words(Record):
    """The texts for patrons of one regulation.

    `demanded` is the paragraph that requires payout odds to be posted. `play` describes how the game is played, in
    order. `limit` describes the payouts to which the payout limit applies. `wins` describes how each wager wins, by
    wager. `hands` has display names of categories, if the category's own name is not clear.
    """

    demanded: Paragraph | None = None
    limit: Text | None = None
    play: Annotated[tuple[Statement, ...], Listed] = ()
    wins: dict[Name, Text] = Field(default_factory=dict)
    hands: dict[Name, Text] = Field(default_factory=dict)


@cache
def words_of(regulation: str) -> Words:
    """Return the texts for patrons of a regulation, empty if it has none."""
    file = files(__package__).joinpath(f"{regulation}.yaml")
    return Words.model_validate(parsed(file.read_text(encoding="utf-8"))) if file.is_file() else Words()
