"""A progressive pool and its movements. Pure; exact amounts are nanocents.

Accounts are (property, table, pool, leg):

| leg | posting |
|---|---|
| `display` | minus the whole cents that the meter shows, a liability to players |
| `reserve` | minus the whole cents of the reserve, which funds resets; positive after an advance by the house |
| `overflow` | minus the whole cents above the limit |
| `contribution` | plus the whole cents that the settlements of a table's rounds put on the meter |
| `paid` | minus the awards at a table that were paid from the meter |
| `reset` | plus the whole cents with which a settlement restored the display after an award |
| `accrued` | plus the liability beyond settlements: shares of a cent, and for the reserve, less what resets took |
| `seed` | plus the base amount that the house paid in at the beginning |
| `house` | plus amounts that the house paid in, minus amounts that it took out, by approved changes |

The balances of `display`, `reserve` and `overflow` are always minus the whole cents of the exact meters: fractions of a
cent are posted once they add up to a whole one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from shared.contracts.exact import displayed, exact_text, nanocents, parse_exact, shown
from shared.contracts.meters import Movement
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Account, Posting


@dataclass(frozen=True, slots=True)
class Pool:
    """The state of a pool: the number of its last movement, its three exact meters (nanocents), and its counters."""

    property_name: str
    name: str
    number: int = 0
    display: int = 0
    reserve: int = 0
    overflow: int = 0
    in_count: int = 0
    in_cents: int = 0
    hits: int = 0
    wins_cents: int = 0

    @property
    def shown_cents(self) -> int:
        """Return the amount that a sign shows: the whole cents of the display."""
        return displayed(self.display)


@dataclass(frozen=True, slots=True)
class Delta:
    """The effects of one or several movements on a pool. Nanocents, except for the fields of COUNTS."""

    in_count: int = 0
    in_cents: int = 0
    award_cents: int = 0
    hits: int = 0
    contribution: int = 0
    reserved: int = 0
    overflow: int = 0
    reset: int = 0
    reserve_used: int = 0
    seed: int = 0
    transfer: int = 0
    released: int = 0

    @property
    def on_display(self) -> int:
        """Return the change to the display, in nanocents."""
        award = nanocents(self.award_cents)
        return self.contribution + self.reset + self.seed + self.transfer + self.released - award

    @property
    def on_reserve(self) -> int:
        """Return the change to the reserve, in nanocents."""
        return self.reserved - self.reserve_used

    @property
    def on_overflow(self) -> int:
        """Return the change to the overflow meter, in nanocents."""
        return self.overflow - self.released

    def __add__(self, other: "Delta") -> "Delta":
        return Delta(*(getattr(self, name) + getattr(other, name) for name in PARTS))

    def __neg__(self) -> "Delta":
        return Delta(*(-getattr(self, name) for name in PARTS))


COUNTS: Final = ("in_count", "in_cents", "award_cents", "hits")
PARTS: Final = tuple(one.name for one in fields(Delta))
EXACT: Final = tuple(name for name in PARTS if name not in COUNTS)
"""The exact parts of a movement (nanocents): fields of Delta, columns, and as `<name>_cents` members of documents."""

_OF_ROUNDS: Final = "accrued"
"""The leg of the contra posting for the difference between a round's movement and its settlement."""

HELD: Final = ("display", "reserve", "overflow")
"""The names of a pool's exact meters, and of the legs of the accounts that hold their whole cents."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A pool after a movement, with the movement and its postings."""

    pool: Pool
    movement: Movement
    postings: tuple[Posting, ...]


def move(pool: Pool, delta: Delta, *, table: str = "", balance: str) -> Moved:
    """Apply a delta to a pool. `table` is empty for people's changes; `balance` is the leg of the contra account."""
    after = replace(
        pool,
        number=pool.number + 1,
        display=pool.display + delta.on_display,
        reserve=pool.reserve + delta.on_reserve,
        overflow=pool.overflow + delta.on_overflow,
        in_count=pool.in_count + delta.in_count,
        in_cents=pool.in_cents + delta.in_cents,
        hits=pool.hits + delta.hits,
        wins_cents=pool.wins_cents + delta.award_cents,
    )
    return Moved(after, _movement(after, delta), _postings(pool, after, delta, table, balance))


