"""What the paytable registry publishes on `submissions`: approved rules submissions, and how they get there."""

from pydantic import AwareDatetime, Field

from shared.contracts.envelope import Contract, Name
from shared.contracts.facts import Fact, fact
from shared.contracts.topics import SUBMISSIONS
from shared.contracts.versions import Approved, Filed, TurnedDown, version_hash
from shared.rules.record import Submission


class RulesSubmission(Contract):
    """What a licensee plays at some tables from a moment on: one version of a property's submission for a game.

    `game` is the licensee's name for what it offers under this submission (`blackjack`, `blackjack-switch`);
    `submission` selects from the catalogue of `regulation`.
    """

    property: Name
    game: Name
    regulation: str
    tables: tuple[Name, ...] = Field(min_length=1, max_length=1000)
    effective_from: AwareDatetime
    submission: Submission


_STREAM = "/properties/{property}/games/{game}/submissions/{version}"


@fact("submission.filed", SUBMISSIONS, stream=_STREAM)
class SubmissionFiled(Fact, RulesSubmission, Filed):
    """A version was filed; it waits for somebody else's approval."""


@fact("submission.approved", SUBMISSIONS, stream=_STREAM)
class SubmissionApproved(SubmissionFiled, Approved):
    """A version was approved: from `effective_from` on, rounds opened at its tables settle under it."""


@fact("submission.rejected", SUBMISSIONS, stream=_STREAM)
class SubmissionRejected(Fact, TurnedDown):
    """A version was turned down; it never takes effect."""

    property: Name
    game: Name


def submission_hash(wanted: RulesSubmission, version: int) -> str:
    """Return the hash of a version: that of property, game, regulation, tables, effective_from, submission, version."""
    return version_hash(wanted, RulesSubmission, version)
