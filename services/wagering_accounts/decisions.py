"""What becomes of a command: the answer, and the fact to record. Pure; given the books and the circumstances."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from services.wagering_accounts.books import (
    Account,
    AccountKey,
    Books,
    Fact,
    HoldKey,
    Movement,
    Patron,
    PatronKey,
    RoundKey,
)
from services.wagering_accounts.configuration import Configuration


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Who asks, when, and what holds then."""

    person: str
    at: datetime
    gaming_day: date
    configuration: Configuration


@dataclass(frozen=True, slots=True)
class Needs:
    """What a command must see, and what must not change meanwhile."""

    accounts: tuple[AccountKey, ...] = ()
    wallets_of: tuple[AccountKey, ...] = ()
    """Accounts with the wallets of their patrons."""
    patrons: tuple[PatronKey, ...] = ()
    patrons_of: tuple[AccountKey, ...] = ()
    """Accounts whose patrons it changes; of other accounts the patrons are only seen."""
    opens: tuple[RoundKey, ...] = ()
    """Rounds without their holds."""
    rounds: tuple[RoundKey, ...] = ()
    """Rounds with their holds, and the accounts of these."""
    holds: tuple[HoldKey, ...] = ()
    """Holds with their rounds."""
    adjustments: tuple[HoldKey, ...] = ()


class Declined(Exception):
    """A command that the books do not allow: answered with an HTTP status and recorded, and nothing moves."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(slots=True)
class Decision:
    """An accepted command: HTTP status, the body as JSON, and what is recorded."""

    status: int
    body: dict[str, Any]
    fact: Fact
    location: str | None = None
    problem: bool = False
    """Whether the body is a problem: a refusal that changes something, such as a wrong access code."""


class Command(Protocol):
    """A command: immutable, with everything that was sent. Its name and content are what its key stands for."""

    @property
    def name(self) -> str:
        """What it is, in words."""

    @property
    def property_name(self) -> str:
        """The property that it is about."""

    def content(self) -> Any:
        """What was sent, as JSON, without secrets."""

    def needs(self) -> Needs:
        """What must be at hand."""

    def decide(self, books: Books, now: Circumstances) -> Decision:
        """What becomes of it. Changes the books only when it does not raise. Raises: Declined."""


def account_of(books: Books, key: AccountKey) -> Account:
    """An account. Raises: Declined where there is none."""
    account = books.accounts.get(key)
    if account is None:
        raise Declined(404, f"there is no account {key[1]} at {key[0]}")
    return account


def require_open(account: Account) -> Account:
    """The account, if it is open. Raises: Declined."""
    if account.status != "open":
        raise Declined(409, f"account {account.account} is closed: it can be paid out, and nothing else")
    return account


def require_admitted(patron: Patron | None) -> None:
    """Raises: Declined where the patron is excluded."""
    if patron is not None and patron.excluded_at is not None:
        raise Declined(403, f"patron {patron.patron} is excluded since {patron.excluded_at.isoformat()}: only paid out")


def document(account: Account) -> dict[str, Any]:
    """An account as it is answered after the entry that is being decided."""
    shown: dict[str, Any] = {
        "property": account.property_name,
        "account": account.account,
        "kind": account.kind,
        "status": account.status,
        "version": account.version + 1,
        "available_cents": account.available,
        "held_cents": account.held,
        "staked_cents": account.staked,
    }
    if account.table:
        shown["table"] = account.table
    if account.patron is not None:
        shown["patron"] = account.patron
    return shown


def recorded(movements: Sequence[Movement], books: Books) -> list[dict[str, Any]]:
    """Movements as the event that is being decided says them."""
    return [movement.as_document(books.accounts[movement.account].version + 1) for movement in movements]
