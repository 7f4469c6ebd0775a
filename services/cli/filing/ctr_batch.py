"""Write a batch of currency transaction reports (FinCEN 112) for FinCEN's BSA E-Filing System. No I/O.

XML schema 2.0 (`EFL_CTRXBatchSchema.xsd` 1.2 of 17 December 2021) and its user guide, version 1.8 of August 2021. One
activity is the report of one person's gaming day. Amounts are whole dollars: each line of the form is rounded up, and
every total is the sum of rounded lines, because the receiving system checks that. Movements for several people, or of
several kinds, are combined in one line if the form has a single transaction type for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final
from xml.etree.ElementTree import Element

from services.cli.filing.batch import Batch, day_text, unknown
from services.wagering_accounts.domain.identity import PatronIdentity
from shared.contracts.cage import DIRECTIONS, Direction
from shared.contracts.currency_lines import (
    FOR_ANOTHER,
    MovedCurrency,
    dollars_by_line,
    dollars_in_and_out,
    parts_of,
)
from shared.contracts.properties import Filer

_ACCOUNTS: Final[Mapping[Direction, str]] = {"in": "8", "out": "9"}
"""The code that ties an account to cash in, or to cash out."""
_EXCHANGES: Final = frozenset(kind.replace("_", " ") for kind, direction in DIRECTIONS.items() if direction == "both")
"""The kinds of movements (exchanges) that appear both on a line in and on a line out."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a currency transaction report: the sum in cents, and the number, of one kind of a day's movements.

    A movement by an agent has the `conductor` and the principals (`on_behalf_of`), by reference. `specified` is the
    purpose of movements for which the form has no line of its own, or the country of foreign currency.
    """

    kind: str
    direction: Direction
    movements: int
    cents: int
    conductor: str | None = None
    on_behalf_of: tuple[str, ...] = ()
    specified: str = ""

    @property
    def moved(self) -> MovedCurrency:
        """Return the line's kind, direction, specification and cents, without its persons."""
        return MovedCurrency(self.kind, self.direction, self.specified, self.cents)


@dataclass(frozen=True, slots=True)
class CtrActivity:
    """The currency transaction report of a person's gaming day; without lines, it amends an earlier report to nothing.

    `identity` is None for an unknown person; `account` is then the number of the account, if there is one. `corrects`
    is the BSA identifier, 14 digits, of the report that this report corrects or amends. `reference` is the person's
    reference; `others` has the identities of the person's agents and principals by reference.
    """

    gaming_day: date
    identity: PatronIdentity | None
    lines: Sequence[Line]
    corrects: str | None = None
    account: str | None = None
    reference: str = ""
    others: Mapping[str, PatronIdentity | None] = field(default_factory=dict)

    def dollars(self, direction: Direction) -> int:
        """Return the total of the form's lines in one direction, in whole dollars."""
        return dollars_in_and_out(self.lines)[direction]


def ctr_batch(filer: Filer, activities: Sequence[CtrActivity], *, filed_on: date) -> bytes:
    """Return the file of a batch; the same reports filed on the same day give the same bytes.

    Raises: ValueError without a report, for a kind of movement without a type on the form, for a birth date after the
    gaming day, for a filing date before the gaming day, and for a movement on behalf of others whose conductor is
    missing, is an entity or is one of the principals, or whose conductor or principal has no identity here.
    """
    if not activities:
        raise ValueError("there is nothing to report")
    return _CtrBatch(filer, filed_on).of(activities)


