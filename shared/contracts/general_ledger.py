"""The general-ledger mapping of a property: its chart of accounts, and the account to which each leg is posted.

The mapping is a versioned document: one person files a version, and another approves it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from shared.contracts.envelope import Contract, Name
from shared.contracts.facts import Fact, fact
from shared.contracts.legs import LEGS, AccountKind
from shared.contracts.properties import Label
from shared.contracts.topics import PROPERTIES
from shared.contracts.versions import Approved, Filed, Returned, version_hash

AccountNumber = Annotated[str, StringConstraints(pattern=r"^[0-9A-Z][0-9A-Za-z-]{0,14}$")]
"""The number of an account in the general ledger: at most 15 characters, which every accounting program accepts."""

Segment = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z][0-9A-Za-z.-]{0,31}$")]
"""The number of a department or a cost center."""

Currency = Literal["USD", "CAD"]
"""The currency of all amounts, by its ISO 4217 code. Both currencies have 100 cents to the dollar (exponent 2)."""

TableClass = Literal["banking", "non_banking", "fully_automated"]
"""The class of a table's revenue, as named in jurisdiction packs."""


class LedgerAccount(Contract):
    """An account of the chart of accounts."""

    account: AccountNumber
    title: Label
    kind: AccountKind

    @property
    def plain_title(self) -> str:
        """Return the title for programs that identify an account by its title, such as QuickBooks.

        They read a colon as the separator between an account and a subaccount, and a double quote as a text delimiter.
        They read files in Windows-1252, where other letters become a question mark.

        >>> LedgerAccount(account="4030", title="Table games: vigorish", kind="revenue").plain_title
        'Table games - vigorish'
        """
        title = re.sub(" *:", " -", self.title).replace('"', "'")
        return title.encode("cp1252", "replace").decode("cp1252")


class LedgerRule(Contract):
    """The account, department and cost center to which a service's leg is posted if every given condition is met.

    `item` is the journal's name of the wager, instrument, coupon, slip or pool. If several rules apply, the most
    specific condition decides: `item`, then `game`, `pit`, `table_class`.
    """

    service: Name
    leg: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,64}$")]
    item: Name | None = None
    game: Name | None = None
    pit: Name | None = None
    table_class: TableClass | None = None
    account: AccountNumber
    department: Segment | None = None
    cost_center: Segment | None = None

    @property
    def conditions(self) -> tuple[str | None, ...]:
        """Return the conditions, most specific first."""
        return tuple(getattr(self, name) for name in CONDITIONS)

    @property
    def where(self) -> str:
        """Return the leg and the conditions, for messages."""
        given = (
            f"{name} {value}" for name, value in zip(CONDITIONS, self.conditions, strict=True) if value is not None
        )
        return " ".join((f"{self.service} {self.leg}", *given))


CONDITIONS: Final = ("item", "game", "pit", "table_class")
"""The names of a rule's conditions, most specific first."""


SEGMENTS: Final[Mapping[str, str]] = {"department": "departments", "cost_center": "cost centers"}
"""The members of a rule that say to which part of the property a line belongs, with their plural for messages."""


class LedgerMappingDocument(Contract):
    """One version of a property's general-ledger mapping, for the gaming days that begin at `effective_from` or later.

    `currency` is the currency of all amounts. Each leg of every service has a rule without conditions, so that every
    amount is mapped; `accounts` is the chart of the accounts that the rules name.
    """

    property: Name
    title: Label
    currency: Currency = "USD"
    accounts: tuple[LedgerAccount, ...] = Field(min_length=1, max_length=2000)
    rules: tuple[LedgerRule, ...] = Field(min_length=1, max_length=10_000)
    effective_from: AwareDatetime

    @cached_property
    def chart(self) -> Mapping[str, LedgerAccount]:
        """Return the accounts by number."""
        return {account.account: account for account in self.accounts}

    def segments(self, name: str) -> Mapping[str, int]:
        """Return how many rules have each value of a member of `SEGMENTS`; rules without one are left out."""
        return Counter(value for rule in self.rules if (value := getattr(rule, name)) is not None)

    @cached_property
    def _rules_of_legs(self) -> Mapping[tuple[str, str], Sequence[LedgerRule]]:
        """Return (service, leg) -> its rules, those with the most specific conditions first."""
        found: dict[tuple[str, str], list[LedgerRule]] = {}
        for rule in self.rules:
            found.setdefault((rule.service, rule.leg), []).append(rule)
        for rules in found.values():
            rules.sort(key=lambda rule: [value is None for value in rule.conditions])
        return found

    def rule_for(
        self, service: str, leg: str, *, item: str = "", game: str = "", pit: str = "", table_class: str = ""
    ) -> LedgerRule | None:
        """Return the rule that applies to an amount on a leg; None if no rule applies."""
        given = (item, game, pit, table_class)
        for rule in self._rules_of_legs.get((service, leg), ()):
            if all(wanted in (None, value) for wanted, value in zip(rule.conditions, given, strict=True)):
                return rule
        return None


