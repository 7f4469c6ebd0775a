"""Commands on wagers before their result: authorize (a hold), capture at "no more bets", release."""

from typing import Annotated

from pydantic import Field

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccountName,
    AccountsCommand,
    Number,
    account_path,
    next_movement,
    record,
    require_account,
    require_admitted,
    require_available,
    require_open,
)
from services.wagering_accounts.domain.apply_facts import next_version
from services.wagering_accounts.domain.books import Account, Books, Hold, Round
from services.wagering_accounts.domain.documents import AccountDocument, AuthorizedHold, CaptureDocument
from services.wagering_accounts.queries.books import ReadSet
from shared.contracts.accounts import CapturedHold, RoundCaptured, WagerAuthorized, WagerReleased
from shared.contracts.envelope import Identifier, Name
from shared.contracts.envelope import Reason as Why
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.runtime.commands.command import Accepted, Now


class AuthorizeWager(AccountsCommand):
    """Authorize a wager (58 Pa. Code § 605a.2(d)).

    Its cents are on hold until the round's result, a release, or a void of the round.
    """

    account: AccountName
    table: Name
    round_id: Identifier
    seat: Annotated[int, Field(ge=1, le=12)]
    wager: Name
    cents: Cents

    def needs(self) -> ReadSet:
        return ReadSet(accounts=[Account.key_of(self)], rounds=[Round.key_of(self)])


@COMMANDS.handles(AuthorizeWager)
def _authorize(command: AuthorizeWager, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    require_open(account)
    if account.kind != "game":
        detail = f"account {account.account} is a wallet: move money to a game account to wager"
        raise Rejected(Reason.CONTRADICTS, detail)
    if account.table != command.table:
        detail = f"account {account.account} is for table {account.table}, not {command.table}"
        raise Rejected(Reason.CONTRADICTS, detail)
    patron = books.patron_of(account)
    require_admitted(books, patron)
    limit = None if patron is None else patron.limit("wager", now.at)
    if limit is not None and command.cents > limit:
        raise Rejected(Reason.LIMIT_EXCEEDED, f"{command.cents} exceeds the patron's limit of {limit} cents a wager")
    key = Round.key_of(command)
    round_ = books.rounds.get(key)
    if round_ is not None and round_.is_over():
        detail = f"round {command.round_id} of table {command.table} is {round_.status}: its wagers are over"
        raise Rejected(Reason.TOO_LATE, detail)
    promotional = _promotional_part(books, account, command, now)
    cashable = command.cents - promotional
    number = account.version + 1
    fact = WagerAuthorized.construct_unvalidated(  # in the order of its fields
        {
            "property": command.property,
            "by": now.by,
            "account": command.account,
            "hold": number,
            **vars(command),
            "promotional_cents": promotional,
            "round_version": next_version(books, key),
            "movements": (
                next_movement(
                    account,
                    available_cents=-cashable,
                    held_cents=cashable,
                    promotional_cents=-promotional,
                    promotional_held_cents=promotional,
                ),
            ),
        }
    )
    recording = record(books, fact, now)
    answer = AuthorizedHold(
        **vars(command),
        hold=number,
        status="held",
        promotional_cents=promotional,
        available_cents=account.available_cents,
        promotional_available_cents=account.promotional_cents,
    )
    return Accepted(recording=recording, answer=answer, location=f"{account_path(account)}/holds/{number}")


def _promotional_part(books: Books, account: Account, command: AuthorizeWager, now: Now) -> int:
    """Return the promotional part of a wager. Raises: Rejected if the account's funds do not suffice."""
    if not account.promotional_cents:
        require_available(account, command.cents)
        return 0
    both = account.available_cents + account.promotional_cents
    if command.cents > both:
        detail = f"{command.cents} exceeds the {both} cents that are available, promotional money included"
        raise Rejected(Reason.INSUFFICIENT_FUNDS, detail)
    if books.today.at(command.property, now.at).place.document.promotional_money_spent == "first":
        return min(account.promotional_cents, command.cents)
    return max(0, command.cents - account.available_cents)


class CaptureRound(AccountsCommand):
    """Capture the wagers of a round at "no more bets".

    Holds for the round are now in play, and can no longer be released. Wagers added later in the round need another
    capture.
    """

    table: Name
    round_id: Identifier

    def needs(self) -> ReadSet:
        return ReadSet(rounds_with_holds=[Round.key_of(self)])


@COMMANDS.handles(CaptureRound)
def _capture(command: CaptureRound, books: Books, now: Now) -> Accepted:
    key = Round.key_of(command)
    round_ = books.rounds.get(key)
    if round_ is None:
        detail = f"no wager of round {command.round_id} of table {command.table} was ever authorized"
        raise Rejected(Reason.NOT_FOUND, detail)
    held = books.holds_of(key, "held")
    sums: dict[str, tuple[int, int]] = {}
    for hold in held:
        cashable, promotional = sums.get(hold.account, (0, 0))
        sums[hold.account] = (
            cashable + hold.cents - hold.promotional_cents,
            promotional + hold.promotional_cents,
        )
    holds = tuple(CapturedHold(account=hold.account, hold=hold.hold, cents=hold.cents) for hold in held)
    fact = RoundCaptured(
        **vars(command),
        by=now.by,
        round_version=None if round_.is_over() else next_version(books, key),  # else its result came first
        holds=holds,
        movements=tuple(
            next_movement(
                books.accounts[command.property, account],
                held_cents=-cashable,
                staked_cents=cashable,
                promotional_held_cents=-promotional,
                promotional_staked_cents=promotional,
            )
            for account, (cashable, promotional) in sums.items()
        ),
    )
    recording = record(books, fact, now)
    return Accepted(recording=recording, answer=CaptureDocument(**vars(command), status=round_.status, captured=holds))


class ReleaseWager(AccountsCommand):
    """Release a wager.

    This is only possible before "no more bets"; its cents are then available again.
    """

    account: AccountName
    hold: Number
    reason: Why

    def needs(self) -> ReadSet:
        return ReadSet(accounts=[Account.key_of(self)], holds=[Hold.key_of(self)])


@COMMANDS.handles(ReleaseWager)
def _release(command: ReleaseWager, books: Books, now: Now) -> Accepted:
    account = require_account(books, Account.key_of(command))
    hold = books.holds.get(Hold.key_of(command))
    if hold is None:
        raise Rejected(Reason.NOT_FOUND, f"account {command.account} has no hold {command.hold}")
    if hold.status == "captured":
        raise Rejected(
            Reason.TOO_LATE,
            f"hold {command.hold} is in play since 'no more bets': the result of round {hold.round_id} settles it, "
            "or its void returns it",
        )
    if hold.status != "held":
        raise Rejected(Reason.ALREADY_DECIDED, f"hold {command.hold} was {hold.status} already")
    promotional = hold.promotional_cents
    cashable = hold.cents - promotional
    fact = WagerReleased(
        **vars(command),
        table=hold.table,
        round_id=hold.round_id,
        cents=hold.cents,
        promotional_cents=promotional,
        round_version=next_version(books, Round.key_of(hold)),
        by=now.by,
        movements=(
            next_movement(
                account,
                available_cents=cashable,
                held_cents=-cashable,
                promotional_cents=promotional,
                promotional_held_cents=-promotional,
            ),
        ),
    )
    recording = record(books, fact, now)
    return Accepted(recording=recording, answer=AccountDocument.of(account))
