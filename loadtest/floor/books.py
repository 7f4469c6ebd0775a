"""The expected books of a day, summed from the simulator's own settlements, to compare with the services' books."""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Final

from loadtest.floor.messages import Kind, Message
from shared.rules import Settlement
from shared.rules.pai_gow.record import DEALER


@dataclass(slots=True)
class Wagered:
    """The totals of a wager type at a table, in cents, except that `rounds` is the number of rounds with this wager.

    Wagers against a player who banks are in `banked_handle` and `banked_payout`, not in `handle` and `payout`. The bank
    itself collects `bank_collected` and pays `bank_paid`. `house_in_bank` is the house's win from wagering against a
    bank, and from its share as co-bank.
    """

    rounds: int = 0
    handle: int = 0
    payout: int = 0
    vigorish: int = 0
    meter_contribution: int = 0
    meter_payout: int = 0
    meter_reset: int = 0
    banked_handle: int = 0
    banked_payout: int = 0
    bank_collected: int = 0
    bank_paid: int = 0
    house_in_bank: int = 0

    @property
    def win(self) -> int:
        """Return the house's win before meters."""
        return self.handle + self.vigorish + self.house_in_bank - self.payout

    def add(self, other: "Wagered", sign: int = 1) -> None:
        """Add another total to this total; with `sign` -1, subtract it."""
        for name in FIGURES:
            setattr(self, name, getattr(self, name) + sign * getattr(other, name))


FIGURES: Final = tuple(each.name for each in fields(Wagered))
"""The names of the figures in `Wagered`."""


@dataclass(slots=True)
class Books:
    """The totals by table and wager, the number of messages by kind, and the number of settlement notices.

    `notices` counts the notices of rounds in force, and `notices_reversed` counts those of reversed settlements.
    """

    by_table_and_wager: dict[tuple[str, str], Wagered] = field(default_factory=dict)
    messages: Counter[Kind] = field(default_factory=Counter)
    rounds: int = 0
    notices: int = 0
    notices_reversed: int = 0

    def add(self, message: Message) -> None:
        """Add a message and its settlements to the totals, as expected in the journal."""
        self.messages[message.kind] += 1
        for sign, settlement in message.books:
            self.rounds += sign
            self.notices += sign * len(settlement.notices)
            if sign < 0:
                self.notices_reversed += len(settlement.notices)
            for wager, figures in wagered(settlement).items():
                self.by_table_and_wager.setdefault((message.table, wager), Wagered()).add(figures, sign)

    def total(self) -> Wagered:
        """Return the total of all tables and wagers; its `rounds` counts each round once."""
        total = Wagered()
        for figures in self.by_table_and_wager.values():
            total.add(figures)
        total.rounds = self.rounds
        return total


def wagered(settlement: Settlement) -> dict[str, Wagered]:
    """Return the totals of a settlement by wager type, without void wagers."""
    found: dict[str, Wagered] = {}
    for line in settlement.lines:
        figures = found.setdefault(line.wager, Wagered(rounds=1))
        if line.outcome == "void":
            continue
        received = line.payout + line.stake_returned
        figures.vigorish += line.vigorish
        if line.wager == "bank":
            figures.bank_collected += line.stake
            figures.bank_paid += received
            share = line.house_share or 0
            figures.house_in_bank += share if line.outcome == "win" else -share
        elif line.seat == DEALER:
            figures.house_in_bank += received - line.stake
        elif line.paid_by == "bank":
            figures.banked_handle += line.stake
            figures.banked_payout += received
        else:
            figures.handle += line.stake
            figures.payout += received
            figures.meter_payout += line.from_meter
    for contribution in settlement.contributions:
        found[contribution.wager].meter_contribution += contribution.cents
    for meter, cents in settlement.meter_resets.items():
        found.setdefault(meter, Wagered(rounds=1)).meter_reset += cents
    return found
