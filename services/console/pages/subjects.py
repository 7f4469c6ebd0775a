"""What a command is about, as it stands now: whoever approves sees what they approve before they do."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.console.console import Person
from services.console.operations import Operation
from services.console.services import (
    ACCOUNTS,
    INVENTORY,
    METERS,
    REGISTRY,
    SETTLEMENT,
    Calls,
    Missing,
    or_missing,
    path,
)

Given = Mapping[str, str]
Read = Callable[[Calls, Given], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Subject:
    """A record that a command is about, or why it is not shown."""

    record: Mapping[str, Any] | None
    changes: Sequence[Mapping[str, Any]] = ()
    why: str = ""


def _at(service: str, *parts: str) -> Read:
    """Return what reads a document whose path has these parts: a name in braces stands for what was given."""

    async def read(calls: Calls, given: Given) -> Any:
        return await calls.get(service, path(*(given[part[1:-1]] if part[0] == "{" else part for part in parts)))

    return read


def _among(service: str, name: str, *parts: str, asked: Sequence[str] = ()) -> Read:
    """Return what finds a record, by what it has under a name, in a list whose path has these parts."""

    async def read(calls: Calls, given: Given) -> Any:
        where = path(*(given[part[1:-1]] if part[0] == "{" else part for part in parts))
        listed = await calls.get(service, where, **{one: given[one] for one in asked})
        found = listed if isinstance(listed, list) else listed["items"]
        return next((one for one in found if str(one.get(name)) == given[name]), None)

    return read


async def _variance(calls: Calls, given: Given) -> Any:
    listed = await calls.get(INVENTORY, "/variances", property=given["property"], gaming_day=given["gaming_day"])
    wanted = ("variance", "table", "number")
    return next((one for one in listed["items"] if all(str(one[name]) == given[name] for name in wanted)), None)


async def _day(calls: Calls, given: Given) -> Any:
    """Read a gaming day: its stages, and what all tables come to; the rest stands on its page."""
    found = await calls.get(INVENTORY, path("gaming-days", given["property"], given["gaming_day"]))
    total = found.pop("report", {}).get("total", {})
    return found | {name: value for name, value in total.items() if name.endswith("_cents")}


async def _submission(calls: Calls, given: Given) -> Any:
    where = path("submissions", given["property"], given["game"], given["version"])
    document = await calls.get(REGISTRY, where)
    paybacks = await or_missing(calls.get(REGISTRY, f"{where}/paybacks"))
    return {**document, "paybacks": None if isinstance(paybacks, Missing) else paybacks}


_REQUEST: Final = _among(INVENTORY, "request", "requests", asked=("property",))
_SLIP: Final = _at(INVENTORY, "slips", "{property}", "{slip}", "{number}")
_DAY_ADJUSTMENT: Final = _among(INVENTORY, "adjustment", "gaming-days", "{property}", "{gaming_day}", "adjustments")
_CONTEST: Final = _among(INVENTORY, "contest", "contests", "{property}", "{gaming_day}")
_ADJUSTMENT: Final = _among(ACCOUNTS, "adjustment", "accounts", "{property}", "{account}", "adjustments")
_ACCOUNT: Final = _at(ACCOUNTS, "accounts", "{property}", "{account}")
_PATRON: Final = _at(ACCOUNTS, "patrons", "{property}", "{patron}")
_ERASURE: Final = _at(ACCOUNTS, "patrons", "{property}", "{patron}", "erasure")
_CHANGE: Final = _among(METERS, "change", "changes", asked=("property",))
_POOL: Final = _at(METERS, "pools", "{property}", "{pool}")
_VERSION: Final = _among(METERS, "version", "pools", "{property}", "{pool}", "versions")
_PROPERTY: Final = _at(REGISTRY, "properties", "{property}", "{version}", "changes")
_ALARM: Final = _among(INVENTORY, "alarm", "alarms", "{property}")
_CORRECTION: Final = _at(SETTLEMENT, "corrections", "{property}", "{correction}")
_INVESTIGATION: Final = _among(INVENTORY, "investigation", "investigations", asked=("property",))

_SUBJECTS: Final[Mapping[tuple[str, str], Read]] = {
    (INVENTORY, "prepare-slip"): _REQUEST,
    (INVENTORY, "void-slip"): _SLIP,
    (INVENTORY, "approve-adjustment"): _DAY_ADJUSTMENT,
    (INVENTORY, "reject-adjustment"): _DAY_ADJUSTMENT,
    (INVENTORY, "approve-contest"): _CONTEST,
    (INVENTORY, "reject-contest"): _CONTEST,
    (INVENTORY, "close-day"): _day,
    (INVENTORY, "audit-day"): _day,
    (INVENTORY, "seal-day"): _day,
    (INVENTORY, "own-variance"): _variance,
    (INVENTORY, "resolve-variance"): _variance,
    (INVENTORY, "own-alarm"): _ALARM,
    (INVENTORY, "resolve-alarm"): _ALARM,
    (INVENTORY, "assign-investigation"): _INVESTIGATION,
    (INVENTORY, "conclude-investigation"): _INVESTIGATION,
    (ACCOUNTS, "approve-adjustment"): _ADJUSTMENT,
    (ACCOUNTS, "reject-adjustment"): _ADJUSTMENT,
    (ACCOUNTS, "buy-in"): _ACCOUNT,
    (ACCOUNTS, "cash-out"): _ACCOUNT,
    (ACCOUNTS, "grant-promotion"): _ACCOUNT,
    (ACCOUNTS, "enter-promotion"): _ACCOUNT,
    (ACCOUNTS, "enter-adjustment"): _ACCOUNT,
    (ACCOUNTS, "approve-erasure"): _ERASURE,
    (ACCOUNTS, "enter-erasure"): _PATRON,
    (ACCOUNTS, "identify-patron"): _PATRON,
    (ACCOUNTS, "reject-erasure"): _ERASURE,
    (ACCOUNTS, "set-exclusion"): _PATRON,
    (ACCOUNTS, "set-limit"): _PATRON,
    (ACCOUNTS, "set-tax-residence"): _PATRON,
    (METERS, "approve-change"): _CHANGE,
    (METERS, "reject-change"): _CHANGE,
    (METERS, "request-change"): _POOL,
    (METERS, "approve-pool"): _VERSION,
    (METERS, "return-pool"): _VERSION,
    (REGISTRY, "approve-property"): _PROPERTY,
    (REGISTRY, "return-property"): _PROPERTY,
    (REGISTRY, "approve-submission"): _submission,
    (REGISTRY, "return-submission"): _submission,
    (REGISTRY, "approve-withdrawal"): _submission,
    (SETTLEMENT, "approve-correction"): _CORRECTION,
    (SETTLEMENT, "reject-correction"): _CORRECTION,
}


async def subject_of(person: Person, operation: Operation, given: Given) -> Subject | None:
    """Return what a command is about; None where that is nothing that is there already."""
    read = _SUBJECTS.get((operation.service, operation.name))
    if read is None:
        return None
    try:
        found = await or_missing(read(person.calls, given))
    except KeyError:  # not everything that names it was given yet
        return None
    if isinstance(found, Missing):
        return Subject(None, why=found.why)
    if isinstance(found, list):
        return Subject({}, changes=found)
    return None if found is None else Subject(found)
