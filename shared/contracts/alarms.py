"""What the table-inventory ledger records of alarms of the statistics: who looks into one, and what came of it."""

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
    Field(description="what it is about, as the exceptions of reporting name it: `counts, dealer-7`"),
]


class AlarmRef(Fact):
    """An alarm of the statistics of a property. There is one of a name, and it stands for ever."""

    property: Name
    alarm: AlarmName


@fact("alarm.owned", INVENTORY, stream=DESK)
class AlarmOwned(AlarmRef):
    """An alarm has somebody who looks into it."""

    owner: Person
    owned_at: AwareDatetime
    named_by: Person


@fact("alarm.resolved", INVENTORY, stream=DESK)
class AlarmResolved(AlarmRef, AsShown):
    """An alarm was looked into; no money moves."""

    owner: Person
    conclusion: Reason
    resolved_at: AwareDatetime
