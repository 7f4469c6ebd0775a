"""The differences between two versions of a rules submission, as text. Pure."""

from collections.abc import Iterator

from shared.contracts.submissions import RulesSubmission, StatedHouseEdge
from shared.rules.catalogue import known_regulations
from shared.rules.comparison import Payback, counted_payback, differences


def changes(before: RulesSubmission, after: RulesSubmission, *, payback: Payback = counted_payback) -> list[str]:
    """Return the changes made by a later version as text, one per line, omitting its number."""
    return [*_places(before, after), *_rules(before, after, payback), *_stated_house_edges(before, after)]


def _places(before: RulesSubmission, after: RulesSubmission) -> Iterator[str]:
    for table in sorted(set(after.tables) - set(before.tables)):
        yield f"table {table}: added"
    for table in sorted(set(before.tables) - set(after.tables)):
        yield f"table {table}: not listed; it keeps the version that it has"
    if before.effective_from != after.effective_from:
        yield f"beginning: {before.effective_from.isoformat()} to {after.effective_from.isoformat()}"


def _stated_house_edges(before: RulesSubmission, after: RulesSubmission) -> Iterator[str]:
    one, other = ({edge.wager: _said(edge) for edge in said.stated_house_edges or ()} for said in (before, after))
    for wager in sorted({*one, *other}):
        if one.get(wager) != other.get(wager):
            yield f"stated house edge of {wager}: {one.get(wager, 'none')} to {other.get(wager, 'none')}"


def _said(edge: StatedHouseEdge) -> str:
    return f"{edge.house_edge_percent}% ({edge.source})"


def _rules(before: RulesSubmission, after: RulesSubmission, payback: Payback) -> list[str]:
    if {before.regulation, after.regulation} - set(known_regulations()):  # a draft may name an unknown regulation
        one, other = before.regulation, after.regulation
        return [f"regulation: {one} to {other}"] if one != other else [f"regulation {one} is not known"]
    return differences(after.regulation, before.submission, after.submission, before=before.regulation, payback=payback)
