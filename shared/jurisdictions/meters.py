"""The law of a jurisdiction on progressive meters: the minimum initial and reset amounts of its regulations."""

from dataclasses import dataclass

from shared.jurisdictions.model import GamingPack
from shared.rules.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class LeastReset:
    """The minimum initial and reset amount of a meter, in cents, and the paragraph that fixes it."""

    cents: int
    paragraph: str


def least_reset(pack: GamingPack, regulation: str, meter: str) -> LeastReset | None:
    """Return the minimum initial and reset amount of a meter in a jurisdiction; None if its law does not fix one.

    A meter has the name of its wager. If each paytable fixes an amount of its own, the lowest of them counts. Raises:
    LookupError for a regulation that the pack does not cover, or a meter that the regulation does not have.

    >>> from shared.jurisdictions import gaming_pack
    >>> least_reset(gaming_pack("us-pa"), "pa-687a", "progressive_bonus")
    LeastReset(cents=200000, paragraph='§ 687a.12(c)')
    """
    if regulation not in pack.regulations:
        raise LookupError(
            f"regulation {regulation!r} is not among those of {pack.title}, {', '.join(pack.regulations)}"
        )
    wager = catalogue(regulation).wagers.get(meter)
    if wager is None:
        raise LookupError(f"{regulation} has no meter {meter!r}")
    amounts = [LeastReset(table.meter.reset, table.paragraph) for table in wager.paytables if table.meter is not None]
    if wager.meter is not None:
        amounts.append(LeastReset(wager.meter.least_reset, wager.meter.paragraph))
    return min(amounts, key=lambda amount: amount.cents, default=None)
