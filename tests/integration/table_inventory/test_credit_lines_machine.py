"""Whatever order of limits, checks and payments: nothing is issued above the limit, and no figure is lost."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.integration.table_inventory.test_check_collection import WRITE_OFFS, written_off
from tests.integration.table_inventory.test_credit_lines import (
    CHECKS,
    CREDIT,
    RULES,
    granted,
    issue,
    prepared,
    standing,
)
from tests.support.nightly import examples
from tests.support.pit import InventoryDesk, Table, at, chips

CENTS = st.integers(1, 12).map(lambda number: number * 100_00)


@dataclass
class Owed:
    """A counter check as this test remembers it: `payments` by the step, with cents and what each was paid in.

    `write_off` is the one that is not recovered, `lost` its cents, also those that a bank may still not pay: these are
    `uncleared`, by step. `written_off` is all that ever was.
    """

    cents: int
    is_issued: bool = False
    was_returned: bool = False
    payments: dict[int, tuple[int, str]] = field(default_factory=dict)
    written_off: int = 0
    write_off: int = 0
    lost: int = 0
    uncleared: dict[int, int] = field(default_factory=dict)

    def recovered(self, cents: int) -> None:
        """So much of the write-off is paid for good."""
        self.lost -= cents
        if not self.lost:
            self.write_off = 0

    @property
    def left(self) -> int:
        """What nobody paid."""
        return self.cents - sum(cents for cents, _ in self.payments.values()) - self.written_off

    @property
    def outstanding(self) -> int:
        """What counts against the limit: a bank may return what was deposited."""
        return self.left + sum(cents for cents, paid_in in self.payments.values() if paid_in == "deposit")


class PatronOnCredit(RuleBasedStateMachine):
    """A patron's credit line, from the first limit on."""

    patrons = count(1)
    serials = count(1)

    def __init__(self, desk: InventoryDesk, table: Table) -> None:
        super().__init__()
        self.desk, self.table = desk, table
        self.patron = f"patron-{next(self.patrons)}"
        self.limit = 1_000_00
        self.checks: dict[str, Owed] = {}
        granted(desk, self.limit, self.patron)

    def _total(self) -> int:
        return sum(one.outstanding for one in self.checks.values())

    def _is_stopped(self) -> bool:
        """Whether a check came back and the bank has not paid it since, or one is written off and not recovered."""
        return any((one.was_returned and one.outstanding) or one.write_off for one in self.checks.values())

    def _some(self, data: st.DataObject, **wanted: Any) -> tuple[str, Owed]:
        found = [
            (serial, one)
            for serial, one in sorted(self.checks.items())
            if all(getattr(one, name) == value for name, value in wanted.items())
        ]
        return data.draw(st.sampled_from(found))

    def _owed(self) -> list[tuple[str, Owed]]:
        return [(serial, one) for serial, one in sorted(self.checks.items()) if one.is_issued and one.left]

    def _may_return(self) -> list[tuple[str, int]]:
        return [
            (serial, step)
            for serial, one in sorted(self.checks.items())
            for step, (_, paid_in) in one.payments.items()
            if paid_in == "deposit"
        ]

    @rule(cents=CENTS)
    def prepare(self, cents: int) -> None:
        """A check is prepared, or refused above what is available and while one is returned or written off."""
        serial = f"S-{next(self.serials)}"
        answer = self.desk.send(f"{CREDIT}/checks", prepared(serial, cents, self.patron), person="pit.kai")
        stopped = self._is_stopped()
        if stopped or self._total() + cents > self.limit:
            assert answer.status_code == (422 if stopped else 409), answer.text
            return
        assert answer.status_code == 201, answer.text
        self.checks[serial] = Owed(cents)
        assert self._total() <= self.limit

    @precondition(lambda self: any(not one.is_issued for one in self.checks.values()))
    @rule(data=st.data())
    def issue(self, data: st.DataObject) -> None:
        """Its table issues a prepared check."""
        serial, one = self._some(data, is_issued=False)
        issue(self.desk, self.table, serial, one.cents)
        one.is_issued = True

    @precondition(lambda self: any(not one.is_issued for one in self.checks.values()))
    @rule(data=st.data())
    def void(self, data: st.DataObject) -> None:
        """A prepared check is void."""
        serial, _ = self._some(data, is_issued=False)
        self.desk.done(f"{CREDIT}/checks/{serial}/void", {"reason": "left"}, person="pit.lea")
        del self.checks[serial]

    @precondition(lambda self: self._owed())
    @rule(data=st.data(), paid_in=st.sampled_from(["chips", "deposit"]))
    def redeem(self, data: st.DataObject, paid_in: str) -> None:
        """A check is paid, in full or in part."""
        serial, one = data.draw(st.sampled_from(self._owed()))
        cents = data.draw(st.integers(1, one.left))
        body = {"cents": cents, "paid_in": paid_in}
        step = self.desk.done(f"{CHECKS}/{serial}/redeem", body, person="cage.ann")["step"]
        one.payments[step] = cents, paid_in

    @precondition(lambda self: self._may_return())
    @rule(data=st.data())
    def come_back(self, data: st.DataObject) -> None:
        """The bank returns a deposit."""
        serial, step = data.draw(st.sampled_from(self._may_return()))
        self.desk.done(f"{CHECKS}/redemptions/{step}/return", {"reason": "no funds"}, person="cage.ann")
        del self.checks[serial].payments[step]
        self.checks[serial].was_returned = True

    @precondition(lambda self: self._may_return())
    @rule(data=st.data())
    def clear(self, data: st.DataObject) -> None:
        """The bank pays a deposit."""
        serial, step = data.draw(st.sampled_from(self._may_return()))
        self.desk.done(f"{CHECKS}/redemptions/{step}/clear", {}, person="cage.ann")
        self.checks[serial].payments[step] = self.checks[serial].payments[step][0], "cleared"

    @precondition(lambda self: any(not one.write_off for _, one in self._owed()))
    @rule(data=st.data())
    def write_off(self, data: st.DataObject) -> None:
        """Two people write off what is owed on a check, or a part of it."""
        serial, one = data.draw(st.sampled_from([each for each in self._owed() if not each[1].write_off]))
        cents = data.draw(st.integers(1, one.left))
        one.write_off = written_off(self.desk, serial, cents)
        one.lost = cents
        one.written_off += cents

    @precondition(lambda self: any(one.write_off for one in self.checks.values()))
    @rule(paid_in=st.sampled_from(["chips", "check"]))
    def recover(self, paid_in: str) -> None:
        """All that was written off is paid after all."""
        for one in self.checks.values():
            cents = one.lost - sum(one.uncleared.values())
            if one.write_off and cents:
                body = {"cents": cents, "paid_in": paid_in}
                step = self.desk.done(f"{WRITE_OFFS}/{one.write_off}/recover", body, person="cage.ann")["step"]
                if paid_in == "check":
                    one.uncleared[step] = cents
                else:
                    one.recovered(cents)

    @precondition(lambda self: any(one.uncleared for one in self.checks.values()))
    @rule(how=st.sampled_from(["clear", "return", "void"]))
    def end_recovery(self, how: str) -> None:
        """A bank pays what was recovered by a check, or does not, or that was another patron's."""
        one = next(one for _, one in sorted(self.checks.items()) if one.uncleared)
        step, cents = one.uncleared.popitem()
        why = {} if how == "clear" else {"reason": "no funds, or another patron's"}
        self.desk.done(f"{CHECKS}/redemptions/{step}/{how}", why, person="cage.bob")
        if how == "clear":
            one.recovered(cents)

    @precondition(lambda self: len(self._owed()) > 1)
    @rule()
    def consolidate(self) -> None:
        """Checks of which nothing is deposited become one; one that came back unpaid stays as it is."""
        owed = [(serial, one) for serial, one in self._owed() if one.left == one.outstanding and not one.write_off]
        serial = f"S-{next(self.serials)}"
        for name, one in owed:
            if one.was_returned:
                body = {"serial": serial, "replaces": [name]}
                assert 422 == self.desk.send(CHECKS, body, person="cage.ann").status_code
        old = [(name, one) for name, one in owed if not one.was_returned]
        if not old:
            return
        body = {"serial": serial, "replaces": [name for name, _ in old]}
        assert sum(one.left for _, one in old) == self.desk.done(CHECKS, body, person="cage.ann")["cents"]
        self.checks[serial] = Owed(sum(one.left for _, one in old), is_issued=True)
        for name, _ in old:
            del self.checks[name]

    @precondition(lambda self: self.limit > 100_00)
    @rule()
    def reduce(self) -> None:
        """The limit is reduced, below what is outstanding perhaps."""
        self.limit //= 2
        body = {"limit_cents": self.limit, "reason": "debts elsewhere"}
        self.desk.done(f"{CREDIT}/patrons/{self.patron}/reduce", body, person="credit.una")

    @rule(cents=CENTS)
    def raise_limit(self, cents: int) -> None:
        """A limit is approved, unless it is the one that there is."""
        if cents == self.limit:
            same = {"patron": self.patron, "change": "limit", "limit_cents": cents, "reason": "once more"}
            assert 422 == self.desk.send(f"{CREDIT}/requests", same, person="credit.una").status_code
            return
        granted(self.desk, cents, self.patron)
        self.limit = cents

    @invariant()
    def is_as_remembered(self) -> None:
        """The service has the same figures."""
        total = self._total()
        available = 0 if self._is_stopped() else max(self.limit - total, 0)
        assert (self.limit, total, available) == standing(self.desk, self.patron)


def test_no_order_of_steps_issues_above_the_limit(desk: InventoryDesk) -> None:
    """Every refusal is one that this test expects, and every figure too."""
    desk.has_only("BJ-01", **RULES)
    table = Table("BJ-01")
    desk.clock.now = at(1)
    desk.pit(table.opened(at(0.5), chips(c500=100_000)))
    run_state_machine_as_test(
        lambda: PatronOnCredit(desk, table),  # type: ignore[arg-type]  # as its documentation has it: a factory
        settings=settings(
            max_examples=examples(60), stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
