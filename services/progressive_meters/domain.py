"""A progressive pool and what moves it. Pure; exact amounts are nanocents, see `exact`.

Accounts are (property, table, pool, leg):

| leg | posting |
|---|---|
| `display` | minus the whole cents that the meter shows: what is owed to players |
| `reserve` | minus the whole cents of the reserve, which funds resets; negative where the house has advanced one |
| `overflow` | minus the whole cents above the limit |
| `contribution` | plus what the house put on the meters for the wagers of a table |
| `paid` | minus the awards at a table that came off the meter |
| `reset` | plus what the house put on the display to restore it |
| `seed` | plus what the house put in at the beginning |
| `house` | plus what the house put in, minus what it took out, by an approved change |

The balance of the first three is always minus the whole cents of the exact meters: a share of a cent is posted when it
has become a whole one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from services.progressive_meters.exact import exact_text, nanocents, parse_exact, share, shown
from shared.contracts.meters import Hit, MeterOfRound, MeterReading, Movement
from shared.journal.entry import Account, Posting
from shared.rules.errors import Refused


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool as it stands: the number of its last movement, its three exact meters (nanocents), and its counters."""

    property_name: str
    name: str
    reset_cents: int
    limit_cents: int | None = None
    unreasonable_contribution_cents: int | None = None
    number: int = 0
    display: int = 0
    reserve: int = 0
    overflow: int = 0
    in_count: int = 0
    in_cents: int = 0
    hits: int = 0
    wins_cents: int = 0

    @property
    def display_cents(self) -> int:
        """What a sign shows."""
        return shown(self.display)


@dataclass(frozen=True, slots=True)
class Delta:
    """What a movement does to a pool. Nanocents, but for the counters and for `award_cents`."""

    in_count: int = 0
    in_cents: int = 0
    contribution: int = 0
    reserved: int = 0
    overflow: int = 0
    award_cents: int = 0
    hits: int = 0
    reset: int = 0
    reserve_used: int = 0
    seed: int = 0
    transfer: int = 0
    released: int = 0

    @property
    def display(self) -> int:
        """What the display gains, or loses below zero."""
        award = nanocents(self.award_cents)
        return self.contribution + self.reset + self.seed + self.transfer + self.released - award


@dataclass(frozen=True, slots=True)
class Moved:
    """A pool after a movement, with the movement and its money."""

    pool: Pool
    movement: Movement
    postings: tuple[Posting, ...]


def move(pool: Pool, delta: Delta, *, table: str = "", balance: str) -> Moved:
    """Moves a pool. `table` is where it happened, empty for what people decide; `balance` the leg of what remains."""
    after = replace(
        pool,
        number=pool.number + 1,
        display=pool.display + delta.display,
        reserve=pool.reserve + delta.reserved - delta.reserve_used,
        overflow=pool.overflow + delta.overflow - delta.released,
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
        in_count=delta.in_count,
        in_cents=delta.in_cents,
        contribution=exact_text(delta.contribution),
        reserved=exact_text(delta.reserved),
        overflow=exact_text(delta.overflow),
        award_cents=delta.award_cents,
        hits=delta.hits,
        reset=exact_text(delta.reset),
        reserve_used=exact_text(delta.reserve_used),
        seed=exact_text(delta.seed),
        transfer=exact_text(delta.transfer),
        released=exact_text(delta.released),
        display=exact_text(after.display),
        reserve=exact_text(after.reserve),
        overflowed=exact_text(after.overflow),
        display_cents=after.display_cents,
    )


def delta_of(movement: Movement) -> Delta:
    """What a recorded movement did."""
    return Delta(
        in_count=movement.in_count,
        in_cents=movement.in_cents,
        contribution=parse_exact(movement.contribution),
        reserved=parse_exact(movement.reserved),
        overflow=parse_exact(movement.overflow),
        award_cents=movement.award_cents,
        hits=movement.hits,
        reset=parse_exact(movement.reset),
        reserve_used=parse_exact(movement.reserve_used),
        seed=parse_exact(movement.seed),
        transfer=parse_exact(movement.transfer),
        released=parse_exact(movement.released),
    )


def _postings(before: Pool, after: Pool, delta: Delta, table: str, balance: str) -> tuple[Posting, ...]:
    legs = [
        ("", "display", shown(before.display) - shown(after.display)),
        ("", "reserve", shown(before.reserve) - shown(after.reserve)),
        ("", "overflow", shown(before.overflow) - shown(after.overflow)),
        (table, "paid", -delta.award_cents),
    ]
    if balance != "reset":
        legs.append(("", "reset", shown(delta.reset - delta.reserve_used)))
    legs.append((table, balance, -sum(cents for _, _, cents in legs)))
    return tuple(
        Posting(Account(before.property_name, where, before.name, leg), cents) for where, leg, cents in legs if cents
    )


# --- rounds ---


@dataclass(frozen=True, slots=True)
class Terms:
    """A meter's terms in a rules submission: what it gains of each wager, and what it shows after an award of all."""

    meter: str
    rate: Fraction
    reserve_rate: Fraction | None
    reset_cents: int

    def takes(self, wager: str) -> bool:
        """Whether a wager belongs to the meter, which has its name or, for several wagers, what their names begin with.

        >>> five_card = Terms("five_card_hand_bonus", Fraction("0.2"), None, 1000000)
        >>> five_card.takes("five_card_hand_bonus_dealer"), five_card.takes("ante")
        (True, False)
        """
        return wager == self.meter or wager.startswith(f"{self.meter}_")


