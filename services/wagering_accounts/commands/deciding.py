"""Common parts of the commands: loading their state, and recording an accepted command."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import chain
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, Field, PrivateAttr, SecretStr

from services.wagering_accounts.domain.access_codes import GivenCode, HashedCode
from services.wagering_accounts.domain.apply_facts import account_of, apply_fact
from services.wagering_accounts.domain.books import Account, AccountKey, Books, Patron, PatronCode, postings_of
from services.wagering_accounts.queries.books import ReadSet, ReadSetLoader
from services.wagering_accounts.queries.posted import prove
from services.wagering_accounts.tables import properties
from shared.contracts.accounts import AccessFailed, AccountMovement, AccountsFact
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.journal.entry import Posting
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Answered, Command, Commands, Now
from shared.runtime.ingest.property_copies import ask_places
from shared.runtime.projector import Transaction

AccessCode = Annotated[SecretStr, Field(min_length=4, max_length=64)]
AccountName = Annotated[Name, Field(description="the account")]
PatronName = Annotated[Name, Field(description="the patron")]
Number = Annotated[int, Field(ge=1, le=2**53)]


def _something(cents: int) -> int:
    if cents == 0:
        raise ValueError("0 changes nothing; say by how much")
    return cents


ChangeOfCents = Annotated[int, Field(strict=True, ge=-(10**12), le=10**12), AfterValidator(_something)]
"""A non-zero change in cents, up or down."""


class AccountsCommand(Command, ABC):
    """A command about the wagering accounts."""

    property: Annotated[Name, Field(description="the property")]

    @abstractmethod
    def needs(self) -> ReadSet:
        """Return the rows that deciding the command needs, locked."""


class CommandWithCode(AccountsCommand):
    """A command with an access code, which is hashed first, and never recorded."""

    access_code: AccessCode | None = None
    _code: HashedCode | GivenCode | None = PrivateAttr(default=None)
    _fingerprint: str | None = PrivateAttr(default=None)

    @property
    def has_code(self) -> bool:
        """Return whether a code was given and has been hashed."""
        return self._code is not None

    @property
    def new_code(self) -> HashedCode:
        """Return the patron's new code."""
        assert isinstance(self._code, HashedCode), "the code was hashed before"
        return self._code

    @property
    def given_code(self) -> GivenCode | None:
        """Return the given code with the stored one; None without a code, or if none is stored."""
        assert not isinstance(self._code, HashedCode), "the code was hashed as the one that was kept"
        return self._code

    def hashed(self, code: HashedCode | GivenCode | None, fingerprint: str) -> Self:
        """Return the command with its code hashed, and a fingerprint that recognizes a retry with the same code."""
        command = self.model_copy(update={"access_code": None})
        command._code, command._fingerprint = code, fingerprint
        return command

    def content(self) -> Any:
        """Return the request with the fingerprint of the code."""
        return {**self.shown(), "access_code": self._fingerprint}

    def shown(self) -> dict[str, Any]:
        """Return the request without the access code."""
        return self.model_dump(mode="json", exclude_none=True, exclude={"access_code"})


async def ask_all(transaction: Transaction, commands: Sequence[Any]) -> Answered:
    """Request the rows that commands need, with locks; return a function that reads them and marks altered accounts."""
    connection, needs = transaction.connection, [command.needs() for command in commands]
    loading = ReadSetLoader(needs, lock=True, check=True)
    async with transaction.pipeline() as sent:
        places = await ask_places(connection, sent, properties)
        await loading.ask(sent)

    async def read() -> Books:
        books = await loading.read(connection, (await places()).place)
        await prove(connection, books, chain.from_iterable(each.proven for each in needs))
        return books

    return read


COMMANDS: Final = Commands(ask_all=ask_all)


def record(
    books: Books, fact: AccountsFact, now: Now, others: Iterable[Posting] = (), *, at: datetime | None = None
) -> FactWithPostings:
    """Apply a fact to the accounts in memory, and return it for recording; `others` are the contra postings.

    `at` is the time of the fact, by default now. A fact about one account is recorded in that account's stream, any
    other fact in the stream of its shard. Raises: Rejected for an unknown property, before anything is changed.
    """
    at = at or now.at
    gaming_day = books.today.at(fact.property, at).gaming_day
    apply_fact(books, fact, at, gaming_day)
    about = account_of(fact)
    return FactWithPostings(
        fact=fact,
        postings=postings_of(books, fact, others),
        gaming_day=gaming_day,
        occurred_at=at,
        stream=about and ("/properties/{}/accounts/{}".format(*about), books.accounts[about].version),
    )


def account_path(account: Account) -> str:
    """Return the URL path of an account."""
    return f"/accounts/{account.property}/{account.account}"


