"""Commands on patrons' identities, which are encrypted before the decision, and on erasures by two people."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Final, Self

from pydantic import PrivateAttr

from services.wagering_accounts.commands.deciding import COMMANDS, AccountsCommand, PatronName, record, require_patron
from services.wagering_accounts.domain.books import Books, Patron, PatronErasure
from services.wagering_accounts.domain.documents import ErasureDocument, PatronDocument
from services.wagering_accounts.domain.identity import PatronIdentity
from services.wagering_accounts.queries.books import ReadSet
from shared.contracts.accounts import (
    AboutErasure,
    ErasureGround,
    PatronErased,
    PatronErasureEntered,
    PatronErasureRejected,
    PatronIdentified,
)
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.approval import PATRON_ERASURE, Approval, Decision
from shared.runtime.commands.command import Accepted, Approving, Now

_KEPT: Final = ("originals", "currency_records")
"""Kinds of records that name a patron; the pack has their retention periods."""


class IdentifyPatron(AccountsCommand):
    """Store a patron's identity.

    The identity has the fields that IRS and FinCEN forms require, as read from the document that the cashier was shown.
    It is encrypted with the patron's own key before it is recorded, and can be erased. The response lists other
    references with the same taxpayer number or document, which belong to the same person.
    """

    patron: PatronName
    identity: PatronIdentity
    _sealed: str | None = PrivateAttr(default=None)
    _digests: Mapping[str, bytes | None] = PrivateAttr(default_factory=dict)
    _same_person_as: tuple[str, ...] = PrivateAttr(default=())
    _fingerprint: str | None = PrivateAttr(default=None)

    def needs(self) -> ReadSet:
        """Return the read set: the patron and the current identity."""
        return ReadSet(patrons=[Patron.key_of(self)], identities=[Patron.key_of(self)])

    def sealed(
        self,
        sealed: str | None,
        fingerprint: str,
        digests: Mapping[str, bytes | None],
        same_person_as: tuple[str, ...],
    ) -> Self:
        """Return the command with the encrypted identity instead of the plain one, and a fingerprint for retries.

        `digests` are the identity's keyed digests, `same_person_as` the other references that have one of them.
        """
        command = self.model_copy(update={"identity": None})
        command._sealed, command._fingerprint = sealed, fingerprint
        command._digests, command._same_person_as = digests, same_person_as
        return command

    def content(self) -> Any:
        """Return the request with the fingerprint of the identity instead of the identity."""
        return {**self.shown(), "identity": self._fingerprint}

    def shown(self) -> dict[str, Any]:
        """Return the request without the identity."""
        return self.model_dump(mode="json", exclude_none=True, exclude={"identity"})


@COMMANDS.handles(IdentifyPatron)
def _identify(command: IdentifyPatron, books: Books, now: Now) -> Accepted:
    require_patron(books, command.property, command.patron)
    if command._sealed is None:  # the patron was registered after the key was looked for
        raise Rejected(Reason.CONTRADICTS, f"patron {command.patron} was registered meanwhile; send a new key")
    fact = PatronIdentified(property=command.property, patron=command.patron, identity=command._sealed, by=now.by)
    recording = record(books, fact, now)
    patron = books.patrons[Patron.key_of(command)]
    books.digests[Patron.key_of(command)] = command._digests
    answer = PatronDocument.of(patron, now.at, same_person_as=command._same_person_as)
    return Accepted(recording=recording, answer=answer)


class _OfErasure(AccountsCommand):
    patron: PatronName

    def needs(self) -> ReadSet:
        own = [Patron.key_of(self)]
        return ReadSet(patrons=own, identities=own, erased=own)


class EnterErasure(_OfErasure):
    """Enter an erasure of a patron's personal data.

    Another person must approve it. Both steps are rejected while a filing that names the patron is unanswered.
    `last_form_on` is the last gaming day on which a form or a record of the cage or pit names the patron, according to
    the winnings and currency reports; omit it if there is none.
    """

    ground: ErasureGround
    last_form_on: date | None = None


@COMMANDS.handles(EnterErasure)
def _enter(command: EnterErasure, books: Books, now: Now) -> Accepted:
    patron = require_patron(books, command.property, command.patron)
    entered = books.erasures.get(Patron.key_of(command))
    if entered is not None and entered.status == "entered":
        raise Rejected(Reason.ALREADY_DECIDED, f"an erasure of patron {command.patron} waits for approval already")
    _kept_until(books, patron, command.last_form_on, now)
    fact = PatronErasureEntered(**vars(command), by=now.by)
    return _accepted(books, fact, now, f"/patrons/{command.property}/{command.patron}/erasure")


def _shown(command: "ApproveErasure", books: Books, now: Now) -> ErasureDocument:
    del now
    return ErasureDocument.of(_find(command, books)[1])


class ApproveErasure(_OfErasure, Approving):
    """Approve an erasure.

    The patron's key and access code are destroyed permanently. The person who entered the erasure cannot approve it.
    """


@COMMANDS.handles(ApproveErasure, subject=_shown)
def _approve(command: ApproveErasure, books: Books, now: Now) -> Accepted:
    patron, erasure = _find(command, books)
    _approval(erasure).approve(now.by)
    kept_until = _kept_until(books, patron, erasure.last_form_on, now)
    fact = PatronErased(**_said(erasure), kept_until=kept_until, by=now.by)
    return _accepted(books, fact, now)


class RejectErasure(_OfErasure):
    """Reject an erasure.

    Nothing is erased.
    """


@COMMANDS.handles(RejectErasure)
def _reject(command: RejectErasure, books: Books, now: Now) -> Accepted:
    _, erasure = _find(command, books)
    _approval(erasure).reject()
    return _accepted(books, PatronErasureRejected(**_said(erasure), by=now.by), now)


def _find(command: _OfErasure, books: Books) -> tuple[Patron, PatronErasure]:
    patron = require_patron(books, command.property, command.patron)
    erasure = books.erasures.get(Patron.key_of(command))
    if erasure is None:
        raise Rejected(Reason.NOT_FOUND, f"no erasure of patron {command.patron} was entered")
    return patron, erasure


def _approval(erasure: PatronErasure) -> Approval:
    name = f"the erasure of patron {erasure.patron}"
    return Approval(PATRON_ERASURE, name, erasure.entered_by, Decision.of(erasure.status))


def _said(erasure: PatronErasure) -> dict[str, Any]:
    names = ("property", "patron", "ground", "last_form_on", "entered_by")
    return {name: getattr(erasure, name) for name in names}


def _accepted(books: Books, fact: AboutErasure, now: Now, location: str | None = None) -> Accepted:
    recording = record(books, fact, now)
    answer = ErasureDocument.of(books.erasures[Patron.key_of(fact)])
    return Accepted(recording=recording, answer=answer, location=location)


def _kept_until(books: Books, patron: Patron, last_form_on: date | None, now: Now) -> date | None:
    """Return the end of the legal retention of records that name a patron. Raises: Rejected while it lasts."""
    key = Patron.key_of(patron)
    if patron.excluded_at is not None:
        detail = f"patron {patron.patron} is excluded: whom an exclusion list names is kept as long as it does"
        raise Rejected(Reason.PATRON_EXCLUDED, detail)
    own = [account for account in books.accounts.values() if (account.property, account.patron) == key]
    left = sum(account.total() for account in own)
    if left or books.owed.get(key):
        raise Rejected(Reason.TOO_EARLY, f"accounts of patron {patron.patron} have {left} cents, or owe some")
    if still := sorted(account.account for account in own if account.kind == "game" and account.status == "open"):
        raise Rejected(Reason.TOO_EARLY, f"game accounts of patron {patron.patron} are open: {', '.join(still)}")
    if unanswered := books.open_filings.get(key):
        detail = f"filings that name patron {patron.patron} have no answer: {', '.join(unanswered)}"
        raise Rejected(Reason.TOO_EARLY, f"{detail}; withdraw them, or record the answers to them")
    last = max(filter(None, (books.last_days.get(key), last_form_on)), default=None)
    if last is None:
        return None
    today = books.today.at(patron.property, now.at)
    if (filed_at := books.last_filed.get(key)) is not None:
        last = max(last, filed_at.astimezone(today.place.zone).date())
    kept: list[tuple[date, str]] = []
    for pack in (today.place.law, *today.place.reporting):
        for name in _KEPT:
            if name in pack.retention:
                rule = pack.retention[name].on(last)
                kept.append((rule.value.after(last), rule.source))
    until, source = max(kept, default=(last, ""))
    if today.gaming_day <= until:
        detail = f"records of {last} that name patron {patron.patron} are kept until {until} ({source})"
        raise Rejected(Reason.TOO_EARLY, detail)
    return until
