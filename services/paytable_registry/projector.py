"""The read model of the registry: every version as it stands."""

from collections.abc import Sequence
from typing import Final

from services.paytable_registry.tables import submissions
from shared.contracts.submissions import SubmissionFiled, SubmissionRejected
from shared.journal.pipeline import pipeline
from shared.journal.recording import Recorded
from shared.runtime.command.versions import VersionRows
from shared.runtime.projector import Projector, Transaction

_ROWS: Final = VersionRows(submissions)


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the table up to date with facts."""
    async with pipeline(transaction.connection) as sent:
        await _ROWS.write(sent, [one for one in recorded if isinstance(one[1], SubmissionFiled | SubmissionRejected)])


PROJECTOR: Final = Projector(tables=(submissions,), project=project)
