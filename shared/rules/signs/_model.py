"""The patron texts beside a catalogue: sentences of our own about a game, each with its paragraph."""

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
    """A sentence about the game in the guide and, with `sign`, on the sign, too.

    It holds where every option of `when` has the value there and none of `unless` has, and where `wager` is offered.
    `{name}` in it is the value of that option, `{dollars[name]}` the same as an amount; without a value it is left out.
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
    """The patron texts of one regulation.

    `demanded` is where the text demands that payout odds are posted. `play` is how the game is played, in order;
    `limit` what the payout limit is for; `wins` how each wager wins, by its name; `hands` what a category is called
    where its name does not say it.
    """

    demanded: Paragraph | None = None
    limit: Text | None = None
    play: Annotated[tuple[Statement, ...], Listed] = ()
    wins: dict[Name, Text] = Field(default_factory=dict)
    hands: dict[Name, Text] = Field(default_factory=dict)


@cache
def words_of(regulation: str) -> Words:
    """Return the patron texts of a regulation; none if it has none."""
    file = files(__package__).joinpath(f"{regulation}.yaml")
    return Words.model_validate(parsed(file.read_text(encoding="utf-8"))) if file.is_file() else Words()
