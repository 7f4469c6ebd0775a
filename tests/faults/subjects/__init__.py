"""Every service with its story."""

from collections.abc import Sequence

from tests.faults.subject import Subject
from tests.faults.subjects.paytable_registry import PAYTABLE_REGISTRY
from tests.faults.subjects.progressive_meters import PROGRESSIVE_METERS
from tests.faults.subjects.reporting import REPORTING
from tests.faults.subjects.round_settlement import ROUND_SETTLEMENT
from tests.faults.subjects.table_inventory import TABLE_INVENTORY
from tests.faults.subjects.vigorish import VIGORISH
from tests.faults.subjects.wagering_accounts import WAGERING_ACCOUNTS

SUBJECTS: Sequence[Subject] = (
    ROUND_SETTLEMENT,
    TABLE_INVENTORY,
    VIGORISH,
    WAGERING_ACCOUNTS,
    PROGRESSIVE_METERS,
    REPORTING,
    PAYTABLE_REGISTRY,
)
READING = tuple(subject for subject in SUBJECTS if subject.records)
"""Those that read topics."""
COMMANDED = tuple(subject for subject in SUBJECTS if subject.commands)
"""Those that people command over HTTP."""
