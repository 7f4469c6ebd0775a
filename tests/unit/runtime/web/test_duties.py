"""Segregation of duties: every cell of the matrix, as somebody with both roles finds it at the door."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import combinations, combinations_with_replacement
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Request

from services.cli.services import load_all, roles_of_services
from services.cli.stack.demo_users import PEOPLE, roles_of
from services.table_inventory.commands.cage import VoidAtCage, Voiding, void
from services.table_inventory.commands.counts import Counting, count_box
from services.table_inventory.commands.prepared_checks import VoidPreparation
from services.table_inventory.commands.prepared_checks import void as void_preparation
from services.table_inventory.domain.credit_lines import require_apart, require_approver
from services.table_inventory.domain.people import require_different
from shared.contracts.properties import CreditLineRules, CreditLineTier
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import known_packs, pack
from shared.jurisdictions.model import GamingPack
from shared.runtime.commands import approval
from shared.runtime.commands.approval import Approval, Policy
from shared.runtime.commands.command import Now
from shared.runtime.http.access import Caller, require_role
from shared.runtime.http.app import create_app
from shared.runtime.http.roles import ROLES
from shared.runtime.http.segregation_of_duties import (
    DUTY_OF,
    SAME_THING,
    SOURCES,
    Duty,
    Together,
    conflict_among,
    together,
)
from shared.runtime.metrics import Metrics
from tests.support.asgi import AppClient
from tests.support.identities import KnownTokens
from tests.support.properties import place
from tests.support.subjects import NOTHING

DAY = date(2026, 11, 20)
ANN = Now(by="ann", at=datetime(2026, 11, 20, 20, tzinfo=UTC), key="key")
DECLARED = roles_of_services(load_all())
ROLES_OF = {duty: sorted(role for role, of in DUTY_OF.items() if of is duty) for duty in Duty}
CELLS = list(combinations_with_replacement(Duty, 2))


def person_of(one: Duty, other: Duty) -> str:
    """The person with a role of each of two duties."""
    return f"{one.name}+{other.name}"


@pytest.fixture(scope="module")
def door() -> Iterator[AppClient]:
    """A service with a route for each role, and a person for each two roles."""
    router = APIRouter()
    for role in DECLARED.values():

        async def whoami(person: Annotated[str, require_role(role, whose="none")]) -> str:
            return person

        router.add_api_route(f"/{role.name}", whoami, name=role.name)

    async def never(request: Request, caller: Caller, reason: Reason, detail: str) -> None:
        raise AssertionError(request)

    app = create_app(
        service="test",
        version="1",
        metrics=Metrics(),
        checks={},
        identities=KnownTokens({person_of(*cell): {ROLES_OF[duty][0] for duty in cell} for cell in CELLS}),
        record_refusal=never,
        router=router,
    )
    with AppClient(app) as client:
        yield client


@pytest.mark.parametrize(("one", "other"), CELLS)
def test_a_cell_of_the_matrix_at_the_door(door: AppClient, one: Duty, other: Duty) -> None:
    """Who has two duties that exclude each other can do nothing with either; any other two are both usable."""
    headers = {"Authorization": f"Bearer token of {person_of(one, other)}"}
    roles = [ROLES_OF[duty][0] for duty in (one, other)]
    answers = [door.get(f"/{role}", headers=headers) for role in roles]
    if together(one, other) is Together.NEVER:
        first, second = sorted(roles)
        assert ["urn:pitledger:problem:roles-incompatible"] * 2 == [answer.json()["type"] for answer in answers]
        assert all(f"the roles '{first}' and '{second}'" in answer.json()["detail"] for answer in answers)
    else:
        assert [200, 200] == [answer.status_code for answer in answers]


def test_roles_of_one_duty_exclude_the_same_others() -> None:
    """The matrix is about duties: any role of one and any of the other."""
    for one, other in combinations(sorted(DUTY_OF), 2):
        excluded = together(DUTY_OF[one], DUTY_OF[other]) is Together.NEVER
        assert excluded is (conflict_among(frozenset({one, other, "reports.read"})) is not None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Duty.COUNT, Duty.CAGE),
        (Duty.COUNT, Duty.AUDIT),
        (Duty.PIT, Duty.CAGE),
        (Duty.AUDIT, Duty.CAGE),
        (Duty.CASHIER, Duty.ADJUSTMENT_APPROVAL),
    ],
)
def test_what_auditors_and_regulators_want_apart_is_apart(one: Duty, other: Duty) -> None:
    """Count team, revenue audit and cage; who requests a fill and who prepares it; who pays and who approves."""
    assert Together.NEVER is together(one, other) is together(other, one)


@pytest.mark.parametrize("name", known_packs())
def test_roles_that_a_jurisdiction_keeps_apart_are_apart_at_the_door(name: str) -> None:
    """What a property's document must not give one person, no token gives."""
    found = pack(name)
    for provision in found.roles_apart.values() if isinstance(found, GamingPack) else ():
        for dated in provision.root:
            for one, other in combinations(dated.value, 2):
                assert conflict_among(frozenset({one, other})) is not None, (one, other)