def next_movement(
    account: Account,
    *,
    available_cents: int = 0,
    held_cents: int = 0,
    staked_cents: int = 0,
    promotional_cents: int = 0,
    promotional_held_cents: int = 0,
    promotional_staked_cents: int = 0,
) -> AccountMovement:
    """Return a movement with the account's next version."""
    return AccountMovement.construct_unvalidated(
        {
            "account": account.account,
            "table": account.table or None,
            "version": account.version + 1,
            "available_cents": available_cents,
            "held_cents": held_cents,
            "staked_cents": staked_cents,
            "promotional_cents": promotional_cents,
            "promotional_held_cents": promotional_held_cents,
            "promotional_staked_cents": promotional_staked_cents,
        }
    )


def require_account(books: Books, key: AccountKey) -> Account:
    """Return an account. Raises: Rejected if it does not exist, or does not match its journal entries."""
    account = books.accounts.get(key)
    if account is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no account {key[1]} at {key[0]}")
    if key in books.altered:
        detail = f"account {key[1]} is not what was recorded: {books.altered[key]}; nothing is done with it"
        raise Rejected(Reason.NOT_AS_RECORDED, detail)
    return account


def require_available(account: Account, cents: int, where: str = "that are available") -> None:
    """Raise Rejected if an account has less available than the amount to be taken."""
    if cents > account.available_cents:
        raise Rejected(Reason.INSUFFICIENT_FUNDS, f"{cents} exceeds the {account.available_cents} cents {where}")


def require_open(account: Account) -> None:
    """Raise Rejected if an account is closed."""
    if account.status != "open":
        detail = f"account {account.account} is closed: it can be paid out, and nothing else"
        raise Rejected(Reason.ALREADY_DECIDED, detail)


_REGISTER: Final = "register it first (POST /patrons), which takes neither a wallet nor an access code"


def require_patron(books: Books, property_name: str, patron: str) -> Patron:
    """Return a patron. Raises: Rejected if the patron does not exist."""
    found = books.patrons.get((property_name, patron))
    if found is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no patron {patron} at {property_name}: {_REGISTER}")
    require_not_erased(books, found)
    return found


def require_not_erased(books: Books, patron: Patron) -> None:
    """Raise Rejected if the personal data of a patron was erased."""
    if patron.erased_at is not None:
        erased_at = books.today.clock_text(patron.property, patron.erased_at)
        detail = f"patron {patron.patron} was erased at {erased_at}: only what is left is paid out"
        raise Rejected(Reason.ALREADY_DECIDED, detail)


def require_admitted(books: Books, patron: Patron | None) -> None:
    """Raise Rejected if the patron is excluded, or erased."""
    if patron is not None:
        require_not_erased(books, patron)
    if patron is not None and patron.excluded_at is not None:
        excluded_at = books.today.clock_text(patron.property, patron.excluded_at)
        detail = f"patron {patron.patron} is excluded since {excluded_at}: only paid out"
        raise Rejected(Reason.PATRON_EXCLUDED, detail)


def wrong_code(books: Books, patron: Patron, given: GivenCode | None, now: Now) -> Accepted | None:
    """Return the outcome of a wrong access code, or None for a correct one. Too many wrong codes lock the wallet.

    Raises: Rejected if the code is locked, none is stored, or the stored one was not written by this service.
    """
    code = f"the access code of patron {patron.patron}"
    locked_until = patron.locked_at(now.at)
    if locked_until is not None:
        until = books.today.clock_text(patron.property, locked_until)
        raise Rejected(Reason.CODE_LOCKED, f"{code} is locked until {until}")
    kept = books.codes.get(PatronCode.key_of(patron))
    if kept is None:
        raise Rejected(Reason.CODE_WRONG, f"{code} was never given, or is lost; give the patron a new one")
    if given is None:
        raise Rejected(Reason.CODE_WRONG, f"{code} is needed")
    if given.kept != HashedCode(kept.salt, kept.hash, kept.number, kept.signature):
        raise Rejected(Reason.CONTRADICTS, f"{code} was changed meanwhile; send a new key")
    if given.forged is not None:
        detail = f"{code} is not one that this service kept: {given.forged}; give the patron a new one"
        raise Rejected(Reason.NOT_AS_RECORDED, detail)
    if given.is_right:
        return None
    today = books.today.at(patron.property, now.at)
    failed, detail = patron.failed_codes + 1, f"{code} is wrong"
    if failed >= today.law.failed_codes_max.on(today.gaming_day).value:
        locked_until = now.at + timedelta(minutes=today.law.lock_minutes.on(today.gaming_day).value)
        detail += f"; it is locked until {today.place.clock_text(locked_until)}"
    fact = AccessFailed(
        property=patron.property, patron=patron.patron, failed=failed, locked_until=locked_until, by=now.by
    )
    return Accepted(recording=record(books, fact, now), answer={}, rejected=Rejected(Reason.CODE_WRONG, detail))
