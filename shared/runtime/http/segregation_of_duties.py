"""Segregation of duties: which roles one person may have together. `make generated` writes it to docs/duties.md.

Every role belongs to one duty. Some pairs of duties always exclude each other: a token with roles of both is refused,
whatever the request. Other pairs exclude each other only for the same item, so one person may have both; the commands
ensure that another person approves (shared.runtime.commands.approval, and the law's lists of people).
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import Final


class Duty(StrEnum):
    """The duties of a casino's staff, in the order of the printed matrix."""

    RULES = "files rules and properties"
    RULES_APPROVAL = "approves rules and properties"
    PIT = "requests fills and credits, and rates patrons, in the pit"
    CAGE = "works at the cage and the chip bank"
    CREDIT_LINES = "requests and verifies credit lines"
    CREDIT_LINES_APPROVAL = "approves credit lines"
    CHECK_PREPARATION = "prepares counter checks against credit lines"
    COUNT = "counts drop boxes"
    AUDIT = "audits revenue and reconciles meters"
    CONTROL = "seals days and decides adjustments"
    SURVEILLANCE = "looks into alarms"
    CASHIER = "takes and pays money of accounts"
    PROMOTION = "grants promotional money"
    PATRON_CARE = "excludes and erases patrons"
    TABLE_SYSTEM = "is an electronic table"
    ADJUSTMENT = "enters adjustments of accounts"
    ADJUSTMENT_APPROVAL = "approves adjustments of accounts and erasures"
    METERS = "asks for changes of meters"
    METERS_APPROVAL = "approves changes of meters"
    CORRECTION = "proposes corrections of rounds and pit events"
    CORRECTION_APPROVAL = "approves corrections of rounds and pit events"
    RECORDS = "mends records in quarantine"
    RECORDS_APPROVAL = "approves what is done in quarantine"
    LEDGER = "files general-ledger mappings"
    LEDGER_APPROVAL = "approves general-ledger mappings"
    FILING = "prepares what is filed with FinCEN or the IRS"
    FILING_APPROVAL = "releases what is filed with FinCEN or the IRS"
    SUSPICION = "prepares suspicious activity reports"
    SUSPICION_APPROVAL = "releases suspicious activity reports"
    READING = "reads"


DUTY_OF: Final[Mapping[str, Duty]] = {
    "submissions.file": Duty.RULES,
    "properties.file": Duty.RULES,
    "submissions.file.approve": Duty.RULES_APPROVAL,
    "properties.file.approve": Duty.RULES_APPROVAL,
    "slips.request": Duty.PIT,
    "ratings.enter": Duty.PIT,
    "ratings.amend": Duty.PIT,
    "slips.prepare": Duty.CAGE,
    "cage.transact": Duty.CAGE,
    "creditlines.request": Duty.CREDIT_LINES,
    "creditlines.approve": Duty.CREDIT_LINES_APPROVAL,
    "checks.prepare": Duty.CHECK_PREPARATION,
    "boxes.count": Duty.COUNT,
    "days.audit": Duty.AUDIT,
    "meters.reconcile": Duty.AUDIT,
    "days.audit.approve": Duty.CONTROL,
    "alarms.resolve": Duty.SURVEILLANCE,
    "accounts.manage": Duty.CASHIER,
    "accounts.promote": Duty.PROMOTION,
    "accounts.erase": Duty.PATRON_CARE,
    "accounts.erase.approve": Duty.ADJUSTMENT_APPROVAL,
    "accounts.exclude": Duty.PATRON_CARE,
    "accounts.wager": Duty.TABLE_SYSTEM,
    "accounts.adjust": Duty.ADJUSTMENT,
    "accounts.adjust.approve": Duty.ADJUSTMENT_APPROVAL,
    "meters.change": Duty.METERS,
    "meters.change.approve": Duty.METERS_APPROVAL,
    "rounds.correct": Duty.CORRECTION,
    "rounds.correct.approve": Duty.CORRECTION_APPROVAL,
    "pit.correct": Duty.CORRECTION,
    "pit.correct.approve": Duty.CORRECTION_APPROVAL,
    "quarantine.mend": Duty.RECORDS,
    "quarantine.approve": Duty.RECORDS_APPROVAL,
    "ledger.file": Duty.LEDGER,
    "ledger.file.approve": Duty.LEDGER_APPROVAL,
    "filings.prepare": Duty.FILING,
    "filings.prepare.approve": Duty.FILING_APPROVAL,
    "sar.prepare": Duty.SUSPICION,
    "sar.prepare.approve": Duty.SUSPICION_APPROVAL,
    "metrics.read": Duty.READING,
    "patrons.report": Duty.READING,
    "properties.read": Duty.READING,
    "quarantine.read": Duty.READING,
    "reports.read": Duty.READING,
    "rounds.read": Duty.READING,
    "signs.read": Duty.READING,
    "submissions.read": Duty.READING,
}
"""The duty of each role. Tests require that every role of a service has one; otherwise it would exclude no role."""