class _CtrBatch(Batch):
    form = "CTRX"
    schema = "EFL_CTRXBatchSchema.xsd"

    def of(self, activities: Sequence[CtrActivity]) -> bytes:
        total = sum(one.dollars("in") + one.dollars("out") for one in activities)
        root = self.root({"ActivityCount": str(len(activities)), "TotalAmount": str(total)})
        for one in activities:
            self._activity(root, one)
        return self.text(root)

    def _activity(self, root: Element, one: CtrActivity) -> None:
        if self.filed_on < one.gaming_day:
            raise ValueError(f"a report of {one.gaming_day} is not filed on {self.filed_on}")
        fields = (("EFilingPriorDocumentNumber", one.corrects), ("FilingDateText", day_text(self.filed_on)))
        activity = self.element(root, "Activity", fields)
        self.element(
            activity,
            "ActivityAssociation",
            (
                ("CorrectsAmendsPriorReportIndicator", "Y" if one.corrects else ""),
                ("FinCENDirectBackFileIndicator", ""),
                ("InitialReportIndicator", "" if one.corrects else "Y"),
            ),
        )
        self.transmitter(activity)
        self.institution(activity, "30")
        self.contact_office(activity)
        self.institution(activity, "34", _amounts(one.lines))
        for party in _parties(one):
            self._person(activity, one, party)
        self._transactions(activity, one)

    def _person(self, activity: Element, one: CtrActivity, part: "_Party") -> None:
        who = part.identity or _NOBODY_KNOWN
        born, is_person = who.date_of_birth, who.kind == "person"
        many = _transactions(part.lines) > 1
        if born is not None and born > one.gaming_day:
            raise ValueError(f"somebody born on {born} moved nothing on {one.gaming_day}")
        fields = (
            ("BirthDateUnknownIndicator", unknown(who, "date_of_birth")),
            ("IndividualBirthDateText", None if born is None else day_text(born)),
            *_amounts(part.lines),
            ("MultipleTransactionsPersonsIndividualsIndicator", "Y" if many else None),
            ("PartyAsEntityOrganizationIndicator", None if is_person else "Y"),
            ("UnknownGenderIndicator", "Y" if is_person else None),
        )
        party = self.party(activity, part.code, fields)
        self.who(party, who)
        for direction, code in _ACCOUNTS.items():
            if one.account is not None and one.dollars(direction):
                account = self.element(party, "Account", (("AccountNumberText", one.account),))
                self.element(account, "PartyAccountAssociation", (("PartyAccountAssociationTypeCode", code),))

    def _transactions(self, activity: Element, one: CtrActivity) -> None:
        into, out = one.dollars("in"), one.dollars("out")
        boxes = ("AggregateTransaction", "ArmoredCarService", "ATM", "MailDepositShipment", "NightDeposit")
        moved = self.element(
            activity,
            "CurrencyTransactionActivity",
            (
                *((f"{box}Indicator", "") for box in (*boxes, "SharedBranching")),
                ("TotalCashInReceiveAmountText", str(into or "")),
                ("TotalCashOutAmountText", str(out or "")),
                ("TransactionDateText", day_text(one.gaming_day)),
            ),
        )
        for line, dollars in dollars_by_line(each.moved for each in one.lines).items():
            if not line.code:
                raise ValueError(f"the form has no type of transaction for {line.specified!r} {line.direction}")
            fields = (
                ("CurrencyTransactionActivityDetailTypeCode", line.code),
                ("DetailTransactionAmountText", str(dollars)),
                ("OtherCurrencyTransactionActivityDetailText", line.purpose),
                ("OtherForeignCurrencyCountryText", line.country),
            )
            self.element(moved, "CurrencyTransactionActivityDetail", fields)


_NOBODY_KNOWN: Final = PatronIdentity(unknown=tuple(sorted(PatronIdentity.model_construct().asked_for())))


@dataclass(frozen=True, slots=True)
class _Party:
    """A person's part in a currency transaction report: the form's party code, the identity, and the lines."""

    code: str
    identity: PatronIdentity | None
    lines: Sequence[Line]


def _parties(one: CtrActivity) -> Iterator[_Party]:
    """Yield each person's part in a report, starting with the person reported. Raises: ValueError."""
    identities = {one.reference: one.identity, **one.others}
    for line in one.lines:
        _require_persons(one, line)
    for (reference, code), lines in parts_of(one.reference, one.lines).items():
        if reference not in identities:
            raise ValueError(f"{reference} has a part in the report of {one.reference}, and is not identified")
        known = identities[reference]
        if code == FOR_ANOTHER and known is not None and known.kind == "entity":
            raise ValueError(f"{reference} is an entity: a person conducts what is moved for others")
        yield _Party(code, known, lines)


def _require_persons(one: CtrActivity, line: Line) -> None:
    """Raise ValueError if a line on behalf of others lacks a conductor or principals, or the person reported."""
    if line.conductor is None and not line.on_behalf_of:
        return
    if line.conductor is None or not line.on_behalf_of:
        raise ValueError(
            f"{line.kind} of {one.reference} for others: both who conducts it and for whom are on the form"
        )
    if line.conductor in line.on_behalf_of:
        raise ValueError(
            f"{line.conductor} conducts {line.kind} on behalf of {line.conductor}: that is for nobody else"
        )
    if one.reference not in (line.conductor, *line.on_behalf_of):
        raise ValueError(f"{one.reference} has no part in {line.kind} by {line.conductor}")


def _transactions(lines: Iterable[Line]) -> int:
    """Return the number of transactions in lines; an exchange's line in and line out count as one."""
    counted: dict[tuple[str, Direction | None, str, str | None, tuple[str, ...]], int] = {}
    for line in lines:
        direction = None if line.kind in _EXCHANGES else line.direction
        key = (line.kind, direction, line.specified, line.conductor, line.on_behalf_of)
        counted[key] = max(counted.get(key, 0), line.movements)
    return sum(counted.values())


def _amounts(lines: Sequence[Line]) -> list[tuple[str, str | None]]:
    sums = dollars_in_and_out(lines)
    return [(f"IndividualEntityCash{way.title()}AmountText", str(sums[way]) if sums[way] else None) for way in sums]
