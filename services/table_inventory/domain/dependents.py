"""The records that depend on a pit event, and must be reversed before the event can be changed. Pure; cents."""

from dataclasses import dataclass
from typing import Any

from services.table_inventory.domain.slips import Slip
from shared.contracts import pit
from shared.contracts.money import amount
from shared.rules.errors import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependents:
    """The records that depend on a recorded pit event, which they bar from being voided; None where there is none.

    `resolved_cents`: the resolved variance of the count or slip that the event recorded. `step`: the last valid cage
    step on the Counter Check that it issued. `count`: the drop count that includes the drop box that it took off the
    table. `write_off`: a write-off of that box, unless rejected. `is_last`: no later box exchange is recorded at the
    table; `box_before` is then the box (property, name) that was on the table before this exchange.
    """

    resolved_cents: int | None = None
    step: int | None = None
    count: int | None = None
    write_off: int | None = None
    is_last: bool = True
    box_before: tuple[str, str] | None = None


def require_free(sequence: int, data: Any, instead: Any, found: Dependents, slip: Slip | None) -> None:
    """Check that an event may be voided or, with `instead`, replaced; `slip` is the slip if the event is a step of one.

    Raises: Refused; the error names what must be undone first.
    """
    name = f"event {sequence}"

    def stays(*names: str) -> bool:
        return instead is not None and all(getattr(instead, one) == getattr(data, one) for one in names)

    if found.resolved_cents is not None and instead is None:
        raise Refused(
            f"the variance of {name} is resolved, for {amount(found.resolved_cents)}: correct what was counted "
            "instead; then it is to be resolved again"
        )
    if found.resolved_cents is not None and not stays(*(("number",) if hasattr(data, "number") else ("gaming_day",))):
        raise Refused(f"the variance of {name} is resolved: what it names, and its gaming day, stay as they are")
    match data:
        case pit.IssuedCounterCheck() if found.step is not None and not stays("serial", "cents"):
            raise Refused(
                f"counter check {data.serial} was redeemed, replaced or written off by step {found.step}: void a "
                "redemption first; of one that was replaced or written off, serial number and amount stay as they are"
            )
        case pit.ExchangedBox():
            _require_box(name, data, found, stays("removed_box", "placed_box", "gaming_day", "shift"))
        case pit.TransportedBox():
            _require_box(name, data, found, stays("box"))
        case pit.CarriedFill() | pit.CarriedCredit() if slip is not None:
            if slip.status in ("received", "void") and not (slip.status == "received" and stays("number")):
                raise Refused(
                    f"{slip.key} is {slip.status}, after {name}: what the pit reported of it later is voided first; "
                    "what the cage did is not taken back"
                )


def _require_box(name: str, data: Any, found: Dependents, same: bool) -> None:
    box = data.box if isinstance(data, pit.TransportedBox) else data.removed_box
    if found.count is not None and not same:
        raise Refused(
            f"box {box} of {name} is counted in count {found.count}: its names, gaming day and shift stay as they are"
        )
    if found.write_off is not None and not same:
        raise Refused(
            f"box {box} of {name} is written off, or is to be, by write-off {found.write_off}: have that rejected, or "
            "leave boxes, gaming day and shift as they are"
        )