def problems(wanted: LedgerMappingDocument) -> Iterator[str]:
    """Yield the faults of a mapping: legs without a rule, rules that contradict the chart or the catalogue of legs."""
    for name in ("account", "title"):
        given = [getattr(account, name) for account in wanted.accounts]
        for value in sorted({value for value in given if given.count(value) > 1}):
            yield f"the {name} {value!r} is in the chart twice"
    plain: dict[str, set[str]] = defaultdict(set)
    for account in wanted.accounts:
        plain[account.plain_title.casefold()].add(account.title)
    for titles in sorted(map(sorted, plain.values())):
        if len(titles) > 1:
            how = "in any case, without colons, quotes, and letters that Windows-1252 lacks"
            yield f"the titles {', '.join(map(repr, titles))} are one as some programs read them, {how}"
    yield from _spelled_twice(wanted)
    seen: set[tuple[str | None, ...]] = set()
    for rule in wanted.rules:
        key = (rule.service, rule.leg, *rule.conditions)
        if key in seen:
            yield f"{rule.where}: there are two rules for it"
        seen.add(key)
        yield from _problems_of(rule, wanted.chart)
    for service, legs in LEGS.items():
        for leg in legs:
            if (service, leg, *(None for _ in CONDITIONS)) not in seen:
                yield f"{service} {leg}: there is no rule for it without conditions"
    yield from _split_transfers(wanted)


def _spelled_twice(wanted: LedgerMappingDocument) -> Iterator[str]:
    """Yield a message for each department or cost center that rules spell in more than one case."""
    for name in SEGMENTS:
        spelled: dict[str, set[str]] = defaultdict(set)
        for value in wanted.segments(name):
            spelled[value.casefold()].add(value)
        for values in sorted(map(sorted, spelled.values())):
            if len(values) > 1:
                listed = ", ".join(map(repr, values))
                yield f"the {SEGMENTS[name]} {listed} differ only in case: some programs read them as one"


def _problems_of(rule: LedgerRule, chart: Mapping[str, LedgerAccount]) -> Iterator[str]:
    leg = LEGS.get(rule.service, {}).get(rule.leg)
    if leg is None:
        yield f"{rule.where}: {rule.service} has no such leg; it has {', '.join(LEGS.get(rule.service, {})) or 'none'}"
        return
    account = chart.get(rule.account)
    if account is None:
        yield f"{rule.where}: account {rule.account} is not in the chart"
    elif account.kind not in leg.kinds:
        yield (
            f"{rule.where}: account {rule.account} is of kind {account.kind}; {leg.about} go to an account of kind "
            f"{' or '.join(leg.kinds)}"
        )


def _split_transfers(wanted: LedgerMappingDocument) -> Iterator[str]:
    """Yield a message for each transfer whose sides map to different accounts, which then never return to zero."""
    used: dict[str, set[str]] = {}
    for rule in wanted.rules:
        leg = LEGS.get(rule.service, {}).get(rule.leg)
        if leg is not None and leg.transfer is not None:
            used.setdefault(leg.transfer, set()).add(rule.account)
    for transfer, accounts in sorted(used.items()):
        if len(accounts) > 1:
            yield (
                f"the legs of the transfer of {transfer} go to {', '.join(sorted(accounts))}: give them one clearing "
                "account, which both sides bring back to nothing"
            )


_STREAM: Final = "/properties/{property}/ledger-mapping/{version}"


@fact("ledger_mapping.filed", PROPERTIES, stream=_STREAM)
class LedgerMappingFiled(Fact, LedgerMappingDocument, Filed):
    """A version of a general-ledger mapping was filed; it awaits another person's approval."""


@fact("ledger_mapping.approved", PROPERTIES, stream=_STREAM)
class LedgerMappingApproved(LedgerMappingFiled, Approved):
    """A version was approved; it is in effect from `effective_from`."""


@fact("ledger_mapping.returned", PROPERTIES, stream=_STREAM)
class LedgerMappingReturned(Fact, Returned):
    """A version was returned to its filer; it never takes effect."""

    property: Name


def mapping_hash(wanted: LedgerMappingDocument, version: int) -> str:
    """Return the hash of a version, over the whole document and its number."""
    return version_hash(wanted, LedgerMappingDocument, version)
