"""Who must be different people is what the law of the property lists: one more or fewer changes what is accepted."""

from datetime import date
from typing import Any, get_args

import pytest

from services.table_inventory.commands.days import SealDay, Sealing, seal
from services.table_inventory.commands.slips import EnterManualSlip, PrepareSlip, Preparing, enter_manual, prepare
from services.table_inventory.domain.days import Day
from services.table_inventory.domain.people import law_of_slips
from services.table_inventory.domain.pit import Known, record_pit
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.slips import STEPS, SlipRequest
from services.table_inventory.handlers import PitEvents
from shared.contracts import pit
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.reports import ReportStatus
from shared.jurisdictions.model import People
from shared.rules.errors import Refused
from shared.runtime.commands.command import Now
from tests.integration.table_inventory.day import PAPER
from tests.support.pit import PROPERTY, at
from tests.support.properties import place, under_law
from tests.support.rounds import encoded
from tests.support.subjects import NOTHING
from tests.unit.table_inventory.examples import INVENTORY, PIT
from tests.unit.table_inventory.test_pit import FILL, prepared

DAY = date(2026, 11, 20)
NOT_ASKED: Any = None
"""Of a state: what is not asked before the people are."""
PLACE = place(PROPERTY)
LATER = Now(by="cage.bob", at=at(20), key="key")


def named(step: str) -> tuple[str, ...]:
    """The people whom a law may list for a step."""
    [dated] = People.model_fields[step].annotation.model_fields["root"].annotation.__args__[:1]  # type: ignore[union-attr]
    value = dated.model_fields["value"].annotation
    return tuple(name for part in value.__args__[:1] for name in _names(part))


def _names(literal: Any) -> tuple[str, ...]:
    return tuple(name for one in get_args(literal) for name in (_names(one) or (one,)))


def test_a_fill_that_may_be_observed_by_who_requested_it() -> None:
    """A law that leaves the observer out of the list accepts what Pennsylvania's refuses."""
    document = PIT["fill.received"] | {"data": PIT["fill.received"]["data"] | {"observed_by": "pit.ray"}}
    event = PitEvents.reader.decode(encoded(document))
    fewer = under_law(PLACE, "people.fill", ["requested_by", "prepared_by", "carried_by", "received_by"])
    with pytest.raises(Refused, match=r"pit\.ray is 'requested_by' of fill slip 1 of riverbend"):
        record_pit(event, Known(lambda *_: PLACE, slips={FILL: prepared(FILL)}))
    assert record_pit(event, Known(lambda *_: fewer, slips={FILL: prepared(FILL)})).postings


def test_a_slip_that_may_be_prepared_by_who_requested_it() -> None:
    """The desk asks the same list."""
    request = SlipRequest.model_validate(INVENTORY["slip.requested"]["data"] | {"requested_by": LATER.by})
    command = PrepareSlip(property=PROPERTY, request=1, subject_sha256=NOTHING)
    fewer = under_law(PLACE, "people.fill", ["requested_by", "carried_by"])
    day = Day(property=PROPERTY, gaming_day=DAY)

    def decide(found: PropertySnapshot) -> object:
        return prepare(command, Preparing(request, day, 0, law_of_slips(found, "fill", DAY)), LATER).answer

    with pytest.raises(Rejected, match=r"cage\.bob is 'requested_by' of request 1 of riverbend") as rejected:
        decide(PLACE)
    assert (Reason.SAME_PERSON, "58 Pa. Code § 465a.38") == (rejected.value.reason, rejected.value.cites)
    assert decide(fewer)


def test_everybody_whom_the_law_lists_signs_a_paper_slip() -> None:
    """A credit is also signed by who surrendered the chips; a law that does not list that accepts it without."""
    paper = EnterManualSlip.model_validate(PAPER | {"slip": "credit"})
    with pytest.raises(Rejected, match="paper credit slip 5001 of riverbend is not signed as surrendered_by"):
        enter_manual(paper, PLACE, LATER)
    fewer = under_law(PLACE, "people.credit", ["requested_by", "prepared_by", "carried_by", "received_by"])
    assert enter_manual(paper, fewer, LATER).recording.postings
    signed = EnterManualSlip.model_validate(PAPER | {"slip": "credit", "surrendered_by": "dealer.eli"})
    assert enter_manual(signed, PLACE, LATER).recording.postings


def test_as_many_people_count_a_box_as_the_law_lists() -> None:
    """Two in Pennsylvania; a third one where it is listed."""
    more = under_law(PLACE, "people.drop_count", ["first_counted_by", "second_counted_by", "third_counted_by"])
    assert [2, 3] == [Provisions.of(found, DAY).counters for found in (PLACE, more)]


def test_who_closed_a_day_may_not_seal_it_where_the_law_says_so() -> None:
    """A third person for the seal is one name more in the list."""
    people = {"preliminary_by": "control.eve", "audited_by": "audit.lou"}
    day = Day(property=PROPERTY, gaming_day=DAY, status=ReportStatus.PRELIMINARY, **people)
    command, now = (
        SealDay(property=PROPERTY, gaming_day=DAY, subject_sha256=NOTHING),
        Now(by="control.eve", at=at(30), key="key"),
    )
    more = under_law(PLACE, "people.day_seal", ["preliminary_by", "audited_by", "final_by"])
    assert seal(command, Sealing(NOT_ASKED, day, PLACE, PLACE.law.people.day_seal.on(DAY), {}), now).answer
    with pytest.raises(Rejected, match=r"control\.eve is 'preliminary_by' of 2026-11-20 and cannot be 'final_by' too"):
        seal(command, Sealing(NOT_ASKED, day, more, more.law.people.day_seal.on(DAY), {}), now)


def test_a_law_names_only_people_who_are_recorded() -> None:
    """What slips and pit events record is what may be listed, no more and no less."""
    assert set(STEPS) == set(named("credit")) == {*named("fill"), "surrendered_by"}
    assert set(pit.CountedTable.DIFFERENT) == set(named("table_count"))
    assert set(pit.ExchangedBox.DIFFERENT) == set(named("box_exchange"))


@pytest.mark.parametrize("step", ["table_count", "box_exchange", "day_close", "adjustment", "paytable", "meter_change"])
def test_where_two_people_are_recorded_both_are_different_everywhere(step: str) -> None:
    """A law that lists fewer, or somebody else, is no pack."""
    names = list(named(step))
    assert names == list(getattr(PLACE.law.people, step).on(DAY).value)
    for wrong in (names[:1], [*names, "inspector"]):
        with pytest.raises(ValueError, match=f"people.{step}"):
            under_law(PLACE, f"people.{step}", wrong)
