"""The catalogue of legs: every leg on which a service posts, and the kinds of general-ledger account it may map to.

A journal refuses a posting on a leg that its service does not declare here, so that no leg is missing in a mapping to
the general ledger. Some transfers have their sides on different legs. All legs of such a `Transfer` map to one clearing
account, which returns to zero once every side has been recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

AccountKind = Literal["asset", "liability", "equity", "revenue", "expense", "clearing", "memorandum"]
"""The kind of an account of the general ledger.

A `clearing` account takes both sides of a transfer; `memorandum` accounts are off-book records.
"""

Transfer = Literal["rounds", "accounts", "meters", "bank"]
"""A transfer whose sides are on different legs: chips of rounds, wagers from accounts, meters, a player's bank."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg: a description, the kinds of general-ledger account it may map to, and its transfer, if any."""

    about: str
    kinds: tuple[AccountKind, ...]
    transfer: Transfer | None = None


_ASSET: Final[tuple[AccountKind, ...]] = ("asset",)
_LIABILITY: Final[tuple[AccountKind, ...]] = ("liability",)
_REVENUE: Final[tuple[AccountKind, ...]] = ("revenue",)
_COST: Final[tuple[AccountKind, ...]] = ("revenue", "expense")
"""A cost maps to an expense account, or to a revenue account that it reduces."""
_BESIDE: Final[tuple[AccountKind, ...]] = ("memorandum",)


def _side(about: str, transfer: Transfer) -> Leg:
    return Leg(about, ("clearing",), transfer)


_ROUND_SETTLEMENT: Final[Mapping[str, Leg]] = {
    "handle": Leg("wagers against the house", _REVENUE),
    "payout": Leg("payouts and returned stakes, meter awards aside", _REVENUE),
    "vigorish": Leg("vigorish taken from payouts", _REVENUE),
    "house_in_bank": Leg("the house's win in a bank", _REVENUE),
    "meter_expense": Leg("contributions and resets of meters", _COST),
    "meter_contribution": _side("contributions to meters", "meters"),
    "meter_reset": _side("resets of meters", "meters"),
    "meter_payout": _side("awards paid by meters", "meters"),
    "attendant": Leg("meter awards that are not paid from the table inventory", ("asset", "liability")),
    "account_funded": _side("wagers taken from accounts, less what was credited", "accounts"),
    "banked_wagers": _side("wagers against a player's bank", "bank"),
    "banked_payouts": _side("returned to those who wagered against a bank", "bank"),
    "bank_collected": _side("collected from a bank", "bank"),
    "bank_paid": _side("paid to a bank", "bank"),
    "bank_settlement": _side("the house's win in a bank, which closes the pot", "bank"),
    "chips": _side("chips of rounds into the table inventories", "rounds"),
}

_TABLE_INVENTORY: Final[Mapping[str, Leg]] = {
    "inventory": Leg("table inventories", _ASSET),
    "cage": Leg("chips at the cage, less what it gave", _ASSET),
    "transit": Leg("chips in transit", _ASSET),
    "box": Leg("currency and counter checks in drop boxes that are not counted", _ASSET),
    "drop": Leg("currency and counter checks as counted", _ASSET),
    "counted_win": Leg("win by count of counted tables", _REVENUE),
    "rake_counted": Leg("rake as counted", _ASSET),
    "rake": Leg("rake of non-banking tables", _REVENUE),
    "check_payments": Leg("payments on counter checks", _ASSET),
    "checks_redeemed": Leg("counter checks redeemed", _ASSET),
    "checks_written_off": Leg("counter checks written off", _COST),
    "checks_recovered": Leg("paid on counter checks after they were written off", _COST),
    "location": Leg("money of locations of the cage, beyond what the leg `cage` has", _ASSET),
    "cage_transit": Leg("money in transit between locations of the cage", _ASSET),
    "outside": Leg("what those outside the cage took, less what they gave", ("asset", "liability", "equity")),
    "cage_over_short": Leg("over and short of locations of the cage", _COST),
    "cage_brought_forward": Leg("what the first counts of locations found", ("equity", "asset")),
    "cage_money": Leg("what known patrons paid at the cage, less what they were paid, by medium", _ASSET),
    "patrons_exchange": Leg("chips and checks that known patrons exchanged for money at the cage", _ASSET),
    "patrons_deposits": Leg("front money and safekeeping of patrons", _LIABILITY),
    "winnings_paid": Leg("winnings paid at the cage", ("liability", "asset", "revenue", "expense")),
    "foreign_currency": Leg("foreign currency, at what was paid for it", _ASSET),
    "credit_advances": Leg("advances on credit to patrons", _ASSET),
    "patrons_promotions": Leg("travel reimbursed and promotions paid at the cage", _COST),
    "patrons_other": Leg("other payments of and to patrons at the cage", ("liability", "asset", "revenue", "expense")),
    "withheld_money": Leg("money withheld from winnings", _ASSET),
    "withheld_tax": Leg("federal tax withheld from winnings", _LIABILITY),
    "withheld_state_tax": Leg("state tax withheld from winnings", _LIABILITY),
    "withheld_local_tax": Leg("local tax withheld from winnings", _LIABILITY),
    "receivable": Leg("owed by prepaid access instruments", _ASSET),
    "rounds": _side("win of settled rounds in chips", "rounds"),
    "coupons": Leg("coupons dropped, at their stated value", _BESIDE),
    "coupons_counted": Leg("coupons counted, at their stated value", _BESIDE),
    "coupons_memo": Leg("contra of coupons", _BESIDE),
    "coupons_paid": Leg("chips paid for coupons", _COST),
    "vigorish_waived": Leg("vigorish that was assessed and waived", _COST),
    "tip_box": Leg("tips in tip boxes", _ASSET),
    "tips_payable": Leg("tips owed to dealers", _LIABILITY),
    "contest_fees": Leg("fees of contests", _REVENUE),
    "contest_prizes": Leg("prizes of contests", _COST),
    "contest_money": Leg("money of contests", _ASSET),
    "brought_forward": Leg("opening inventories of the ledger", ("equity", "asset")),
    "inventory_variance": Leg("resolved variances of inventories", _COST),
    "drop_variance": Leg("resolved variances of drop", _COST),
    "transit_variance": Leg("resolved variances of chips in transit", _COST),
}