def _movement(after: Pool, delta: Delta) -> Movement:
    return Movement(
        pool=after.name,
        number=after.number,
        **parts(delta),
        display_cents=exact_text(after.display),
        reserve_cents=exact_text(after.reserve),
        overflowed_cents=exact_text(after.overflow),
        shown_cents=after.shown_cents,
    )


def parts(delta: Delta) -> dict[str, Any]:
    """Return a delta as fields of a JSON document: counts, and exact cents as decimal text."""
    exact = {f"{name}_cents": exact_text(getattr(delta, name)) for name in EXACT}
    return {name: getattr(delta, name) for name in COUNTS} | exact


def delta_of(movement: Movement) -> Delta:
    """Return the delta of a recorded movement."""
    counts = {name: getattr(movement, name) for name in COUNTS}
    return Delta(**counts, **{name: parse_exact(getattr(movement, f"{name}_cents")) for name in EXACT})


def _postings(before: Pool, after: Pool, delta: Delta, table: str, balance: str) -> tuple[Posting, ...]:
    legs = [
        ("", "display", shown(before.display) - shown(after.display)),
        ("", "reserve", shown(before.reserve) - shown(after.reserve)),
        ("", "overflow", shown(before.overflow) - shown(after.overflow)),
        (table, "paid", -delta.award_cents),
    ]
    if balance == _OF_ROUNDS:
        legs.append((table, "contribution", _whole(delta.contribution + delta.overflow)))
        legs.append(("", "reset", _whole(delta.reset)))
    legs.append((table, balance, -sum(cents for _, _, cents in legs)))
    return tuple(
        Posting(Account(before.property_name, where, before.name, leg), cents) for where, leg, cents in legs if cents
    )


def _whole(nanos: int) -> int:
    """Return the whole cents of an amount in nanocents, rounded toward zero."""
    return shown(nanos) if nanos >= 0 else -shown(-nanos)


def move_by_round(pool: Pool, delta: Delta, *, table: str) -> Moved:
    """Apply a round's delta to a pool: the settlement's whole cents, and the amounts beyond that the pool accrues."""
    return move(pool, delta, table=table, balance=_OF_ROUNDS)


def take_back(pool: Pool, movement: Movement, *, table: str) -> Moved:
    """Reverse a round's movement of a pool exactly."""
    return move_by_round(pool, -delta_of(movement), table=table)


# --- changes that people approve ---


def seed(pool: Pool, base_cents: int) -> Moved:
    """Put the base amount, paid by the house, on a new pool's display."""
    return move(pool, Delta(seed=nanocents(base_cents)), balance="seed")


def transfer(pool: Pool, to: Pool, cents: int) -> Sequence[Moved]:
    """Move cents from one pool to another. Raises: Rejected if the first pool shows fewer cents."""
    _require_shown(pool, cents)
    out = Delta(transfer=-nanocents(cents))
    return (move(pool, out, balance="house"), move(to, -out, balance="house"))


def adjust(pool: Pool, cents: int) -> Moved:
    """Add cents of the house to a pool, or deduct them if negative. Raises: Rejected if the pool shows fewer cents."""
    _require_shown(pool, -cents)
    return move(pool, Delta(transfer=nanocents(cents)), balance="house")


def reset(pool: Pool, reset_cents: int) -> Moved:
    """Bring the display to the reset amount; the house pays or receives the difference."""
    missing = nanocents(reset_cents) - pool.display
    delta = Delta(reset=missing) if missing >= 0 else Delta(transfer=missing)
    return move(pool, delta, balance="reset" if missing >= 0 else "house")


def release(pool: Pool, cents: int) -> Moved:
    """Move cents from the overflow meter to the display. Raises: Rejected if the overflow meter holds fewer cents."""
    if cents > shown(pool.overflow):
        held = shown(pool.overflow)
        raise Rejected(Reason.NOT_ALLOWED, f"'cents' {cents}: the overflow meter of pool {pool.name} holds {held}")
    return move(pool, Delta(released=nanocents(cents)), balance="house")


def accept_award(pool: Pool, short_cents: int) -> Moved:
    """Pay into a pool, at the house's cost, the part of an award that exceeded the meter."""
    return move(pool, Delta(transfer=nanocents(short_cents)), balance="house")


def _require_shown(pool: Pool, cents: int) -> None:
    if cents > 0 and cents > pool.shown_cents:
        raise Rejected(Reason.NOT_ALLOWED, f"'cents' {cents}: pool {pool.name} shows {pool.shown_cents}")
