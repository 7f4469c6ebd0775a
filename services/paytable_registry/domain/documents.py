"""Documents of a property in dated versions: one person files a version, another approves or returns it. Pure."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from shared.contracts.envelope import Contract
from shared.contracts.facts import Fact
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.versions import (
    Filed,
    Standing,
    beginning,
    fields_of,
    returned,
    standing,
    version_hash,
    why_too_late,
)
from shared.runtime.commands.approval import Approval, Decision, Policy
from shared.runtime.commands.approval_subject import ApprovalSubject


class DocumentVersion(Filed, Standing, ApprovalSubject):
    """A version of a property's document: its status and decision. Subclasses add the content of the document."""

    POLICY: ClassVar[Policy]

    @classmethod
    @abstractmethod
    def document_of(cls, property_name: str) -> str:
        """Return the name of a property's document to use in messages, such as `property riverside`."""

    @property
    def label(self) -> str:
        """Return the name of the version to use in messages."""
        return f"version {self.version} of {self.document_of(self.property)}"

    @property
    def approval(self) -> Approval:
        """Return the approval step of the version, with its current decision."""
        return Approval(self.POLICY, self.label, self.filed_by, Decision.of(self.status))

    if TYPE_CHECKING:  # fields that each document declares, in its own order
        property: str
        effective_from: datetime


DocumentT = TypeVar("DocumentT", bound=Contract)
VersionT = TypeVar("VersionT", bound=DocumentVersion)


@dataclass(frozen=True, slots=True)
class History(Generic[VersionT]):
    """The history of a property's document: the number of versions filed, and the approved versions."""

    versions: int = 0
    approved: Sequence[VersionT] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentKind(Generic[DocumentT, VersionT]):
    """A kind of document: its models, its facts, and its checks.

    `faults` validates a document alone, when it is filed. `contradictions` returns its conflicts with the approved
    versions, when it is filed and again when it is approved. `changes` returns the differences between two versions as
    text.
    """

    document: type[DocumentT]
    version: type[VersionT]
    filed: type[Fact]
    approved: type[Fact]
    returned: type[Fact]
    faults: Callable[[DocumentT], Iterable[str]]
    contradictions: Callable[[DocumentT, Sequence[VersionT]], Iterable[str]] = lambda *_: ()
    changes: Callable[[VersionT, VersionT], list[str]]

    def file(self, wanted: Contract, history: History[VersionT], *, by: str, at: datetime) -> Fact:
        """Return the fact that records the filing of the next version of a document.

        Raises: Rejected with all faults of the document, one per line, or if the version could never be approved.
        """
        said = fields_of(wanted, self.document)
        said["effective_from"] = beginning(said["effective_from"])
        document = self.document(**said)
        found = [*self.faults(document), *self._too_late(document, said["effective_from"], history, at)]
        if found:
            raise Rejected(Reason.NOT_ALLOWED, "\n".join(found))
        version = history.versions + 1
        digest = version_hash(document, self.document, version)
        return self.filed(**said | {"version": version, "hash": digest, "filed_by": by, "filed_at": at})

    def approve(self, version: VersionT, history: History[VersionT], *, by: str, at: datetime) -> Fact:
        """Return the fact that records the approval of a version.

        Raises: Rejected if it is decided already, if `by` filed it, or if it would change which version
        was in effect in the past.
        """
        version.approval.approve(by)
        document = self.document(**fields_of(version, self.document))
        found = list(self._too_late(document, version.effective_from, history, at))
        if found:
            raise Rejected(Reason.TOO_LATE, f"{version.label} cannot be approved any more: {'; '.join(found)}")
        return self.approved(**fields_of(version, self.filed) | {"approved_by": by, "approved_at": at})

    def give_back(self, version: VersionT, *, by: str, at: datetime, reason: str) -> Fact:
        """Return the fact that records a version's return to its filer. Raises: Rejected if it is decided already."""
        version.approval.reject()
        return returned(self.returned, version, by=by, at=at, reason=reason)

    def after(self, version: Contract, fact: Fact) -> VersionT:
        """Return a version with the status that `fact` gives it; `version` has the content."""
        return self.version(**fields_of(version, self.filed), **standing(fact))

    def _too_late(
        self, document: DocumentT, effective_from: datetime, history: History[VersionT], at: datetime
    ) -> Iterator[str]:
        yield from self.contradictions(document, history.approved)
        too_late = why_too_late(effective_from, [one.effective_from for one in history.approved], at)
        if too_late is not None:
            yield too_late
