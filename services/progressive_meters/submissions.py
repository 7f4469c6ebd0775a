"""The terms of meters in the approved rules submissions."""

from datetime import datetime
from fractions import Fraction

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters.domain import Terms
from services.progressive_meters.tables import submissions
from shared.contracts.meter_events import Feed
from shared.contracts.submission_events import SubmissionApproved, in_effect
from shared.rules.catalogue import catalogue
from shared.rules.submission import select as selected


def meters_of(approved: SubmissionApproved) -> tuple[Terms, ...]:
    """The meters that a submission offers, those whose terms its paytable fixes included. Raises: Refused."""
    offers = selected(catalogue(approved.regulation), approved.submission).offers
    return tuple(
        Terms(
            meter=name,
            rate=Fraction(offer.meter.rate),
            reserve_rate=None if offer.meter.reserve_rate is None else Fraction(offer.meter.reserve_rate),
            reset_cents=offer.meter.reset,
        )
        for name, offer in offers.items()
        if offer.meter is not None
    )


class Submissions:
    """The approved submissions that the database holds; read again when there are more."""

    def __init__(self) -> None:
        self._count = -1
        self._versions: dict[tuple[str, str], list[SubmissionApproved]] = {}
        self._meters: dict[str, tuple[Terms, ...]] = {}

    async def refresh(self, connection: AsyncConnection) -> None:
        """Reads them again if their number has changed; a version, once there, never changes."""
        count = (await connection.execute(select(func.count()).select_from(submissions))).scalar_one()
        if count == self._count:
            return
        self._versions.clear()
        for row in await connection.execute(select(submissions.c.document)):
            approved = SubmissionApproved.model_validate(row.document)
            self._versions.setdefault((approved.property, approved.game), []).append(approved)
            self._meters[approved.hash] = meters_of(approved)
        self._count = count

    def under(self, digest: str) -> tuple[Terms, ...] | None:
        """The meters of the submission with this hash; None where it is not known."""
        return self._meters.get(digest)

    def ever(self, property_name: str, game: str) -> tuple[Terms, ...]:
        """The meters of all versions for a game."""
        versions = self._versions.get((property_name, game), ())
        return tuple(terms for version in versions for terms in self._meters[version.hash])

    def of_feed(self, property_name: str, feed: Feed, moment: datetime) -> Terms | None:
        """The terms of a feed's meter in the submission in effect at a moment, if it is for that table."""
        version: SubmissionApproved | None = in_effect(self._versions.get((property_name, feed.game), []), moment)
        if version is None or feed.table not in version.tables:
            return None
        return next((terms for terms in self._meters[version.hash] if terms.meter == feed.meter), None)
