"""Facts about the cage in the table-inventory ledger: counter checks, and patrons' transactions. Amounts are cents."""

from collections.abc import Container, Mapping
from datetime import date
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from shared.contracts.agents import OnBehalf
from shared.contracts.approvals import AsShown
from shared.contracts.countries import Country, CountryOnForms
from shared.contracts.envelope import Contract, DocumentNumber, Identifier, Name, Patron, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.instruments import Instrument, PaidByInstrument, PassedInstrument
from shared.contracts.inventory import DESK, Number
from shared.contracts.moments import EnteredLate
from shared.contracts.rounds import SEATS_MAX, Cents
from shared.contracts.topics import INVENTORY
from shared.contracts.treaties import TreatyClaim
from shared.rules.odds import Odds

PaidIn = Literal["currency", "chips", "check", "deposit"]
"""How a counter check is paid: by its payer in currency, chips or the payer's own check, or by the bank (deposit)."""


class AtCage(Fact):
    """A cashier's action. `step` numbers a property's actions on counter checks.

    Gaming day and shift are those of the moment `at`. A void has the gaming day and shift of the voided action.
    """

    property: Name
    gaming_day: date
    shift: Name
    step: Number
    by: Person
    at: AwareDatetime


class CheckPayment(OnBehalf):
    """A payment on a counter check, possibly on behalf of others.

    `drawer` is the payer: the drawer of the check, unless somebody else paid; None if unknown. `table` is the table
    that issued the check; None for a check that replaced others.
    """

    CONDUCTED_BY = "drawer"

    table: Name | None = None
    serial: DocumentNumber
    drawer: Patron | None = None
    cents: Cents
    paid_in: PaidIn


@fact("counter_check.redeemed", INVENTORY, moves_money=True, stream=DESK)
class CheckRedeemed(AtCage, CheckPayment, PaidByInstrument, EnteredLate):
    """A counter check was paid, in full or in part: `left_cents` is still owed."""

    left_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)]


@fact("counter_check.redemption_voided", INVENTORY, moves_money=True, stream=DESK)
class RedemptionVoided(AtCage, CheckPayment, AsShown):
    """A redemption entered by mistake as step `voids` was voided by a different person from the one who entered it."""

    voids: Number
    redeemed_by: Person
    reason: Reason


@fact("counter_check.returned", INVENTORY, moves_money=True, stream=DESK)
class CheckReturned(AtCage, CheckPayment, EnteredLate):
    """The payment in step `returns`, by deposit or by the payer's own check, came back unpaid: it is owed again.

    Unlike a void, a return belongs to the gaming day and shift in which the cage learned of it.
    """

    returns: Number
    reason: Reason


class ReplacedCheck(Contract):
    """A counter check that was replaced, with the amount owed on it."""

    table: Name | None = None
    serial: DocumentNumber
    cents: Cents


@fact("counter_check.replaced", INVENTORY, stream=DESK)
class CheckReplaced(AtCage, EnteredLate):
    """A counter check replaced several others (consolidation), or a single check that had been paid in part.

    `cents` is the debt that passes from the replaced checks to the new one. `first_issued_at` is the time at which the
    oldest replaced check was issued, because a replacement does not reset the age of a debt.
    """

    serial: DocumentNumber
    drawer: Patron | None = None
    cents: Cents
    first_issued_at: AwareDatetime | None = None
    replaced: Annotated[tuple[ReplacedCheck, ...], Field(min_length=1, max_length=100)]


Direction = Literal["in", "out"]
"""The direction of money: into the casino, or out to the person."""

CageDirection = Literal["in", "out", "both"]
"""The direction of a transaction at the cage: an exchange of currency goes both in and out."""

CageKind = Literal[
    "chip_purchase", "front_money_deposit", "safekeeping_deposit", "casino_check_purchase", "wire_sent",
    "currency_wager", "tournament_fee", "other_in",
    "chip_redemption", "front_money_withdrawal", "safekeeping_withdrawal", "check_cashed", "winnings_paid",
    "wire_paid", "credit_advance", "travel_reimbursed", "promotion_paid", "tournament_prize", "other_out",
    "currency_exchange", "foreign_currency_bought", "foreign_currency_sold",
]  # fmt: skip
"""The purpose of a patron's transaction at the cage (31 CFR § 1021.311); counter checks have facts of their own.

A `currency_wager` is currency wagered at a table that did not go into its drop box, because it went back to the
patron. Foreign currency is bought and sold by the casino.
"""

