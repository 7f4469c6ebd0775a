"""Commands about patrons: register with a wallet and an access code, exclude, limit."""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import Field, PrivateAttr

from services.wagering_accounts.commands.deciding import (
    COMMANDS,
    AccessCode,
    AccountsCommand,
    CommandWithCode,
    PatronName,
    record,
    require_patron,
)
from services.wagering_accounts.domain.books import Books, Limit, Patron, PatronCode
from services.wagering_accounts.domain.documents import PatronDocument
from services.wagering_accounts.queries.books import ReadSet
from shared.contracts.accounts import (
    AboutPatron,
    LimitKind,
    PatronAdmitted,
    PatronCodeChanged,
    PatronExcluded,
    PatronLimitChanged,
    PatronRegistered,
    PatronTaxResidenceSet,
)
from shared.contracts.countries import Country
from shared.contracts.envelope import Name
from shared.contracts.envelope import Reason as Why
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.runtime.commands.command import Accepted, Now


class _AboutPatron(AccountsCommand):
    patron: PatronName

    def needs(self) -> ReadSet:
        return ReadSet(patrons=[Patron.key_of(self)])


def _accepted(books: Books, fact: AboutPatron, now: Now) -> Accepted:
    """Return the outcome of a fact; the response is the patron's state afterwards."""
    recording = record(books, fact, now)
    patron = books.patrons[fact.property, fact.patron]
    return Accepted(recording=recording, answer=PatronDocument.of(patron, now.at))


class RegisterPatron(CommandWithCode, _AboutPatron):
    """Register a patron with a wallet.

    Each person has one wallet, protected by an access code that the person chose. Both are optional for a patron who
    only pays in currency: the wallet then has the patron's name, and pays nothing out until a code is set. The response
    lists other references that differ only in case.
    """

    wallet: Annotated[Name | None, Field(description="the wallet; by default named as the patron")] = None
    _same_but_for_case: tuple[str, ...] = PrivateAttr(default=())

    @property
    def wallet_name(self) -> str:
        """Return the name of the wallet."""
        return self.wallet or self.patron

    def needs(self) -> ReadSet:
        return ReadSet([(self.property, self.wallet_name)], patrons=[Patron.key_of(self)])

    def beside(self, same_but_for_case: tuple[str, ...]) -> Self:
        """Return the command with those registered references that differ from its patron only in case."""
        command = self.model_copy()
        command._same_but_for_case = same_but_for_case
        return command


@COMMANDS.handles(RegisterPatron)
def _register(command: RegisterPatron, books: Books, now: Now) -> Accepted:
    if Patron.key_of(command) in books.patrons:
        raise Rejected(Reason.ALREADY_DECIDED, f"patron {command.patron} is registered already: one wallet a person")
    wallet = command.wallet_name
    if (command.property, wallet) in books.accounts:
        raise Rejected(Reason.ALREADY_DECIDED, f"account {wallet} exists already")
    fact = PatronRegistered(property=command.property, patron=command.patron, wallet=wallet, by=now.by)
    recording = record(books, fact, now)
    if command.has_code:
        books.keep_code(command.property, command.patron, command.new_code)
    patron = books.patrons[Patron.key_of(command)]
    answer = PatronDocument.of(patron, now.at, same_but_for_case=command._same_but_for_case)
    return Accepted(recording=recording, answer=answer, location=f"/patrons/{command.property}/{command.patron}")


class ChangeAccessCode(CommandWithCode, _AboutPatron):
    """Give a patron a new access code.

    This also unlocks the wallet.
    """

    access_code: AccessCode
    reason: Why


@COMMANDS.handles(ChangeAccessCode)
def _change_code(command: ChangeAccessCode, books: Books, now: Now) -> Accepted:
    require_patron(books, command.property, command.patron)
    kept = books.codes.get(PatronCode.key_of(command))
    if kept is not None and kept.number >= command.new_code.number:
        raise Rejected(Reason.CONTRADICTS, f"patron {command.patron} was given a code meanwhile; send a new key")
    fact = PatronCodeChanged(property=command.property, patron=command.patron, reason=command.reason, by=now.by)
    accepted = _accepted(books, fact, now)
    books.keep_code(command.property, command.patron, command.new_code)
    return accepted


class SetExclusion(_AboutPatron):
    """Exclude a patron, or admit an excluded one again.

    An excluded patron can be paid out, but cannot wager.
    """

    excluded: bool
    reason: Why


@COMMANDS.handles(SetExclusion)
def _set_exclusion(command: SetExclusion, books: Books, now: Now) -> Accepted:
    patron = require_patron(books, command.property, command.patron)
    if command.excluded == (patron.excluded_at is not None):
        state = "excluded" if command.excluded else "not excluded"
        raise Rejected(Reason.ALREADY_DECIDED, f"patron {command.patron} is {state} already")
    kind = PatronExcluded if command.excluded else PatronAdmitted
    fact = kind(property=command.property, patron=command.patron, reason=command.reason, by=now.by)
    return _accepted(books, fact, now)


class SetLimit(_AboutPatron):
    """Set a patron's limit.

    The limit is in cents, and applies to each `wager` or to all buy-ins of a gaming day (`buy_in_day`); null removes
    it. A tighter limit takes effect at once, a looser one after a day.
    """

    limit: LimitKind
    cents: Cents | None


@COMMANDS.handles(SetLimit)
def _set_limit(command: SetLimit, books: Books, now: Now) -> Accepted:
    patron = require_patron(books, command.property, command.patron)
    today = books.today.at(command.property, now.at)
    later = now.at + timedelta(hours=today.law.loosening_hours.on(today.gaming_day).value)
    changed = patron.limits.get(command.limit, Limit()).changed(command.cents, now.at, later)
    fact = PatronLimitChanged(**vars(command), effective_from=changed.next_at or now.at, by=now.by)
    return _accepted(books, fact, now)


class SetTaxResidence(_AboutPatron):
    """Set the country in which a patron is a resident for tax.

    `reason` names the documents that the cashier looked at; they are not stored.
    """

    country: Country
    reason: Why


@COMMANDS.handles(SetTaxResidence)
def _set_tax_residence(command: SetTaxResidence, books: Books, now: Now) -> Accepted:
    require_patron(books, command.property, command.patron)
    fact = PatronTaxResidenceSet(**vars(command), by=now.by)
    return _accepted(books, fact, now)
