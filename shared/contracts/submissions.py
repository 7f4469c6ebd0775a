"""Facts of the paytable registry, on the topic `submissions`: the life cycle of every version of a rules submission."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Contract, Digest, Name, Payback, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.properties import Label
from shared.contracts.topics import SUBMISSIONS
from shared.contracts.versions import Approved, Filed, Returned, VersionNumber, in_effect, version_hash
from shared.rules.record import Submission

WITHDRAWAL_LEAD: Final = timedelta(hours=1)
"""The minimum time from the withdrawal of an approved version until it would take effect. It lets every service read
the withdrawal in time, so that no round is settled under a withdrawn version.
"""


class StatedHouseEdge(Contract):
    """The licensee's own value for the house edge of a wager that the registry does not compute.

    `house_edge_percent` is in percent of all that is staked, raises and doubles included. `source` is the origin of the
    figure, such as a test laboratory's report with its number and date.
    """

    wager: Name
    house_edge_percent: Payback
    source: Label


class RulesSubmission(Contract):
    """One version of a property's submission for a game: the licensee's offer at some tables from a moment on.

    `game` is the licensee's name for what it offers under this submission (`blackjack`, `blackjack-switch`);
    `submission` selects from the catalogue of `regulation`. `stated_paybacks` are the licensee's own figures, in
    percent by wager: they are compared with the computed ones when the version is approved. `stated_house_edges` are
    the licensee's own values for wagers whose house edge is not computed; settlement does not use them.
    """

    property: Name
    game: Name
    regulation: str
    tables: tuple[Name, ...] = Field(min_length=1, max_length=1000)
    effective_from: AwareDatetime
    submission: Submission
    stated_paybacks: dict[Name, Payback] = Field(default_factory=dict, max_length=100)
    stated_house_edges: Annotated[tuple[StatedHouseEdge, ...], Field(min_length=1, max_length=100)] | None = None


class OfSubmission(Contract):
    """The version of a submission that a fact is about."""

    property: Name
    game: Name
    version: VersionNumber
    hash: Digest


_STREAM: Final = "/properties/{property}/games/{game}/submissions/{version}"


@fact("submission.drafted", SUBMISSIONS, stream=_STREAM)
class SubmissionDrafted(Fact, RulesSubmission):
    """A version was drafted, or its draft replaced; it is not filed yet."""

    version: VersionNumber
    hash: Digest
    drafted_by: Person
    drafted_at: AwareDatetime


@fact("submission.filed", SUBMISSIONS, stream=_STREAM)
class SubmissionFiled(Fact, RulesSubmission, Filed):
    """A version was filed; it awaits another person's approval."""


PaybackProblem = Literal["differs", "above_all", "below_floor"]
"""Why a payback needs an override: it differs from the stated one, is above 100%, or below the property's floor."""


class PaybackFinding(Contract):
    """A finding about a wager's payback: the computed `payback`, and the one compared `against`; both in percent."""

    wager: Name
    problem: PaybackProblem
    payback: Payback
    against: Payback


class Overridden(Contract):
    """All findings about a version's paybacks, and the reason for approving it nevertheless."""

    reason: Reason
    findings: tuple[PaybackFinding, ...] = Field(min_length=1)


@fact("submission.approved", SUBMISSIONS, stream=_STREAM)
class SubmissionApproved(SubmissionFiled, Approved):
    """A version was approved: rounds opened at its tables from `effective_from` on settle under it.

    `overridden` has the findings that the approver overrode.
    """

    overridden: Overridden | None = None


@fact("submission.returned", SUBMISSIONS, stream=_STREAM)
class SubmissionReturned(Fact, Returned):
    """A version was returned to its filer; it never takes effect."""

    property: Name
    game: Name


@fact("submission.withdrawn", SUBMISSIONS, stream=_STREAM)
class SubmissionWithdrawn(Fact, OfSubmission):
    """A draft, or an undecided version, was withdrawn; it never takes effect."""

    withdrawn_by: Person
    withdrawn_at: AwareDatetime
    reason: Reason


@fact("submission.withdrawal_requested", SUBMISSIONS, stream=_STREAM)
class WithdrawalRequested(Fact, OfSubmission):
    """The withdrawal of an approved version before it takes effect was requested; another person must approve it."""

    requested_by: Person
    requested_at: AwareDatetime
    reason: Reason


@fact("submission.withdrawal_approved", SUBMISSIONS, stream=_STREAM)
class WithdrawalApproved(WithdrawalRequested, AsShown):
    """An approved version was withdrawn, at least `WITHDRAWAL_LEAD` before its beginning: it never takes effect.

    Its tables keep the version that they would have had without it.
    """

    withdrawn_by: Person
    withdrawn_at: AwareDatetime


@fact("submission.withdrawal_returned", SUBMISSIONS, stream=_STREAM)
class WithdrawalReturned(Fact, OfSubmission):
    """The request to withdraw a version was rejected or withdrawn: the version takes effect as approved."""

    returned_by: Person
    returned_at: AwareDatetime
    reason: Reason


def submission_hash(wanted: RulesSubmission, version: int) -> str:
    """Return the hash of a version, over property, game, regulation, tables, effective_from, submission, version."""
    return version_hash(wanted, RulesSubmission, version)


VersionT = TypeVar("VersionT", bound=RulesSubmission)


class ByTable(Generic[VersionT]):
    """Approved versions by table: a table plays under the latest version that lists it."""

    def __init__(self, versions: Iterable[VersionT] = ()) -> None:
        """Index approved versions of any properties and games; withdrawn versions are ignored."""
        self._versions: dict[tuple[str, str, str], list[VersionT]] = {}
        for version in versions:
            for table in version.tables:
                self._versions.setdefault((version.property, version.game, table), []).append(version)

    def in_effect(self, property_name: str, game: str, table: str, moment: datetime) -> VersionT | None:
        """Return the version that settles a round of a game that was opened at a table at a moment."""
        found: VersionT | None = in_effect(self._versions.get((property_name, game, table), ()), moment)
        return found

    def beginnings(self, property_name: str, game: str, table: str) -> list[datetime]:
        """Return the moments at which versions of a game take effect at a table."""
        return [version.effective_from for version in self._versions.get((property_name, game, table), ())]