_VIGORISH: Final[Mapping[str, Leg]] = {
    "outstanding": Leg("vigorish owed by seats", _BESIDE),
    "assessed": Leg("vigorish assessed", _BESIDE),
    "collected": Leg("vigorish collected", _BESIDE),
    "waived": Leg("vigorish waived", _BESIDE),
    "returned": Leg("vigorish returned", _BESIDE),
}

_PROGRESSIVE_METERS: Final[Mapping[str, Leg]] = {
    "display": Leg("progressive liability shown", _LIABILITY),
    "reserve": Leg("progressive liability in reserve", _LIABILITY),
    "overflow": Leg("progressive liability beyond a meter's limit", _LIABILITY),
    "contribution": _side("contributions to pools, by settlement", "meters"),
    "accrued": Leg("accrued by pools beyond settlements: reserves, and shares of a cent", _COST),
    "reset": _side("resets of pools", "meters"),
    "paid": _side("awards paid by pools", "meters"),
    "seed": Leg("bases of new pools, at the cost of the house", _COST),
    "house": Leg("changes of pools at the cost of the house", _COST),
}

_WAGERING_ACCOUNTS: Final[Mapping[str, Leg]] = {
    "wallet": Leg("owed to wallets", _LIABILITY),
    "available": Leg("owed to game accounts", _LIABILITY),
    "held": Leg("owed to accounts, on hold for wagers", _LIABILITY),
    "staked": Leg("owed to accounts, in play", _LIABILITY),
    "promotional": Leg("promotional money on accounts", _LIABILITY),
    "promotional_held": Leg("promotional money on hold", _LIABILITY),
    "promotional_staked": Leg("promotional money in play", _LIABILITY),
    "cash": Leg("currency paid into and out of accounts", _ASSET),
    "chips": Leg("chips paid into and out of accounts", _ASSET),
    "voucher": Leg("vouchers issued for money of accounts, less those redeemed", _LIABILITY),
    "account_funded": _side("wagers taken from accounts, less what was credited", "accounts"),
    "adjusted": Leg("adjustments of accounts", _COST),
    "promotions": Leg("promotional money granted, less what was written off", _COST),
    "shortage": Leg("owed by patrons after corrections", ("asset", "expense")),
}

LEGS: Final[Mapping[str, Mapping[str, Leg]]] = {
    "round-settlement": _ROUND_SETTLEMENT,
    "table-inventory": _TABLE_INVENTORY,
    "vigorish": _VIGORISH,
    "progressive-meters": _PROGRESSIVE_METERS,
    "wagering-accounts": _WAGERING_ACCOUNTS,
}
"""Service -> name of a leg -> the leg."""


def require_declared(service: str, leg: str) -> None:
    """Raise LookupError for a leg that a service of the catalogue does not declare."""
    if service in LEGS and leg not in LEGS[service]:
        raise LookupError(f"{service} posts on the leg {leg!r}: declare it in shared/contracts/legs.py")