DIRECTIONS: Final[dict[CageKind, CageDirection]] = {
    "chip_purchase": "in",
    "front_money_deposit": "in",
    "safekeeping_deposit": "in",
    "casino_check_purchase": "in",
    "wire_sent": "in",
    "currency_wager": "in",
    "tournament_fee": "in",
    "other_in": "in",
    "chip_redemption": "out",
    "front_money_withdrawal": "out",
    "safekeeping_withdrawal": "out",
    "check_cashed": "out",
    "winnings_paid": "out",
    "wire_paid": "out",
    "credit_advance": "out",
    "travel_reimbursed": "out",
    "promotion_paid": "out",
    "tournament_prize": "out",
    "other_out": "out",
    "currency_exchange": "both",
    "foreign_currency_bought": "both",
    "foreign_currency_sold": "both",
}

_FOREIGN: Final[frozenset[CageKind]] = frozenset({"foreign_currency_bought", "foreign_currency_sold"})
_NEEDED: Final[Mapping[str, Container[CageKind]]] = {
    "purpose": frozenset({"other_in", "other_out"}),
    "foreign_country": _FOREIGN,
    "table": frozenset({"currency_wager"}),
}
"""Field -> the kinds of transactions that require it; no other kind has it."""

_IN_CURRENCY: Final[frozenset[CageKind]] = _FOREIGN | {"currency_exchange", "currency_wager"}
INSTRUMENTS: Final[Mapping[str, Direction]] = {"check_cashed": "in", "casino_check_purchase": "out"}
"""Kind -> direction of the instrument that is exchanged for currency or for another instrument."""

Purpose = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,50}$", strip_whitespace=True)]
"""The purpose of a transaction for which the form has no line of its own, as written on its line `other`."""


class CageMovement(OnBehalf):
    """A payment to or by a patron at a cage window, in currency or by a monetary instrument.

    Foreign currency is valued at the dollars paid or received for it. `foreign_country` is the country that issued it.
    """

    CONDUCTED_BY = "patron"

    property: Name
    window: Name
    patron: Patron
    kind: CageKind
    cents: Cents
    medium: Literal["currency", "instrument"] = "currency"
    purpose: Annotated[Purpose | None, Field(description="of other_in and other_out, for the form's line")] = None
    foreign_country: Annotated[
        CountryOnForms | None, Field(description="of foreign currency: whose currency it is")
    ] = None
    table: Annotated[Name | None, Field(description="of a currency_wager: where the patron wagered it")] = None
    instrument: Annotated[
        PassedInstrument | None,
        Field(description="the check or other instrument; needed from the threshold of the law on"),
    ] = None

    def directions(self) -> tuple[Direction, ...]:
        """Return the directions in which the money of the transaction passes."""
        direction = DIRECTIONS[self.kind]
        return ("in", "out") if direction == "both" else (direction,)

    def instruments(self) -> dict[Direction, Instrument | None]:
        """Return the monetary instrument that passes in each direction; None if it is not described."""
        own = INSTRUMENTS.get(self.kind)
        if own is None:
            return dict.fromkeys(self.directions(), self.instrument) if self.medium == "instrument" else {}
        found: dict[Direction, Instrument | None] = {own: self.instrument}
        if self.medium == "instrument":
            found["out" if own == "in" else "in"] = None if self.instrument is None else self.instrument.exchanged_for
        return found

    @model_validator(mode="after")
    def _says_what_its_kind_needs(self) -> Self:
        for name, kinds in _NEEDED.items():
            if (getattr(self, name) is not None) != (self.kind in kinds):
                says = f"says its {name!r}" if self.kind in kinds else f"has no {name!r}"
                raise ValueError(f"{self.kind!r} {says}")
        if self.foreign_country == "US":
            raise ValueError("the currency of US is not foreign")
        if self.medium == "instrument" and self.kind in _IN_CURRENCY:
            raise ValueError(f"{self.kind!r} is in currency, never by an instrument")
        passed = len(self.instruments())
        if self.instrument is not None and not passed:
            raise ValueError(f"{self.kind!r} in currency is by no instrument: leave out 'instrument'")
        if self.instrument is not None and self.instrument.exchanged_for is not None and passed < 2:
            raise ValueError(f"{self.kind!r} by {self.medium} exchanges no instrument for another: no 'exchanged_for'")
        return self


class CageTransaction(Fact, CageMovement):
    """A transaction at the cage, numbered within the property; `direction` follows from its kind.

    Gaming day and shift are those of the moment `at`. A void has the gaming day and shift of the voided transaction. If
    the property has a cage location with the name of the window, `location` is that location; otherwise the money
    belongs to the location `cage`.
    """

    gaming_day: date
    shift: Name
    number: Number
    direction: CageDirection
    location: Name | None = None
    by: Person
    at: AwareDatetime


@fact("cage.moved", INVENTORY, moves_money=True, stream=DESK)
class CageMoved(CageTransaction, EnteredLate):
    """A known patron paid money in at the cage, or was paid out."""


