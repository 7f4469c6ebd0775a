"""The read model of the registry: the current status of every version."""

from collections.abc import Sequence
from typing import Final

from services.paytable_registry.domain.submissions import AboutSubmission, changes
from services.paytable_registry.tables import ledger_mappings, properties, submissions
from shared.contracts.general_ledger import LedgerMappingFiled, LedgerMappingReturned
from shared.contracts.properties import PropertyFiled, PropertyReturned
from shared.contracts.submissions import SubmissionDrafted, SubmissionFiled
from shared.journal.pipeline import pipeline
from shared.journal.recording import Recorded
from shared.runtime.commands.version_rows import VersionRows
from shared.runtime.projector import Projector, Transaction

_SUBMISSIONS: Final = VersionRows(submissions, (SubmissionDrafted, SubmissionFiled), changes, drafts=True)
_PROPERTIES: Final = VersionRows(properties, (PropertyFiled,))
_LEDGER_MAPPINGS: Final = VersionRows(ledger_mappings, (LedgerMappingFiled,))


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Apply facts to the tables."""
    async with pipeline(transaction.connection) as sent:
        await _PROPERTIES.write(sent, [one for one in recorded if isinstance(one[1], PropertyFiled | PropertyReturned)])
        mapped = [one for one in recorded if isinstance(one[1], LedgerMappingFiled | LedgerMappingReturned)]
        await _LEDGER_MAPPINGS.write(sent, mapped)
        await _SUBMISSIONS.write(sent, [one for one in recorded if isinstance(one[1], AboutSubmission)])


PROJECTOR: Final = Projector(tables=(ledger_mappings, properties, submissions), project=project)
