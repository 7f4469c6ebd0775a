"""Acts as the service is told of them: what an event says, and the fact of what somebody does at a desk."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.slips import STEPS, Slip
from services.table_inventory.domain.windows import Purpose
from shared.contracts import counts, inventory
from shared.contracts.envelope import Digest
from shared.contracts.facts import Fact
from tests.days.acts import CHANGES, Act
from tests.support.pit import PROPERTY, Rounds, Table, chips
from tests.unit.progressive_meters.settlements import BAD_BEAT, rules

BASE_CENTS: Final = 12_000_00
"""What is on the meter in the beginning."""

RESET_CENTS: Final = 5_000_00
"""What the house restores it to after all of it was awarded."""

_THOUSANDTHS: Final = 205
RULES: Final = rules(f"0.{_THOUSANDTHS}", RESET_CENTS, property=PROPERTY, effective_from="2020-01-01T00:00:00Z")
PURPOSES: Final[Mapping[str, Purpose]] = {
    "opened": "opener",
    "closed": "closer",
    "shift_count": "shift",
    "drop_count": "drop",
    "spot_count": "spot",
    "carried": "carried",
}
_TWO: Final = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
_DIGEST: Final[Digest] = "5" * 64


_CORRECTION: Final = {"reason": "typed wrong", "entered_by": "floor.mia", "approved_by": "audit.ned"}


def is_event(act: Act) -> bool:
    """Return whether it is the pit that tells of an act."""
    return not act.behind if act.what in CHANGES else event_of(act) is not None


def written(act: Act, table: Table, place_of: Callable[[int], int]) -> dict[str, Any]:
    """Return the event by which the pit tells of an act. Acts have places in its stream."""
    if act.what not in CHANGES:
        data = event_of(act)
        assert data is not None, "the pit tells of it"
        table.day, table.shift, table.sequence = act.day.isoformat(), act.shift, place_of(act.number) - 1
        return table.event(data.pop("type"), act.at, **data)
    happened = act.happened()
    kind: Any = act.event
    first = written(happened or replace(act, what=kind, number=act.of), table, place_of)
    change = {name: first["data"][name] for name in ("property", "table")}
    change |= {"event": first["type"], "sequence": place_of(act.of), "correction": _CORRECTION}
    change |= {} if happened is None else {"at": first["time"], "instead": first["data"]}
    table.sequence = place_of(act.number) - 1
    return table.event(act.what.replace("event_", "pit_event."), act.at) | {"data": change}


def settlement_of(act: Act, table: Table, rounds: Rounds) -> dict[str, Any]:
    """Return what settlement says of a round, or of taking it back."""
    table.day, of, rest = act.day.isoformat(), f"r-{act.of or act.number}", act.cents - act.wagered
    figures = {"handle": max(rest, 0), "payout": max(-rest, 0)}
    if act.what == "taken_back":
        event = rounds.reversed(table, act.moment or act.at, of, **figures)
    else:
        event = rounds.posted(table, act.at, of, revision=2 if act.of else 1, lasted=act.lasted, **figures)
    event["data"] |= {"closed_at": act.at.isoformat()}
    if act.wagered:
        event["time"] = (act.moment or act.at).isoformat()
        sign = -1 if act.what == "taken_back" else 1
        put = {"handle": act.wagered, "meter_contribution": act.wagered * _THOUSANDTHS // 1000}
        took = {"payout": act.award, "meter_payout": act.award, "meter_reset": act.restored}
        cents = {f"{name}_cents": sign * value for name, value in (put | took).items()}
        submission = {name: RULES["data"][name] for name in ("version", "hash")}
        event["data"] |= {"submission": submission, "lines": [_line(act)]}
        event["data"]["totals"].append({"wager": BAD_BEAT, "count": sign, **cents})
    return event


def _line(act: Act) -> dict[str, Any]:
    money = {"stake": act.wagered, "payout": act.award, "from_meter": act.award, "stake_returned": 0, "vigorish": 0}
    won = {"outcome": "win" if act.award else "lose", "paid_by": "house", "paragraph": "§ 633a.7(o)"}
    return {"seat": 1, "wager": BAD_BEAT, "category": "dealer_21_with_seven_or_more_cards", **money, **won}


def event_of(act: Act) -> dict[str, Any] | None:
    """Return what a pit event says of an act; None where it is none."""
    if act.what in ("opened", "closed", "shift_count", "drop_count", "spot_count"):
        said: dict[str, Any] = {"contents": chips_of(act.cents), **_TWO}
        if act.what in ("opened", "closed"):
            return said | {"type": f"table.{act.what}"} | ({"game": "blackjack"} if act.what == "opened" else {})
        begins = {} if act.begins is None else {"begins": {"gaming_day": f"{act.begins[0]}", "shift": act.begins[1]}}
        return said | {"type": "table.counted", "purpose": PURPOSES[act.what]} | begins
    match act.what, act.kind:
        case "carried", _:
            people = {"recorded_by": "floor.fay", "checked_by": "cage.ann"}
            return {"type": "table.carried", "contents": chips_of(act.cents), **people}
        case (("currency" | "prepaid_access"), _):
            return {"type": "chips.sold", "instrument": act.what, "cents": act.cents, "dealer": "dealer.dan"}
        case "counter_check", _:
            return {
                "type": "counter_check.issued",
                "serial": f"K-{act.serial or act.number}",
                "cents": act.cents,
                **_TWO,
            }
        case "coupon", kind:
            paid = {"cents": 100, "paid_cents": act.cents, "dealer": "dealer.dan"}
            return {"type": "coupon.dropped", "coupon": kind or "lucky_buck", **paid}
        case "waived", _:
            of = {"round_id": f"r-{act.number}", "seat": 3, "by": "floor.fay", "reason": "promotion"}
            return {"type": "vigorish.waived", "cents": act.cents, **of}
        case "tips", _:
            return {"type": "tips.collected", "cents": act.cents, "collected_by": "tips.jo", "observed_by": "floor.fay"}
        case "taken", "fill":
            return {"type": "fill.carried", "number": act.slip, "carried_by": "sec.gus"}
        case "taken", _:
            people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay", "carried_by": "sec.gus"}
            return {"type": "credit.carried", "number": act.slip, **people}
        case "received", "fill":
            people = {"received_by": "dealer.dan", "observed_by": "floor.fay"}
            return {"type": "fill.received", "number": act.slip, "contents": chips_of(act.cents), **people}
        case "exchanged", _:
            boxes = {"removed_box": act.box} | ({} if act.placed is None else {"placed_box": act.placed})
            return {"type": "box.exchanged", **boxes, "removed_by": "sec.gus", "witnessed_by": "floor.fay"}
    return None


def command_of(act: Act, property_name: str, slip: Slip | None, box: Box | None) -> Fact:
    """Return the fact of what somebody does at a desk."""
    place = {"property": property_name, "table": act.table, "gaming_day": act.day}
    match act.what:
        case "prepared":
            wanted = {"slip": act.kind, "shift": act.shift, "request": act.slip, "contents": chips_of(act.cents)}
            asked = {"requested_by": "pit.ray", "requested_at": act.at, "number": act.slip}
            prepared = {"prepared_by": "cage.bob", "prepared_at": act.at, "subject_sha256": _DIGEST}
            return inventory.SlipPrepared.model_validate({**place, **wanted, **asked, **prepared})
        case "voided":
            assert slip is not None
            void = {"void_reason": "wrong", "voided_by": "cage.bob", "voided_at": act.at}
            returned = () if slip.carried_at is None else slip.contents
            return inventory.SlipVoided(**slip.reference, returned=returned, **void)
        case "received":  # of a credit, by the cage
            assert slip is not None
            received = {"received_contents": slip.contents, "received_by": "cage.ann", "received_at": act.at}
            return inventory.CreditReceived(**slip.reference, **received, subject_sha256=_DIGEST)
        case "paper":
            signed = {name: f"{name}.x" for name in STEPS}
            more = {"number": act.slip, "contents": chips_of(act.cents), "occurred_at": act.at, "reason": "outage"}
            typed = {"entered_by": "cage.bob", "entered_at": act.at, "shift": act.shift, "slip": act.kind}
            return inventory.ManualSlipEntered.model_validate({**place, **signed, **more, **typed})
        case "found":
            assert box is not None
            counted = box.counted(figures_of(act), (), non_banking=False)
            opened = {"count": act.number, "opened_by": "count.sue", "opened_at": act.at}
            done = {"concluded_by": "count.sue", "concluded_at": act.at, "boxes": (counted,)}
            at = {"property": place["property"], "gaming_day": box.gaming_day}
            return counts.CountConcluded.model_validate({**at, **opened, **done})
        case "written_off":
            assert box is not None
            of = {"table": act.table, "gaming_day": box.gaming_day, "shift": box.shift, "exchange": act.of}
            name = box.box if act.kind == "removed" else box.placed_box
            said = {"which": act.kind, "box": name, "write_off": act.number, "reason": "burnt"}
            who = {"entered_by": "audit.kim", "entered_at": act.at, "approved_by": "control.eve"}
            when = {"approved_at": act.at, "subject_sha256": _DIGEST}
            return inventory.BoxWrittenOff.model_validate({**of, **said, **who, **when, "property": place["property"]})
        case "adjusted":
            said = {"adjustment": act.number, "shift": act.shift, "figure": act.kind, "cents": act.cents}
            who = {"reason": "found", "day_status": "preliminary", "entered_by": "audit.kim", "entered_at": act.at}
            when = {"approved_by": "control.eve", "approved_at": act.at, "subject_sha256": _DIGEST}
            return inventory.AdjustmentApproved.model_validate({**place, **said, **who, **when})
    raise AssertionError(act)


def chips_of(cents: int) -> list[dict[str, Any]]:
    """Return chips of a dollar that are worth so much."""
    assert cents % 100 == 0, "chips are worth dollars"
    return chips(c100=cents // 100) if cents else []


def figures_of(act: Act) -> counts.BoxFigures:
    """Return what is in a box, as two people count it."""
    currency = {"currency": [{"cents": 100, "count": act.cents // 100}]} if act.cents else {}
    checks = {"counter_checks": [{"serial": f"K-{act.of}", "cents": act.checks}]} if act.checks else {}
    kinds: Iterable[tuple[str, int]] = (("match_play", act.match_play), ("lucky_buck", act.coupons))
    found = [{"coupon": kind, "cents": cents, "count": 1} for kind, cents in kinds if cents]
    return counts.BoxFigures.model_validate({**currency, **checks, "coupons": found})