@fact("cage.voided", INVENTORY, moves_money=True, stream=DESK)
class CageVoided(CageTransaction, AsShown):
    """Transaction number `voids`, entered by mistake, was voided by a different person from the one who entered it."""

    voids: Number
    moved_by: Person
    reason: Reason


Taxed = Literal["federal", "state", "local"]
"""Which tax is withheld from winnings: federal, state or local."""

TaxNumber = Literal["given", "applied_for", "not_given"]
"""Whether a winner gave a taxpayer identification number. The number itself is never recorded."""


WagerWords = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,64}$", strip_whitespace=True)]
"""A wager as the game's own terms describe it, such as `Hop the hard 8, one roll`."""

OddsAsWritten = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,6}(\.[0-9]{1,4})? (to|for) [1-9][0-9]{0,3}$")]
"""Odds as printed on a layout: `30 to 1`, or `31 for 1`, whose payout includes the stake."""


class PaidWin(Contract):
    """A win as paid: the stake, and the winnings on top of it.

    A win in a round names its `regulation`. At a counted table, where no round is settled, `odds` are those printed on
    the layout (`30 to 1`). A payout limit may reduce the payout below these odds; `capped` then names the limit.
    Tax forms report the amount paid, not the amount at these odds. `side_bet` marks a side bet, because a form that
    exempts a game may cover its side bets.
    """

    regulation: Name | None = None
    stake_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)]
    winnings_cents: Cents
    odds: OddsAsWritten | None = None
    capped: Annotated[
        Reason | None, Field(description="the payout limit because of which less was paid than the odds make")
    ] = None
    side_bet: bool = False

    @model_validator(mode="after")
    def _as_the_odds_pay(self) -> Self:
        if self.odds is None:
            if self.capped is not None:
                raise ValueError("'capped' is why less was paid than the 'odds' make: say the odds, too")
            return self
        winnings_cents = int(Odds.parse(self.odds).returns * self.stake_cents) - self.stake_cents
        makes = f"{self.odds} on {self.stake_cents} cents wins {winnings_cents}"
        if self.winnings_cents > winnings_cents or (self.winnings_cents < winnings_cents and self.capped is None):
            hint = "" if self.winnings_cents > winnings_cents else "; if a payout limit paid less, 'capped' says which"
            raise ValueError(f"{makes}; 'winnings_cents' says {self.winnings_cents}{hint}")
        if self.winnings_cents == winnings_cents and self.capped is not None:
            raise ValueError(f"{makes}, which was paid in full: nothing was 'capped'")
        return self


@fact("winner.identified", INVENTORY, moves_money=True, stream=DESK)
class WinnerIdentified(Fact):
    """The winner of a wager at a seat was identified, with the status of the tax form.

    The latest fact about a win counts. A win in a round is identified by `round_id`. A counted table has no rounds, so
    its win is identified by the minute `won_at` and the amounts `paid`. Its wagers are in no rules submission, so
    `wager_words` describes the wager.

    `form_number` is the number printed on the form or assigned by the filing. `withheld_cents` is the federal tax
    withheld, and `before_cents` the amount in the previous fact about this win; state and local tax have such fields,
    too. Federal and state tax are None if it was not recorded whether tax was withheld, and 0 if none was. Settlement
    does not know who owns the chips, so a win may become reportable only when its winner is known; `paid` then has its
    amounts. `paid_on` is the date of payment by the property's clock, if it differs from the date on which the round
    closed.
    """

    property: Name
    table: Name
    gaming_day: date
    round_id: Identifier | None = None
    won_at: AwareDatetime | None = None
    seat: Annotated[int, Field(strict=True, ge=1, le=SEATS_MAX)]
    wager: Name
    wager_words: WagerWords | None = None
    patron: Patron
    tax_residence: Country | None = None
    identified_by: Annotated[tuple[Name, ...], Field(max_length=5)] = ()
    tax_number: TaxNumber
    form_number: Identifier | None = None
    withheld_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] | None = None
    before_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] = 0
    state_withheld_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] | None = None
    state_before_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] = 0
    local_withheld_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] = 0
    local_before_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)] = 0
    filed_on: date | None = None
    paid: PaidWin | None = None
    paid_on: date | None = None
    treaty: TreatyClaim | None = None
    by: Person
    at: AwareDatetime

    def withheld_changes(self) -> dict[Taxed, int]:
        """Return the change in each recorded withholding, in cents by tax."""
        return {
            "federal": (self.withheld_cents or 0) - self.before_cents,
            "state": (self.state_withheld_cents or 0) - self.state_before_cents,
            "local": self.local_withheld_cents - self.local_before_cents,
        }
