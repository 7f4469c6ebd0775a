"""Facts about statistical alarms in the table-inventory ledger: assignment and resolution."""

from typing import Annotated

from pydantic import AwareDatetime, Field, StringConstraints

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK
from shared.contracts.topics import INVENTORY

AlarmName = Annotated[
    str,
    StringConstraints(pattern=r"^[^\x00-\x1f\x7f/]{1,400}$"),
    Field(description="the alarm's name in the exceptions of the reporting service, such as `counts, dealer-7`"),
]


class AlarmRef(Fact):
    """A statistical alarm of a property. Its name is unique and permanent."""

    property: Name
    alarm: AlarmName


@fact("alarm.owned", INVENTORY, stream=DESK)
class AlarmOwned(AlarmRef):
    """An alarm was assigned to an owner who investigates it."""

    owner: Person
    owned_at: AwareDatetime
    named_by: Person


@fact("alarm.resolved", INVENTORY, stream=DESK)
class AlarmResolved(AlarmRef, AsShown):
    """An alarm was resolved; no money moves."""

    owner: Person
    conclusion: Reason
    resolved_at: AwareDatetime
