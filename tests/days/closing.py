"""Compare how far a gaming day is closed with what the reference has seen of it."""

from collections.abc import Iterator, Sequence
from datetime import date

from services.table_inventory.domain.days import in_words
from shared.contracts.win import Missing, MissingKind
from tests.days.comparing import Seen
from tests.days.telling import NAME


def unlike_closed(seen: Seen, day: date, left: Sequence[str], is_told_in_part: bool) -> Iterator[str]:
    """Return in words what kept a day from being closed, and was not seen; or was seen and did not keep it from that.

    `left` is what kept it from that.
    """
    lacks, said = seen.lacks(day), "; ".join(left)
    if any(what == "opener" for what, *_ in lacks):  # what else it lacks, nobody knows
        if not left:
            yield f"{day} is closed, and nobody had opened it"
        return
    for what, name, since in sorted(lacks):
        kind: MissingKind = what  # type: ignore[assignment]  # the reference has the words of the service
        words = in_words(NAME, Missing(what=kind, name=name, since=since), seen.reference.clock.zone)
        if words not in said:
            yield f"{day} lacks {words!r}, and to close it was refused for {said!r}"
    if left and not (lacks or is_told_in_part) and seen.was_recorded(day):
        yield f"{day} lacks nothing, and to close it was refused for {said!r}"
    if not left and (is_told_in_part or not seen.was_recorded(day)):
        yield f"{day} is closed, and {'not all of it was told' if is_told_in_part else 'nothing was recorded of it'}"
