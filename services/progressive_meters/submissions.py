"""The terms of meters in the approved rules submissions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from services.progressive_meters.domain import Terms
from services.progressive_meters.tables import submissions
from shared.contracts.meters import Feed
from shared.contracts.submissions import SubmissionApproved
from shared.rules.catalogue import catalogue
from shared.rules.submission import select as selected
from shared.runtime.consume.submissions import ApprovedSubmissions


@dataclass(frozen=True, slots=True)
class Offered:
    """The meters that a submission offers, and at which tables."""

    tables: frozenset[str]
    meters: tuple[Terms, ...]


def offered(approved: SubmissionApproved) -> Offered:
    """What a submission offers, meters whose terms its paytable fixes included. Raises: Refused."""
    offers = selected(catalogue(approved.regulation), approved.submission).offers
    meters = tuple(
        Terms(
            meter=name,
            rate=Fraction(offer.meter.rate),
            reserve_rate=None if offer.meter.reserve_rate is None else Fraction(offer.meter.reserve_rate),
            reset_cents=offer.meter.reset,
        )
        for name, offer in offers.items()
        if offer.meter is not None
    )
    return Offered(frozenset(approved.tables), meters)


class Submissions(ApprovedSubmissions[Offered]):
    """The approved submissions that the database holds, by their meters."""

    def __init__(self) -> None:
        super().__init__(submissions, offered)

    def meters(self, digest: str) -> Sequence[Terms] | None:
        """The meters of the submission with this hash; None where it is not known."""
        found = self.under(digest)
        return None if found is None else found.meters

    def ever(self, property_name: str, game: str) -> Sequence[Terms]:
        """The meters of all versions for a game."""
        return [terms for version in self.versions(property_name, game) for terms in version.meters]

    def of_feed(self, property_name: str, feed: Feed, moment: datetime) -> Terms | None:
        """The terms of a feed's meter in the submission in effect at a moment, if it is for that table."""
        version = self.in_effect(property_name, feed.game, moment)
        if version is None or feed.table not in version.tables:
            return None
        return next((terms for terms in version.meters if terms.meter == feed.meter), None)
