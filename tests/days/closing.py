"""Compare how far a gaming day is closed with what the reference has seen of it."""

from collections.abc import Iterator, Sequence
from datetime import date

from services.table_inventory.domain.days import in_words
from shared.contracts.win import Missing, MissingKind
from tests.days.comparing import Seen


def unlike_closed(seen: Seen, day: date, left: Sequence[str], is_told_in_part: bool) -> Iterator[str]:
    """Return in words what kept a day from being closed, and was not seen; or was seen and did not keep it from that.

    `left` is what kept it from that.
    """
    lacks, said = {table: seen.lacks(table, day) for table in seen.tables}, "; ".join(left)
    if any(
        what == "opener" for of_table in lacks.values() for what, *_ in of_table
    ):  # what else it lacks, nobody knows
        if not left:
            yield f"{day} is closed, and nobody had opened it"
        return
    for table, of_table in lacks.items():
        for what, name, since in sorted(of_table):
            kind: MissingKind = what  # type: ignore[assignment]  # the reference has the words of the service
            words = in_words(table, Missing(what=kind, name=name, since=since), seen.tables[table].clock.zone)
            if words not in said:
                yield f"{day} lacks {words!r}, and to close it was refused for {said!r}"
    if left and not (any(lacks.values()) or is_told_in_part) and seen.was_recorded(day):
        yield f"{day} lacks nothing, and to close it was refused for {said!r}"
    if not left and (is_told_in_part or not seen.was_recorded(day)):
        yield f"{day} is closed, and {'not all of it was told' if is_told_in_part else 'nothing was recorded of it'}"