@dataclass(frozen=True, slots=True)
class Played:
    """What a settled round says of one meter. Cents; `settled_cents` is what the settlement added to it."""

    in_count: int
    in_cents: int
    settled_cents: int
    reset_cents: int
    hits: tuple[Hit, ...]
    reading: MeterReading | None

    @property
    def award_cents(self) -> int:
        """What came off the meter."""
        return sum(hit.cents for hit in self.hits)


@dataclass(frozen=True, slots=True)
class Counted:
    """A pool after a round, with what the entry says of it and its money."""

    pool: Pool
    document: MeterOfRound
    postings: tuple[Posting, ...]


def count_round(pool: Pool, terms: Terms, played: Played, *, table: str) -> Counted:
    """Adds the wagers of a round, takes its awards off, and restores what was awarded wholly.

    The wagers add rate times stakes, to the last share of a cent; where the settlement's whole cents are not those of
    that amount, other wagers qualified than it seems: its cents count, and the finding says so. The limit holds after
    the awards: what the round added above it goes to the overflow meter. A reset comes from the reserve where the
    meter has one.
    Raises: Refused for a contribution above the unreasonable one.
    """
    findings: list[str] = []
    added = share(played.in_cents, terms.rate)
    if shown(added) != played.settled_cents:
        findings.append("contribution")
        added = nanocents(played.settled_cents)
    most = pool.unreasonable_contribution_cents
    if most is not None and added > nanocents(most):
        raise Refused(
            f"meter '{terms.meter}' {exact_text(added)} cents: pool {pool.name} takes {most} cents from a round at "
            "most; find out what happened, then dismiss this record, or raise the amount and replay it"
        )
    if played.reset_cents and terms.reset_cents != pool.reset_cents:
        findings.append("reset")
    reset = nanocents(played.reset_cents)
    over = 0
    if pool.limit_cents is not None:
        display = pool.display + added + reset - nanocents(played.award_cents)
        over = min(max(display - nanocents(pool.limit_cents), 0), added)
    delta = Delta(
        in_count=played.in_count,
        in_cents=played.in_cents,
        contribution=added - over,
        reserved=share(played.in_cents, terms.reserve_rate or Fraction(0)),
        overflow=over,
        award_cents=played.award_cents,
        hits=len(played.hits),
        reset=reset,
        reserve_used=reset if terms.reserve_rate else 0,
    )
    moved = move(pool, delta, table=table, balance="contribution")
    document = MeterOfRound(
        meter=terms.meter,
        rate=_decimal(terms.rate),
        reserve_rate=None if terms.reserve_rate is None else _decimal(terms.reserve_rate),
        settled_cents=played.settled_cents,
        reading=played.reading,
        hits=played.hits,
        findings=tuple(findings),
        movement=moved.movement,
    )
    return Counted(moved.pool, document, moved.postings)


def _decimal(rate: Fraction) -> str:
    return exact_text(share(1, rate))


def take_back(pool: Pool, movement: Movement, *, table: str) -> Moved:
    """Takes back exactly what a round had done to a pool."""
    was = delta_of(movement)
    values = {name: -getattr(was, name) for name in Delta.__slots__}
    return move(pool, Delta(**values), table=table, balance="contribution")


# --- what people decide ---


def seed(pool: Pool, base_cents: int) -> Moved:
    """Puts the base into a new pool."""
    return move(pool, Delta(seed=nanocents(base_cents)), balance="seed")


def transfer(pool: Pool, to: Pool, cents: int) -> Sequence[Moved]:
    """Brings cents from one pool to another. Raises: Refused where the first does not show them."""
    require_shown(pool, cents)
    out = Delta(transfer=-nanocents(cents))
    return (move(pool, out, balance="house"), move(to, Delta(transfer=nanocents(cents)), balance="house"))


def adjust(pool: Pool, cents: int) -> Moved:
    """Adds cents of the house to a pool, or takes them off it. Raises: Refused where it does not show them."""
    if cents < 0:
        require_shown(pool, -cents)
    return move(pool, Delta(transfer=nanocents(cents)), balance="house")


def reset(pool: Pool) -> Moved:
    """Brings the display to the reset amount: the house adds what is missing, or takes what is above."""
    missing = nanocents(pool.reset_cents) - pool.display
    delta = Delta(reset=missing) if missing >= 0 else Delta(transfer=missing)
    return move(pool, delta, balance="reset" if missing >= 0 else "house")


def release(pool: Pool, cents: int) -> Moved:
    """Brings cents from the overflow meter onto the display. Raises: Refused where they are not there."""
    if cents > shown(pool.overflow):
        raise Refused(f"'cents' {cents}: the overflow meter of pool {pool.name} holds {shown(pool.overflow)}")
    return move(pool, Delta(released=nanocents(cents)), balance="house")


def require_shown(pool: Pool, cents: int) -> None:
    """Raise Refused where a pool does not show so many cents."""
    if cents > pool.display_cents:
        raise Refused(f"'cents' {cents}: pool {pool.name} shows {pool.display_cents}")
