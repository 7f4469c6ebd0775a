"""What the cage enters later than it happened: when it happened, why it is late, and how late it may be."""

from datetime import timedelta
from typing import Any

import pytest

from tests.support.asgi import assert_problem
from tests.support.nightly import sampled
from tests.support.pit import DAY, PROPERTY, InventoryDesk, Table, at, chips

CHECKS = f"/counter-checks/{PROPERTY}"
NEXT_DAY = "2026-11-21"
MOVED = {"property": PROPERTY, "window": "cage-1", "patron": "p-1", "kind": "chip_redemption", "cents": 12_000_00}
COMMANDS: dict[str, dict[str, Any]] = {
    "/cage-movements": MOVED,
    f"{CHECKS}/CC1/redeem": {"cents": 100_00, "paid_in": "currency"},
    f"{CHECKS}/redemptions/1/return": {"reason": "no funds"},
    CHECKS: {"serial": "CC9", "replaces": ["CC3"]},
}
"""What the cage may enter later: path and body."""
ENDS = at(23)
"""When the gaming day of the morning ends."""


@pytest.fixture
def cage(desk: InventoryDesk) -> InventoryDesk:
    """Counter checks are issued, and one was deposited; it is an hour after the end of their gaming day."""
    people = {"dealer": "dealer.dan", "floorperson": "floor.fay", "drawer": "p-1"}
    table = Table("BJ-01")
    issued = (
        table.event("counter_check.issued", at(1), serial=name, cents=500_00, **people)
        for name in ("CC1", "CC2", "CC3")
    )
    desk.pit(table.opened(at(0), chips(c500=1000)), *issued)
    desk.clock.now = at(2)
    desk.done(f"{CHECKS}/CC2/redeem", {"cents": 500_00, "paid_in": "deposit"}, person="cage.ann")
    desk.clock.now = ENDS + timedelta(hours=1)
    return desk


def _recorded(desk: InventoryDesk) -> list[str]:
    """The kinds of what was recorded, but for what was refused."""
    return [one.draft.kind for one in desk.entries() if one.draft.kind != "command.refused"]


@pytest.mark.parametrize("path", COMMANDS)
def test_the_gaming_day_is_that_of_the_moment_which_the_fact_shows_with_its_entry(
    cage: InventoryDesk, path: str
) -> None:
    """Without a moment it happened now; with one it did then, and the entry of the journal says so too."""
    occurred = ENDS - timedelta(minutes=1)
    late = {"occurred_at": occurred.isoformat(), "late_reason": "the terminal was away"}
    said = cage.done(path, COMMANDS[path] | late, person="cage.ann")
    entered = cage.clock.now.isoformat().replace("+00:00", "Z")
    assert (DAY, "grave", occurred.isoformat().replace("+00:00", "Z"), entered, "the terminal was away") == tuple(
        said[name] for name in ("gaming_day", "shift", "at", "entered_at", "late_reason")
    )
    [entry] = [one for one in cage.entries() if one.draft.occurred_at == occurred]
    assert (occurred, DAY) == (entry.draft.occurred_at, str(entry.draft.gaming_day))


@pytest.mark.parametrize("path", COMMANDS)
def test_without_a_moment_it_happened_now(cage: InventoryDesk, path: str) -> None:
    """And nothing says that it is late."""
    said = cage.done(path, COMMANDS[path], person="cage.ann")
    assert (NEXT_DAY, None, None) == (said["gaming_day"], said.get("entered_at"), said.get("late_reason"))


@sampled(7)
@pytest.mark.parametrize("path", COMMANDS)
@pytest.mark.parametrize(
    ("late", "status", "why"),
    [
        ({"occurred_at": "2026-11-21T08:59:00Z"}, 422, "go together"),
        ({"late_reason": "forgotten"}, 422, "go together"),
        ({"occurred_at": 1795251540, "late_reason": "x"}, 422, "write a moment with its offset"),
        ({"occurred_at": "2026-11-21T08:59:00", "late_reason": "x"}, 422, "write a moment with its offset"),
        ({"occurred_at": "9999-12-31T23:59:59Z", "late_reason": "x"}, 422, "2999"),
        (
            {"occurred_at": "2026-11-21T10:00:01Z", "late_reason": "x"},
            409,
            "'occurred_at' 2026-11-21 05:00:01 has not come yet",
        ),
        (
            {"occurred_at": "2026-11-21T05:59:59Z", "late_reason": "x"},
            409,
            (
                "'occurred_at' 2026-11-21 00:59:59 is more than 240 minutes ago ('boundary_minutes' of riverbend): "
                "enter it as of now, and adjust what that makes wrong; it is booked to the gaming day 2026-11-21 then, "
                "and not to 2026-11-20"
            ),
        ),
    ],
)
def test_a_moment_is_written_as_one_and_within_the_margin(
    cage: InventoryDesk, path: str, late: dict[str, Any], status: int, why: str
) -> None:
    """Four hours here, as the property says how far outside of its gaming day the pit may report."""
    before = _recorded(cage)
    assert_problem(cage.send(path, COMMANDS[path] | late, person="cage.ann"), status, why)
    assert before == _recorded(cage)


def test_nothing_is_paid_before_what_it_pays(cage: InventoryDesk) -> None:
    """A check is redeemed and replaced after its issuance, and comes back after its deposit."""
    cage.clock.now = at(2)
    late = {"occurred_at": at(0.5).isoformat(), "late_reason": "forgotten"}
    for path, before in (
        (f"{CHECKS}/CC1/redeem", "the issuance of counter check CC1"),
        (CHECKS, "the issuance of counter check CC3"),
        (f"{CHECKS}/redemptions/1/return", "redemption 1 of counter check CC2"),
    ):
        assert_problem(
            cage.send(path, COMMANDS[path] | late, person="cage.ann"), 409, f"is before {before}, at {DAY} 0"
        )


def test_lists_have_both_moments(cage: InventoryDesk) -> None:
    """Under the gaming day on which it happened."""
    late = {"occurred_at": (ENDS - timedelta(minutes=1)).isoformat(), "late_reason": "the terminal was away"}
    cage.done("/cage-movements", MOVED | late, person="cage.ann")
    cage.done(f"{CHECKS}/CC1/redeem", COMMANDS[f"{CHECKS}/CC1/redeem"] | late, person="cage.ann")
    [moved] = cage.get(f"/cage-movements?property={PROPERTY}&gaming_day={DAY}", person="cage.ann").json()["items"]
    redeemed = cage.get(f"{CHECKS}/redemptions/2", person="cage.ann").json()
    for one in (moved, redeemed):
        assert ("the terminal was away", True) == (one["late_reason"], one["entered_at"] > one["at"])