class Together(StrEnum):
    """The rule for a pair of duties: may one person hold both?"""

    NEVER = "never"
    NOT_ON_ONE_THING = "not on one thing"
    ALLOWED = "allowed"


_COUNT: Final = "Colorado ICMP § 5; 25 CFR § 542.31"
_CUSTODY: Final = "58 Pa. Code § 465a.38"
_REVIEW: Final = "Colorado ICMP § 5; N.J.A.C. 13:69D-1.33"
_WATCHING: Final = "rule of this system: who watches is none of those who are watched"
_MACHINE: Final = "rule of this system: the account of a machine is nobody's"

_OF_CREDIT: Final = (Duty.CREDIT_LINES, Duty.CREDIT_LINES_APPROVAL, Duty.CHECK_PREPARATION)

_NEVER: Final[Mapping[str, Iterable[tuple[Duty, Collection[Duty]]]]] = {
    _COUNT: [(Duty.COUNT, (Duty.PIT, Duty.CAGE, Duty.CASHIER, Duty.AUDIT, Duty.CONTROL, *_OF_CREDIT))],
    _CUSTODY: [(Duty.PIT, (Duty.CAGE,))],
    _REVIEW: [
        (Duty.AUDIT, (Duty.PIT, Duty.CAGE, Duty.CASHIER, Duty.METERS, Duty.METERS_APPROVAL, *_OF_CREDIT)),
        (Duty.CONTROL, (Duty.PIT, Duty.CAGE, Duty.CASHIER, *_OF_CREDIT)),
        (Duty.ADJUSTMENT_APPROVAL, (Duty.CAGE, Duty.CASHIER, Duty.PROMOTION)),
    ],
    _WATCHING: [(Duty.SURVEILLANCE, (Duty.PIT, Duty.CAGE, Duty.COUNT, Duty.CASHIER))],
    _MACHINE: [(Duty.TABLE_SYSTEM, [duty for duty in Duty if duty not in (Duty.TABLE_SYSTEM, Duty.READING)])],
}
"""Pairs of duties that one person may never have, by the source of the rule."""

SAME_THING: Final[frozenset[frozenset[Duty]]] = frozenset(
    frozenset(pair)
    for pair in (
        (Duty.RULES, Duty.RULES_APPROVAL),
        (Duty.LEDGER, Duty.LEDGER_APPROVAL),
        (Duty.FILING, Duty.FILING_APPROVAL),
        (Duty.SUSPICION, Duty.SUSPICION_APPROVAL),
        (Duty.CREDIT_LINES, Duty.CREDIT_LINES_APPROVAL),
        (Duty.CREDIT_LINES, Duty.CHECK_PREPARATION),
        (Duty.CREDIT_LINES_APPROVAL, Duty.CHECK_PREPARATION),
        (Duty.CREDIT_LINES_APPROVAL,),
        (Duty.CHECK_PREPARATION,),
        (Duty.AUDIT, Duty.CONTROL),
        (Duty.ADJUSTMENT, Duty.ADJUSTMENT_APPROVAL),
        (Duty.PATRON_CARE, Duty.ADJUSTMENT_APPROVAL),
        (Duty.METERS, Duty.METERS_APPROVAL),
        (Duty.CORRECTION, Duty.CORRECTION_APPROVAL),
        (Duty.RECORDS, Duty.RECORDS_APPROVAL),
        (Duty.CAGE,),
        (Duty.COUNT,),
        (Duty.AUDIT,),
    )
)
"""Sets of duties that one person may hold, but not perform on the same item.

A set with only one duty means that different people must perform that duty's steps.
"""

SOURCES: Final[Mapping[frozenset[Duty], str]] = {
    frozenset((one, other)): source for source, rules in _NEVER.items() for one, others in rules for other in others
}
"""The source of the rule for each pair of duties that no one person may hold together."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two roles that no one person may have together, and the source of the rule."""

    role: str
    other: str
    source: str

    def __str__(self) -> str:
        return (
            f"the roles '{self.role}' and '{self.other}': who {DUTY_OF[self.role]} never {DUTY_OF[self.other]} "
            f"({self.source}); one of the two must be taken away"
        )


def together(one: Duty, other: Duty) -> Together:
    """Return whether one person may hold both duties, or, if both are the same duty, all roles of that duty."""
    pair = frozenset((one, other))
    if pair in SOURCES:
        return Together.NEVER
    return Together.NOT_ON_ONE_THING if pair in SAME_THING else Together.ALLOWED


@cache
def conflict_among(roles: frozenset[str]) -> Conflict | None:
    """Return the first two roles (by name) that no one person may have together, or None.

    >>> conflict_among(frozenset({"days.audit", "days.audit.approve", "reports.read"})) is None
    True
    >>> print(conflict_among(frozenset({"boxes.count", "cage.transact"})).source)
    Colorado ICMP § 5; 25 CFR § 542.31
    """
    for role, other in combinations(sorted(roles & DUTY_OF.keys()), 2):
        source = SOURCES.get(frozenset((DUTY_OF[role], DUTY_OF[other])))
        if source is not None:
            return Conflict(role, other, source)
    return None
