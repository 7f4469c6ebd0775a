"""The totals of rounds for one wager type: the vector in which handle, payout and the other figures are summed."""

from collections.abc import Iterator
from typing import Final

from shared.contracts.envelope import Name
from shared.contracts.topic_reader import View


class Figures(View):
    """The totals of one or several rounds, in cents; negative for a reversal.

    `count` is 1 for a wager type of a round, -1 for its reversal. `handle_cents` was wagered; `payout_cents` is all
    that the players received, including returned stakes and meter awards; `meter_contribution_cents` was added to a
    meter, `meter_payout_cents` paid from it and `meter_reset_cents` restored it; `account_staked_cents` and
    `account_credited_cents` are the electronic parts of handle and payout.

    In a round banked by a player, `banked_handle_cents` was wagered against the bank, and `banked_payout_cents`
    returned to the players who wagered it; `bank_collected_cents` was collected from the bank and `bank_paid_cents`
    paid to it. These two are totals of the wager `bank`, whose `vigorish_cents` is owed by the bank.
    `house_in_bank_cents` is the amount that the house won in the round (negative: lost), by the dealer's wager and as
    co-bank.
    """

    count: int = 0
    handle_cents: int = 0
    payout_cents: int = 0
    vigorish_cents: int = 0
    meter_contribution_cents: int = 0
    meter_payout_cents: int = 0
    meter_reset_cents: int = 0
    account_staked_cents: int = 0
    account_credited_cents: int = 0
    banked_handle_cents: int = 0
    banked_payout_cents: int = 0
    bank_collected_cents: int = 0
    bank_paid_cents: int = 0
    house_in_bank_cents: int = 0

    def figures(self) -> Iterator[tuple[str, int]]:
        """Return the name and value of each figure, including the count."""
        return ((name, getattr(self, name)) for name in FIGURES)

    @property
    def win_cents(self) -> int:
        """Return the casino's win, before meters."""
        return self.handle_cents + self.vigorish_cents + self.house_in_bank_cents - self.payout_cents

    @property
    def chips_cents(self) -> int:
        """Return the chips that the rounds added to the table inventory, in cents (negative: removed)."""
        return (
            self.handle_cents
            + self.vigorish_cents
            - (self.payout_cents - self.meter_payout_cents)
            - (self.account_staked_cents - self.account_credited_cents)
            + self.banked_handle_cents
            - self.banked_payout_cents
            + self.bank_collected_cents
            - self.bank_paid_cents
        )

    def legs(self) -> tuple[tuple[str, int], ...]:
        """Return (leg, cents) of a wager type's postings; one posting on `chips` for all types balances them."""
        return (
            ("handle", -self.handle_cents),
            ("payout", self.payout_cents - self.meter_payout_cents),
            ("vigorish", -self.vigorish_cents),
            ("meter_expense", self.meter_contribution_cents + self.meter_reset_cents),
            ("meter_contribution", -self.meter_contribution_cents),
            ("meter_reset", -self.meter_reset_cents),
            ("meter_payout", self.meter_payout_cents),
            ("attendant", -self.meter_payout_cents),
            ("account_funded", self.account_staked_cents - self.account_credited_cents),
            ("banked_wagers", -self.banked_handle_cents),
            ("banked_payouts", self.banked_payout_cents),
            ("bank_collected", -self.bank_collected_cents),
            ("bank_paid", self.bank_paid_cents),
            ("bank_settlement", self.house_in_bank_cents),
            ("house_in_bank", -self.house_in_bank_cents),
        )


class WagerTotals(Figures):
    """The totals of one or several rounds for a wager type."""

    wager: Name

    @classmethod
    def of(cls, wager: str, figures: dict[str, int]) -> "WagerTotals":
        """Return totals from all figures, which must be valid integers, without validation."""
        return cls.construct_unvalidated({"wager": wager, **figures})

    def __neg__(self) -> "WagerTotals":
        return self.of(self.wager, {name: -value for name, value in self.figures()})

    def __add__(self, other: "WagerTotals") -> "WagerTotals":
        return self.of(self.wager, {name: value + getattr(other, name) for name, value in self.figures()})


FIGURES: Final = tuple(Figures.model_fields)
"""The names of the figures: fields, columns and members of documents alike."""
