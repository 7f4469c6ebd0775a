"""Find patron references that belong to the same person, by keyed digests, or that differ only in case."""

from collections import defaultdict
from collections.abc import Mapping

from sqlalchemy import CompoundSelect, and_, false, or_, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from services.wagering_accounts.domain.identity import PatronIdentity
from services.wagering_accounts.tables import DIGESTS, patron_keys, patrons
from shared.runtime.reference_search import reversed_reference
from shared.runtime.sealing import PatronKey

Digests = Mapping[str, bytes | None]
"""The keyed digest of each unique identifier of a person, by column; None if the identifier is not known."""


def digests_of(key: PatronKey, identity: PatronIdentity) -> Digests:
    """Return the digests of an identity under the key of its property."""
    texts = (identity.taxpayer_number_text(), identity.document_text())
    return {
        name: None if text is None else key.digest(f"{name} {text}") for name, text in zip(DIGESTS, texts, strict=True)
    }


async def sharing(connection: AsyncConnection, property_name: str, patron: str, digests: Digests) -> tuple[str, ...]:
    """Return the other references of a property that have one of these digests."""
    k = patron_keys.c
    same = or_(false(), *(k[name] == digest for name, digest in digests.items() if digest is not None))
    found = select(k.patron).where(k.property == property_name, k.patron != patron, same).order_by(k.patron)
    return tuple((await connection.execute(found)).scalars())


async def same_person_as(connection: AsyncConnection, property_name: str, patron: str) -> tuple[str, ...]:
    """Return the other references that belong to the same person as a patron reference."""
    found = _pairs(property_name, patron).order_by("other")
    return tuple(row.other for row in await connection.execute(found))


async def one_person_each(connection: AsyncConnection, property_name: str) -> dict[str, list[str]]:
    """Return {reference: other references of the same person}, for each reference that has others."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in await connection.execute(_pairs(property_name).order_by("patron", "other")):
        found[row.patron].append(row.other)
    return found


def _pairs(property_name: str, patron: str | None = None) -> CompoundSelect[tuple[str, str]]:
    """Return the query for pairs of patrons at a property who share a key digest and may be one person.

    With `patron`, only the pairs of this patron.
    """
    own, other = patron_keys.alias("own"), patron_keys.alias("other")
    wanted = (
        own.c.property == property_name
        if patron is None
        else and_(own.c.property == property_name, own.c.patron == patron)
    )
    return union(
        *(
            select(own.c.patron, other.c.patron.label("other"))
            .join(other, and_(own.c.property == other.c.property, own.c[name] == other.c[name]))
            .where(wanted, own.c.patron != other.c.patron)
            for name in DIGESTS
        )
    )


async def differing_in_case(connection: AsyncConnection, property_name: str, patron: str) -> tuple[str, ...]:
    """Return the registered references of a property that differ from a reference only in case."""
    p = patrons.c
    same = reversed_reference(p.patron) == patron.lower()[::-1]
    found = select(p.patron).where(p.property == property_name, same, p.patron != patron).order_by(p.patron)
    return tuple((await connection.execute(found)).scalars())