def test_an_electronic_table_is_nobody_who_works_here() -> None:
    """The account of a machine has no role of a person, but it may read."""
    for duty in set(Duty) - {Duty.TABLE_SYSTEM, Duty.READING}:
        assert Together.NEVER is together(Duty.TABLE_SYSTEM, duty)
    assert Together.ALLOWED is together(Duty.TABLE_SYSTEM, Duty.READING)


def test_every_role_has_a_duty_and_every_duty_a_role() -> None:
    """A role that the matrix does not know would exclude none."""
    assert DECLARED.keys() == DUTY_OF.keys()
    assert set(Duty) == set(DUTY_OF.values())
    assert all(len(pair) == 2 for pair in SOURCES)
    assert not SOURCES.keys() & SAME_THING


def test_roles_that_are_not_ours_exclude_none() -> None:
    """The provider may give roles of other systems."""
    assert conflict_among(frozenset({"boxes.count", "coffee.brew"})) is None


def test_nobody_of_the_development_stack_has_roles_that_exclude_each_other() -> None:
    """Its people are an example."""
    assert [None] * len(PEOPLE) == [conflict_among(frozenset(roles_of(person, ROLES))) for person in PEOPLE]


POLICIES = {name: value for name, value in vars(approval).items() if isinstance(value, Policy)}


@pytest.mark.parametrize("name", POLICIES)
def test_what_takes_a_second_person_is_not_approved_by_the_first(name: str) -> None:
    """Everything that is asked for and approved: rules, pools, meters, days, contests, accounts, records."""
    asked = Approval(POLICIES[name], "thing 1", asked_by="ann")
    with pytest.raises(Rejected) as rejected:
        asked.approve("ann")
    assert Reason.SAME_PERSON is rejected.value.reason
    asked.approve("bob")


def _approval(*names: str) -> Callable[[], None]:
    """Who asked approves it."""

    def same_person() -> None:
        for name in names:
            Approval(POLICIES[name], "thing 1", asked_by="ann").approve("ann")

    return same_person


def _law(thing: str, *steps: str) -> Callable[[], None]:
    """One person takes steps of one thing, under the law of Pennsylvania."""

    def same_person() -> None:
        require_different("it", getattr(place("riverbend").law.people, thing).on(DAY), dict.fromkeys(steps, "ann"))

    return same_person


NOT_ASKED: Any = None
"""Of a state: what is not asked before the people are."""


def _void_at_the_cage() -> None:
    movement: Any = SimpleNamespace(by="ann", voids=None, is_void=False)
    command = VoidAtCage(property="riverbend", number=1, reason="a slip of the pen", subject_sha256=NOTHING)
    void(command, Voiding(movement, NOT_ASKED), ANN)


def _count_again() -> None:
    box: Any = SimpleNamespace(key=("BJ-01", 1), box="B-1", table="BJ-01", transported_at=ANN.at)
    turn: Any = SimpleNamespace(counted_by="ann")
    command: Any = SimpleNamespace(table="BJ-01", exchange=1, figures=SimpleNamespace(rake=()))
    opened: Any = SimpleNamespace(gaming_day=DAY)
    state = Counting(opened, [box], {("BJ-01", 1): [turn]}, 2, place("riverbend"))
    count_box(command, state, ANN)


def _line_request(**people: Any) -> Any:
    said = {"requested_by": "ann", "verified_by": "bob", "approved_by": (), "granted_at": ANN.at} | people
    return SimpleNamespace(label="credit line request 1", **said)


