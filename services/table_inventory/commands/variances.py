"""Commands about variances: assign an owner; resolve, which posts the difference."""

from datetime import date
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands.as_of import AsOf
from services.table_inventory.domain.variances import Variance, VarianceKey
from services.table_inventory.queries.days import find_variance
from services.table_inventory.queries.holding import hold
from services.table_inventory.tables import counts, slips
from shared.contracts.envelope import Name, Person, Reason
from shared.contracts.inventory import Number, VarianceKind, VarianceOwned, VarianceResolved
from shared.contracts.people import same_person
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Commands, Now, as_loaded

COMMANDS: Final = Commands()


class AboutVariance(AsOf):
    """A command about a variance."""

    property: Name
    gaming_day: date
    variance: Annotated[
        VarianceKind, Field(description="the kind of variance: of an inventory at a count, of a box, or of a slip")
    ]
    table: Name
    number: Annotated[
        Number,
        Field(description="the sequence of the count or box exchange in the table's pit stream, or the slip number"),
    ]

    def key(self) -> VarianceKey:
        """Return the key of the variance."""
        return VarianceKey(self.property, self.gaming_day, self.variance, self.table, self.number)


class OwnVariance(AboutVariance):
    """Assign a variance to the person who must explain it."""

    owner: Person


class ResolveVariance(AboutVariance, Approving):
    """Resolve a variance.

    Only its owner can do this. The books keep the counted amount.
    """

    conclusion: Reason


async def _variance(connection: AsyncConnection, command: AboutVariance) -> Variance:
    """Return a variance. Raises: Rejected if it does not exist."""
    return await find_variance(connection, command.key(), now=command.asked_at)


@COMMANDS.handles(OwnVariance, load=_variance)
def own(command: OwnVariance, variance: Variance, now: Now) -> Accepted:
    """Assign the owner."""
    owned = {"owner": command.owner, "owned_at": now.at}
    fact = VarianceOwned(**variance.key()._asdict(), cents=variance.cents, **owned, named_by=now.by)
    after = variance.after(**owned)
    return Accepted(recording=FactWithPostings(fact=fact), answer=after)


async def _resolving(connection: AsyncConnection, command: ResolveVariance) -> Variance:
    """Return a variance, and lock its count or slip against a concurrent void. Raises: Rejected if it is unknown."""
    if command.variance == "inventory":
        await hold(connection, counts, property=command.property, table=command.table, sequence=command.number)
    elif command.variance in ("fill", "credit"):
        await hold(connection, slips, property=command.property, slip=command.variance, number=command.number)
    return await _variance(connection, command)


@COMMANDS.handles(ResolveVariance, load=_resolving, subject=as_loaded)
def resolve(command: ResolveVariance, variance: Variance, now: Now) -> Accepted:
    """Record the owner's conclusion, and post the difference."""
    if variance.owner is None:
        raise Rejected(Why.TOO_EARLY, "the variance has no owner yet: name one first")
    if not same_person(variance.owner, now.by):
        raise Rejected(Why.NOT_ALLOWED, f"the variance is {variance.owner}'s to resolve")
    if variance.status == "resolved":
        raise Rejected(Why.ALREADY_DECIDED, "the variance is resolved already")
    resolved = {"conclusion": command.conclusion, "resolved_at": now.at}
    amount = {"cents": variance.cents, "by_instrument": variance.by_instrument}
    fact = VarianceResolved(**variance.key()._asdict(), **amount, owner=now.by, **resolved)
    after = variance.after(**{f"resolved_{name}": value for name, value in amount.items()}, **resolved)
    return Accepted(recording=FactWithPostings(fact=fact, postings=variance.correction()), answer=after)
