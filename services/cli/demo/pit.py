"""The demo users' work over HTTP: configure meters, prepare slips, count boxes, resolve variances, close the day."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from typing import Any, Final

from loadtest.floor.devices import Devices
from loadtest.floor.game import TablePlan
from loadtest.floor.links import pool_terms
from loadtest.floor.pit import PitDay
from loadtest.floor.pit_items import Box, PaperFill, Slip, contents
from loadtest.floor.pit_table import CAGE, COUPON_CENTS, FLOORPERSON, PAPER_NUMBER, PIT, SECURITY
from loadtest.traffic.publish import Publisher
from services.cli.client import Client
from services.cli.stack.running_stack import RunningStack
from shared.contracts.topics import PIT_EVENTS

_HUNDRED_CENTS: Final = 100_00

REGISTRY: Final = "paytable-registry"
REPORTING: Final = "reporting"
SETTLEMENT: Final = "round-settlement"
INVENTORY: Final = "table-inventory"
VIGORISH: Final = "vigorish"
ACCOUNTS: Final = "wagering-accounts"
METERS: Final = "progressive-meters"

Document = Mapping[str, Any]


class People(ExitStack):
    """HTTP clients that call a running stack as its demo users; the end of the `with` block closes them."""

    def __init__(self, stack: RunningStack) -> None:
        super().__init__()
        self._stack = stack
        self._clients: dict[tuple[str, str], Client] = {}

    def at(self, service: str, person: str = "demo.auditor") -> Client:
        """Return a client that calls a service as a demo user. Raises: StackEnded if a stack process has exited."""
        self._stack.check()
        if (service, person) not in self._clients:
            client = Client(service, self._stack.urls[service], self._stack.home.tokens[person])
            self._clients[service, person] = self.enter_context(client)
        return self._clients[service, person]

    def does(self, person: str, service: str, path: str, document: Document | None = None) -> dict[str, Any]:
        """Send a command as a demo user, and return the response; an approval refers to the current content."""
        client = self.at(service, person)
        if client.approvals.subject_of(path, document) is None:
            return client.do(path, document)
        return client.approve(path, document)


def configure_pools(people: People, property_name: str, plans: Sequence[TablePlan], gaming_day: date) -> bool:
    """Have one person file each meter's pool, and another approve it; return whether there are any pools."""
    pools = list(pool_terms(property_name, plans, gaming_day))
    for terms in pools:
        filed = people.does("demo.meter_clerk", METERS, "/pools", terms)
        path = f"/pools/{property_name}/{terms['pool']}/versions/{filed['version']}/approve"
        people.does("demo.meter_manager", METERS, path)
    return bool(pools)


def report_pit(people: People, pit: PitDay, bootstrap_servers: str, devices: Devices) -> int:
    """Have slips prepared in order, and send the pit's signed events; return the number of sent records."""
    numbers: dict[Slip, int] = {}
    for slip in pit.slips:
        requested = people.does(PIT, INVENTORY, "/requests", _slip(pit, slip) | {"slip": slip.slip})
        prepare = {"property": pit.property, "request": requested["request"]}
        numbers[slip] = people.does(CAGE, INVENTORY, "/slips", prepare)["number"]
    reports = list(pit.reports(numbers))
    with Publisher(bootstrap_servers, PIT_EVENTS.name, devices=devices) as publisher:
        for report in reports:
            publisher.send(report)
    return len(reports)


def dismiss_refused(people: People) -> None:
    """Have two people dismiss the records that round settlement refused, which would block the day's close."""
    for refused in list(people.at(SETTLEMENT, "demo.operator").pages("/quarantine")):
        path = f"/quarantine/{refused['quarantine']}"
        asked = {"reason": "the table system says that no such round was dealt"}
        number = people.does("demo.operator", SETTLEMENT, f"{path}/dismissal", asked)["request"]
        people.does("demo.operations_manager", SETTLEMENT, f"{path}/requests/{number}/approve")


