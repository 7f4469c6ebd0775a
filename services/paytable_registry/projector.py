"""The read model of the registry: every version as it stands."""

from collections.abc import Sequence
from typing import Final

from services.paytable_registry.tables import properties, submissions
from shared.contracts.properties import PropertyFiled, PropertyRejected
from shared.contracts.submissions import SubmissionFiled, SubmissionRejected
from shared.journal.pipeline import pipeline
from shared.journal.recording import Recorded
from shared.runtime.command.versions import VersionRows
from shared.runtime.projector import Projector, Transaction

_SUBMISSIONS: Final = VersionRows(submissions)
_PROPERTIES: Final = VersionRows(properties)


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the tables up to date with facts."""
    async with pipeline(transaction.connection) as sent:
        await _PROPERTIES.write(sent, [one for one in recorded if isinstance(one[1], PropertyFiled | PropertyRejected)])
        await _SUBMISSIONS.write(
            sent, [one for one in recorded if isinstance(one[1], SubmissionFiled | SubmissionRejected)]
        )


PROJECTOR: Final = Projector(tables=(properties, submissions), project=project)
