"""Weights by wager, with which sums of rounds are multiplied to compare payouts with expectation."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from pydantic_core import to_json


class Weight(NamedTuple):
    """The weights for rounds of a wager or bonus line under a submission (given by hash); integers of any size.

    `earner` is the wager to which sums are assigned: the wager itself or, for a bonus line, the wager that earns it.
    `staked` is 0 for a bonus line, which has no stake of its own, else 1.
    """

    submission: str
    wager: str
    earner: str
    staked: int
    mean: int
    variance: int


class Weighed(NamedTuple):
    """Weighted sums: stakes x `staked`, handle x `staked`, payout, handle x `mean`, squared stakes x `variance`."""

    stakes: int
    handle_cents: int
    payout_cents: int
    by_mean: int
    by_variance: int


WEIGHED: Final = (
    "sum(staked * stakes), sum(staked * handle_cents), sum(payout_cents), sum(mean * handle_cents), "
    "sum(variance * squared)"
)
"""The sums of `Weighed`, over rounds joined with `WEIGHTS`."""

WEIGHTS: Final = """JOIN json_to_recordset(CAST(:weights AS json))
        AS weights(submission text, wager text, earner text, staked integer, mean numeric, variance numeric)
        USING (submission, wager)"""
"""The join of rounds with weights; rounds of wagers without a weight are left out."""


def given_weights(weights: Iterable[Weight]) -> str:
    """Return weights as JSON, as the SQL of `WEIGHTS` expects them."""
    return to_json([weight._asdict() for weight in weights]).decode()
