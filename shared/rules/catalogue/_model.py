"""The data model of a catalogue: the selections open to a licensee, each with its paragraph."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from shared.rules.odds import Odds
from shared.rules.record import IrregularityCode, Listed, Name, Rate, Record

Paragraph = Annotated[str, Field(pattern=r"^(.+ )?§ \S+$")]
"""A citation of a regulation, such as `§ 633a.13(c)`."""

Text = Annotated[str, Field(min_length=1)]


class Seats(Record):
    """The maximum number of betting positions of a table."""

    most: Annotated[int, Field(ge=1)]
    paragraph: Paragraph


class Decks(Record):
    """The permitted numbers of decks, and the default."""

    fewest: Annotated[int, Field(ge=1)]
    most: int | None = None
    default: int | None = None
    paragraph: Paragraph


class PayoutLimit(Record):
    """The lowest maximum payout, in cents, that a licensee may establish; `default` applies if it establishes none.

    The established maximum must also cover the most that one patron could win with bets of the least or the most
    permitted amount (`betting`). That win is summed over all `wagers` (by default, every wager) or, with `pairs`, over
    the pairs of one card from each deck.
    """

    least: Annotated[int, Field(gt=0)]
    default: Annotated[int, Field(gt=0)] | None = None
    betting: Literal["least", "most"]
    wagers: Annotated[tuple[Name, ...], Listed] = ()
    pairs: bool = False
    paragraph: Paragraph


class Option(Record):
    """A choice of the licensee, with its type, its default, and the values that it may have.

    Every submission must select a `required` option. A `filed` option must be in every filed submission, but rounds
    settle without it. Other options may be left out. A decimal must lie `between` the two given decimals. Each game
    defines the format of its texts.
    """

    type: Literal["flag", "whole_number", "share", "choice", "decimal", "text"]
    paragraph: Paragraph
    about: Text
    default: bool | int | str | None = None
    required: bool = False
    least: int | None = None
    most: int | None = None
    choices: Annotated[tuple[str, ...], Listed] = ()
    between: Annotated[tuple[str, str], Listed] | None = None
    most_decks: int | None = None
    filed: bool = False


class PaytableRow(Record):
    """The payout of one hand, in a paytable.

    A row pays `odds` on the stake, an `amount` in cents, a share of the progressive `meter`, or several of these; a
    `push` only returns the stake. An amount `off_meter` is deducted from the meter. `envy` is the Envy Bonus in cents
    that the hand earns other players. With wild cards, `odds` are for the natural hand and `odds_with_wild` for a hand
    made with a wild card. With `odds_from`, the submission selects the odds in the option of that name.

    A row with `of` requires the hand of the row of that name, and also the `dealer` hand. It is paid instead of that
    row, or in addition if it has its own `line`. A row with `option` is offered if that option of the wager is
    selected. A `limited` row counts toward the payout limit. A row from a different schedule from the rest of the
    paytable has its own `paragraph`.
    """

    category: Name
    odds: str | None = None
    odds_from: Name | None = None
    odds_with_wild: str | None = None
    amount: Annotated[int, Field(gt=0)] | None = None
    meter: Rate | None = None
    off_meter: bool = False
    push: bool = False
    envy: Annotated[int, Field(gt=0)] | None = None
    of: Name | None = None
    dealer: Literal["blackjack", "royal_match"] | None = None
    line: Name | None = None
    option: Name | None = None
    limited: bool = False
    paragraph: Paragraph | None = None

    @field_validator("odds", "odds_with_wild", mode="before")
    @classmethod
    def _read_odds(cls, value: Any) -> Any:
        """Return odds as text; a whole number N means N to 1. Raises: ValueError for anything else."""
        text = f"{value} to 1" if isinstance(value, int) else value
        if isinstance(text, str):
            Odds.parse(text)
        return text

    @property
    def parsed_odds(self) -> Odds | None:
        """Return the odds on the stake; None if the row has none."""
        return None if self.odds is None else Odds.parse(self.odds)

    @property
    def meter_share(self) -> Fraction:
        """Return the share of the meter that the row pays; 0 if it pays none."""
        return Fraction(self.meter or 0)


class PaytableMeter(Record):
    """The terms of a progressive meter that a paytable fixes: `reset` is its initial and reset amount in cents.

    `reserve_rate` is the share of each wager that is reserved for the next initial amount and is never displayed.
    """

    reset: Annotated[int, Field(gt=0)]
    rate: Rate
    reserve_rate: Rate | None = None


class Paytable(Record):
    """One paytable of a wager, and the numbers of decks for which it may be selected.

    A paytable with amounts is for one `stake` in cents; `stake_returned` is whether the stake is returned with an
    amount. With a `wild_joker` the joker may stand for any card. If the licensee selects the meter's rate, `reset` is
    the only initial and reset amount in cents that the meter may have, and `least_rate` the lowest rate. Envy Bonuses
    with a schedule of their own are paid under the `envy_paragraph`.
    """

    name: Name | None = None
    paragraph: Paragraph
    envy_paragraph: Paragraph | None = None
    fewest_decks: int | None = None
    most_decks: int | None = None
    stake: Annotated[int, Field(gt=0)] | None = None
    stake_returned: bool = False
    wild_joker: bool = False
    reset: Annotated[int, Field(gt=0)] | None = None
    least_rate: Rate | None = None
    meter: PaytableMeter | None = None
    rows: Annotated[tuple[PaytableRow, ...], Listed, Field(min_length=1)]

    @model_validator(mode="after")
    def _amounts_are_for_a_stake(self) -> "Paytable":
        if self.stake is None and any(row.amount is not None for row in self.rows):
            raise ValueError("a paytable with amounts needs the stake that they are paid on")
        return self

    def is_for(self, decks: int | None) -> bool:
        """Return whether the paytable may be selected for this number of decks."""
        if decks is None:
            return self.fewest_decks is None and self.most_decks is None
        return (self.fewest_decks or decks) <= decks <= (self.most_decks or decks)

    @property
    def decks(self) -> str:
        """Return the numbers of decks as text."""
        if self.fewest_decks is None and self.most_decks is None:
            return "any number of decks"
        if self.most_decks is None:
            return f"{self.fewest_decks} or more decks"
        if self.fewest_decks in (None, self.most_decks):
            return "1 deck" if self.most_decks == 1 else f"{self.most_decks} decks"
        return f"{self.fewest_decks} to {self.most_decks} decks"


class MeterTerms(Record):
    """The minimum initial and reset amount of a meter, in cents, and how several winners of the whole meter share it.

    With `in_settlement_order`, the first winner takes all of the meter, and the next one its reading after the reset.
    """

    least_reset: Annotated[int, Field(gt=0)]
    paragraph: Paragraph
    shared: Literal["equally", "in_proportion_to_the_wagers", "in_settlement_order"]
    shared_paragraph: Paragraph
    rate_paragraph: Paragraph | None = None


class EnvyBonuses(Record):
    """Envy Bonuses for a player who made a wager of `stake` cents: cents by the category of another player's hand."""

    stake: Annotated[int, Field(gt=0)]
    paragraph: Paragraph
    amounts: Annotated[dict[Name, Annotated[int, Field(gt=0)]], Field(min_length=1)]


