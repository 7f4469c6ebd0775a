"""Long computations in the event loop."""

import asyncio

from shared.runtime.projections.row_digest import digest_in_turns, digest_of
from shared.runtime.turns import AT_ONCE, in_turns


def test_others_go_on_between_two_slices() -> None:
    """Nothing is left out, and whatever is ready meanwhile runs after each slice."""

    async def work() -> list[int | str]:
        seen: list[int | str] = []

        async def other() -> None:
            while True:
                seen.append("other")
                await asyncio.sleep(0)

        beside = asyncio.create_task(other())
        async for some in in_turns(range(2 * AT_ONCE + 1)):
            seen += some
        beside.cancel()
        return seen

    first, second, last = range(AT_ONCE), range(AT_ONCE, 2 * AT_ONCE), 2 * AT_ONCE
    assert [*first, "other", *second, "other", last, "other"] == asyncio.run(work())


def test_rows_in_turns_have_the_digest_of_the_rows() -> None:
    rows = [f"({number})" for number in range(2 * AT_ONCE + 1)]
    assert digest_of("t", rows) == asyncio.run(digest_in_turns("t", rows))
    assert digest_of("t", []) == asyncio.run(digest_in_turns("t", []))
