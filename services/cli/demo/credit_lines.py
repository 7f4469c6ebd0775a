"""Credit in the demo: limits that two people approve, and the day's counter checks prepared within them."""

from typing import Any, Final

from loadtest.floor.pit import PitDay
from services.cli.demo.pit import INVENTORY, People
from shared.contracts.properties import CreditLineRules, CreditLineTier, Member

_APPROVERS: Final = ("demo.credit_manager", "demo.credit_director")
_ROLE: Final = "credit.manager"
_FIRST_PATRON: Final = 2001
_CHECKS: Final = 10
"""Number of counter checks per patron."""

_LIMITS_CENTS: Final = 10_000_00
"""Credit limits are multiples of this amount."""

RULES: Final = CreditLineRules(
    tiers=(CreditLineTier(limit_cents_max=1_000_000_00, approvals=len(_APPROVERS), roles=(_ROLE,)),)
)
STAFF: Final = tuple(Member(person=person, roles=(_ROLE,)) for person in _APPROVERS)
"""The people who approve limits, as they are filed with the property."""


def give_credit(people: People, pit: PitDay) -> None:
    """Approve patrons' credit limits, and prepare `_CHECKS` counter checks per patron for the tables to issue."""
    checks = pit.issued_checks()
    for number, first in enumerate(range(0, len(checks), _CHECKS), start=_FIRST_PATRON):
        of_patron = checks[first : first + _CHECKS]
        path, patron = f"/credit-lines/{pit.property}", f"P-{number}"
        owed_cents = sum(check.cents for check in of_patron)
        _grant(people, path, patron, -(-owed_cents // _LIMITS_CENTS) * _LIMITS_CENTS)
        for check in of_patron:
            prepared = {"serial": check.serial, "patron": patron, "table": check.table, "cents": check.cents}
            people.does("demo.check_clerk", INVENTORY, f"{path}/checks", prepared)


def _grant(people: People, path: str, patron: str, limit_cents: int) -> None:
    asked: dict[str, Any] = {"patron": patron, "change": "limit", "limit_cents": limit_cents}
    number = people.does(
        "demo.credit_clerk", INVENTORY, f"{path}/requests", asked | {"reason": f"application of {patron}"}
    )["request"]
    verified = {"verification": "identity, bank and bureau; on no list of excluded persons"}
    people.does("demo.credit_clerk", INVENTORY, f"{path}/requests/{number}/verify", verified)
    for person in _APPROVERS:
        people.does(person, INVENTORY, f"{path}/requests/{number}/approve")
