"""A service's own copy of the approved rules submissions."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import MetaData, Table

from shared.contracts.submissions import ByTable, SubmissionApproved, WithdrawalApproved, submission_hash
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import SUBMISSIONS
from shared.rules import compile_rules
from shared.rules.errors import Refused
from shared.runtime.ingest.approved_documents import ApprovedCopy, ApprovedDocuments, copy_table

MadeT = TypeVar("MadeT")


def submissions_table(metadata: MetaData, schema: str) -> Table:
    """Declare the table of the copy in a service's schema."""
    return copy_table("submissions", metadata, schema, "property", "game", withdrawals=True)


class RulesSubmissions(ApprovedDocuments):
    """Handler that keeps a copy of the approved submissions. A service subclasses it with its own table."""

    reader = Reader(SUBMISSIONS, SubmissionApproved, WithdrawalApproved)
    model = SubmissionApproved
    withdrawal = WithdrawalApproved

    def check(self, approved: Any) -> None:
        """Raise Refused if the document does not match its hash, or if its rules cannot be compiled."""
        check(approved)


class ApprovedSubmissions(ApprovedCopy[SubmissionApproved, MadeT]):
    """The approved submissions in a copy, each converted to the service's own type."""

    def __init__(
        self, table: Table, make: Callable[[SubmissionApproved], MadeT], property_name: str | None = None
    ) -> None:
        super().__init__(table, SubmissionApproved, make, property_name)
        self._by_table: ByTable[SubmissionApproved] = ByTable()

    def know(self, versions: Sequence[SubmissionApproved], withdrawn: Collection[str] = ()) -> None:
        """Replace the versions in memory; versions whose hashes are in `withdrawn` are never in effect."""
        super().know(versions, withdrawn)
        self._by_table = ByTable(version for version in versions if version.hash not in withdrawn)

    def in_effect(self, property_name: str, game: str, table: str, moment: datetime) -> MadeT | None:
        """Return the converted submission of a game that is in effect at a table at a moment, or None."""
        approved = self._by_table.in_effect(property_name, game, table, moment)
        return None if approved is None else self.made(approved)

    def beginnings(self, property_name: str, game: str, table: str) -> list[datetime]:
        """Return the moments at which submissions of a game take effect at a table."""
        return self._by_table.beginnings(property_name, game, table)


def check(approved: SubmissionApproved) -> None:
    """Raise Refused if the document does not match its hash, or if its rules cannot be compiled."""
    computed = submission_hash(approved, approved.version)
    if computed != approved.hash:
        raise Refused(f"the submission's hash is {computed}, not {approved.hash}: it is not what was approved")
    compile_rules(approved.regulation, approved.submission)