def close_pit(people: People, pit: PitDay) -> None:
    """Do the work of the cage, the count room and revenue audit, up to closing the gaming day."""
    _receive_credits(people, pit)
    _enter_paper_slips(people, pit)
    _count_boxes(people, pit)
    _resolve_variances(people, pit)
    _close_day(people, pit)


def reconcile_meters(people: People, pit: PitDay) -> None:
    """Record the reconciliation of the day's meters."""
    people.does("demo.meter_auditor", METERS, "/reconciliations", _day(pit) | {"reason": "end of the gaming day"})


def _day(pit: PitDay) -> dict[str, Any]:
    return {"property": pit.property, "gaming_day": pit.gaming_day.isoformat()}


def _slip(pit: PitDay, slip: Slip | PaperFill) -> dict[str, Any]:
    return _day(pit) | {"table": slip.table, "shift": slip.shift, "contents": contents(slip.cents)}


def _receive_credits(people: People, pit: PitDay) -> None:
    """Receive each carried credit in the cage, by a person who took no other step of its slip."""
    for slip in list(people.at(INVENTORY).pages("/slips", **_day(pit), slip="credit", status="carried")):
        path = f"/slips/{pit.property}/credit/{slip['number']}/receive"
        people.does("demo.cashier", INVENTORY, path, {"contents": slip["contents"]})


def _enter_paper_slips(people: People, pit: PitDay) -> None:
    """Enter the paper slips written during an outage, with the five people who signed them."""
    for number, fill in enumerate(pit.paper, start=PAPER_NUMBER):
        slip = _slip(pit, fill) | {
            "slip": "fill",
            "number": number,
            "occurred_at": fill.at.isoformat(),
            "requested_by": PIT,
            "prepared_by": CAGE,
            "carried_by": SECURITY,
            "received_by": fill.dealer,
            "observed_by": FLOORPERSON,
            "reason": f"the network was down; paper fill slip {number}",
        }
        people.does("demo.cashier", INVENTORY, "/manual-slips", slip)


def _count_boxes(people: People, pit: PitDay) -> None:
    """Have two people count every box independently, then conclude each count."""
    number = people.does("demo.counter", INVENTORY, "/drop-counts", _day(pit))["count"]
    path = f"/drop-counts/{pit.property}/{number}"
    for person in ("demo.counter", "demo.verifier"):
        for box in pit.boxes:
            people.does(person, INVENTORY, f"{path}/boxes", _found(box))
    people.does("demo.counter", INVENTORY, f"{path}/conclude")


def _found(box: Box) -> Document:
    dropped = box.dropped
    notes = dropped.currency // _HUNDRED_CENTS
    coupons = dropped.coupons.items()
    figures = {
        "currency": [{"cents": _HUNDRED_CENTS, "count": notes}] if notes else [],
        "counter_checks": [{"serial": serial, "cents": cents} for serial, cents in dropped.checks.items()],
        "coupons": [{"coupon": name, "cents": COUPON_CENTS, "count": count} for name, count in coupons],
        "rake": contents(dropped.rake),
    }
    return {"table": box.table, "exchange": box.exchange, "figures": figures}


def _resolve_variances(people: People, pit: PitDay) -> None:
    """Assign every variance of the day to an owner, and have the owner resolve it."""
    for found in people.at(INVENTORY).read("/variances", **_day(pit))["items"]:
        place = f"{found['variance']}/{found['table']}/{found['number']}"
        path = f"/variances/{pit.property}/{pit.gaming_day}/{place}"
        people.does("demo.accountant", INVENTORY, f"{path}/own", {"owner": "demo.revenue_auditor"})
        conclusion = {"conclusion": "surveillance: a $100 chip was paid twice at the change of shift"}
        people.does("demo.revenue_auditor", INVENTORY, f"{path}/resolve", conclusion)


def _close_day(people: People, pit: PitDay) -> None:
    """Close the gaming day in its three stages, each by a different person."""
    path = f"/gaming-days/{pit.property}/{pit.gaming_day}"
    people.does("demo.accountant", INVENTORY, f"{path}/preliminary", {})
    people.does("demo.revenue_auditor", INVENTORY, f"{path}/audited")
    people.does("demo.controller", INVENTORY, f"{path}/final")