def _approve_line(**people: Any) -> None:
    tier = CreditLineTier(limit_cents_max=1_000_00, approvals=2, roles=("credit.manager",))
    require_approver(_line_request(**people), "ann", tier, place("riverbend"))


def _prepare_check(**people: Any) -> None:
    tier = CreditLineTier(limit_cents_max=1_000_00, approvals=2, roles=("credit.manager",))
    rules = CreditLineRules(tiers=(tier,)).model_dump(mode="json")
    require_apart([_line_request(**people)], "ann", ANN.at, place("riverbend", credit_lines=rules))


def _void_preparation() -> None:
    check: Any = SimpleNamespace(status="prepared", serial="K-1", prepared_by="ann")
    void_preparation(
        VoidPreparation(property="riverbend", serial="K-1", reason="left", subject_sha256=NOTHING), check, ANN
    )


ON_ONE_THING: dict[frozenset[Duty], Sequence[Callable[[], None]]] = {
    frozenset((Duty.RULES, Duty.RULES_APPROVAL)): [_approval("RULES_SUBMISSION", "PROPERTY")],
    frozenset((Duty.LEDGER, Duty.LEDGER_APPROVAL)): [_approval("LEDGER_MAPPING")],
    frozenset((Duty.FILING, Duty.FILING_APPROVAL)): [_approval("FILING")],
    frozenset((Duty.SUSPICION, Duty.SUSPICION_APPROVAL)): [_approval("FILING")],
    frozenset((Duty.AUDIT, Duty.CONTROL)): [
        _approval("DAY_ADJUSTMENT", "CONTEST", "TAX_INVOICE", "TIP_HOURS"),
        _law("day_seal", "audited_by", "final_by"),
    ],
    frozenset((Duty.ADJUSTMENT, Duty.ADJUSTMENT_APPROVAL)): [_approval("ACCOUNT_ADJUSTMENT")],
    frozenset((Duty.PATRON_CARE, Duty.ADJUSTMENT_APPROVAL)): [_approval("PATRON_ERASURE")],
    frozenset((Duty.METERS, Duty.METERS_APPROVAL)): [_approval("POOL_TERMS", "METER_CHANGE")],
    frozenset((Duty.CORRECTION, Duty.CORRECTION_APPROVAL)): [_approval("ROUND_CORRECTION", "PIT_CHANGE")],
    frozenset((Duty.RECORDS, Duty.RECORDS_APPROVAL)): [_approval("QUARANTINE")],
    frozenset((Duty.CAGE,)): [_void_at_the_cage, _law("fill", "prepared_by", "carried_by")],
    frozenset((Duty.COUNT,)): [_count_again],
    frozenset((Duty.CREDIT_LINES, Duty.CREDIT_LINES_APPROVAL)): [_approve_line],
    frozenset((Duty.CREDIT_LINES_APPROVAL,)): [lambda: _approve_line(approved_by=("ann",), requested_by="bob")],
    frozenset((Duty.CREDIT_LINES, Duty.CHECK_PREPARATION)): [_prepare_check],
    frozenset((Duty.CREDIT_LINES_APPROVAL, Duty.CHECK_PREPARATION)): [
        lambda: _prepare_check(requested_by="bob", approved_by=("cal", "ann")),
    ],
    frozenset((Duty.CHECK_PREPARATION,)): [_void_preparation],
    frozenset((Duty.AUDIT,)): [_law("day_close", "preliminary_by", "audited_by")],
}
"""How one person tries both steps of one thing, by cell."""


def _named(cell: frozenset[Duty]) -> str:
    return "+".join(sorted(duty.name for duty in cell))


ON_ONE_THING_APART: list[frozenset[Duty]] = sorted(SAME_THING, key=_named)


@pytest.mark.parametrize("cell", ON_ONE_THING_APART, ids=_named)
def test_a_cell_that_takes_two_people_on_one_thing(cell: frozenset[Duty]) -> None:
    """Whoever has both duties still cannot take both steps."""
    for same_person in ON_ONE_THING[cell]:
        with pytest.raises(Rejected) as rejected:
            same_person()
        assert Reason.SAME_PERSON is rejected.value.reason
