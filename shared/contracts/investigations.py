"""Facts about investigations in the table-inventory ledger: deviating holds, and their explanations."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, StringConstraints

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Name, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.inventory import DESK, Number
from shared.contracts.topics import INVENTORY

Month = Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]{3}-(0[1-9]|1[0-2])$")]
"""A calendar month, such as `2026-11`, without the year 0000."""

Subject = Literal["table", "game"]
"""Whether the hold is that of a table or of a game."""


class HoldVariance(Contract):
    """A hold in a monthly report, of a table or a game (`what`), that deviates from the base of comparison."""

    property: Name
    what: Subject
    subject: Name
    month: Month


@fact("investigation.opened", INVENTORY, stream=DESK)
class InvestigationOpened(Fact, HoldVariance):
    """A person was assigned to explain a deviating hold; investigations are numbered by property."""

    investigation: Number
    found: Reason
    owner: Person
    opened_by: Person
    opened_at: AwareDatetime


class InvestigationRef(Fact):
    """A step in an investigation."""

    property: Name
    investigation: Number
    owner: Person


@fact("investigation.assigned", INVENTORY, stream=DESK)
class InvestigationAssigned(InvestigationRef):
    """An investigation was reassigned to another owner."""

    assigned_by: Person
    assigned_at: AwareDatetime


@fact("investigation.concluded", INVENTORY, stream=DESK)
class InvestigationConcluded(InvestigationRef, AsShown):
    """The owner of an investigation entered its conclusion."""

    conclusion: Reason
    concluded_at: AwareDatetime