class Wager(Record):
    """A wager: the paragraphs that authorize it (`paragraph`) and decide it, and the paytables to select from.

    `envy_bonuses` has the Envy Bonuses for each amount that may be wagered, if they depend on the amount. Otherwise
    they are in the paytable, and `qualifies` is the least wager in cents that earns them. `least` is the minimum wager
    in cents. A player who made a wager that `bars_surrender` may not surrender.
    """

    title: Text
    offered: Literal["required", "always", "optional"] = "optional"
    paragraph: Paragraph
    decided: Paragraph
    requires: Name | None = None
    meter: MeterTerms | None = None
    options: dict[Name, Option] = Field(default_factory=dict)
    envy_bonuses: Annotated[tuple[EnvyBonuses, ...], Listed] = ()
    qualifies: Annotated[int, Field(gt=0)] | None = None
    least: Annotated[int, Field(gt=0)] | None = None
    bars_surrender: bool = False
    paytables: Annotated[tuple[Paytable, ...], Listed, Field(min_length=1)]

    @field_validator("paytables", mode="before")
    @classmethod
    def _read_side_by_side(cls, entries: Any) -> Any:
        """Split entries that contain several paytables side by side, as regulations print them.

        A list in place of a value has one value for each paytable of the entry, None for a paytable without the value.
        A row whose lists have only None for a paytable is not in that paytable.
        """
        return [table for entry in entries for table in _side_by_side(entry)]


class IrregularityRule(Record):
    """The effect of an irregularity on the round, and whether its record names a seat and a number of cards.

    With `from_cards`, the irregularity has an effect only if at least that number of cards is involved.
    """

    effect: Literal["none", "dead_hand", "dead_round", "may_void_hand", "abandoned", "dead_round_but_bonuses"]
    seat: Literal["none", "required", "optional"]
    counts_cards: bool = False
    from_cards: int | None = None
    paragraph: Paragraph


class Reading(Record):
    """The interpretation that settlement uses for an unclear paragraph."""

    paragraph: Paragraph
    taken: Text


class Catalogue(Record):
    """Everything that a regulation lets a licensee select, and the paragraphs cited in settlement."""

    id: Name
    title: Text
    game: Name
    source: Text
    seats: Seats
    decks: Decks | None = None
    payout_limit: PayoutLimit | None = None
    offered: Paragraph
    options: dict[Name, Option]
    wagers: dict[Name, Wager]
    irregularities: dict[IrregularityCode, IrregularityRule]
    record: dict[Name, Paragraph]
    paragraphs: dict[Name, Paragraph]
    readings: Annotated[tuple[Reading, ...], Listed] = ()


def _side_by_side(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the paytables of an entry. If it has several, their values are in lists."""
    terms = {name: value for name, value in entry.items() if name != "rows"}
    number = max((len(value) for value in terms.values() if isinstance(value, list)), default=1)
    rows = [_in_columns(row, number) for row in entry.get("rows", ())]
    for column, own_terms in enumerate(_in_columns(terms, number)):
        yield own_terms | {"rows": [row[column] for row in rows if row[column]]}


def _in_columns(fields: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the fields of each of `number` paytables; no fields if all lists have None for the paytable."""
    listed = {name for name, value in fields.items() if isinstance(value, list)}
    columns: list[dict[str, Any]] = [{} for _ in range(number)]
    for name, value in fields.items():
        for column, own in zip(columns, value if name in listed else [value] * number, strict=True):
            if own is not None:
                column[name] = own
    return [column if not listed or listed & column.keys() else {} for column in columns]
