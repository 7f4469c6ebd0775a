"""The schedule: reports of sealed days are delivered, and again when they are restated."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import event, text

from services.reporting import evidence, schedule
from services.reporting.delivery import DeliveryError, open_store, verify_delivery
from services.reporting.evidence import evaluate_sealed
from services.reporting.ingest.progress import PROGRESS
from services.reporting.schedule import deliver_sealed, wanted_reports
from shared.journal.signed_note import Signer
from shared.runtime.background.leader import leadership
from shared.runtime.errors import FatalServiceError
from tests.support.properties import property_event
from tests.support.reporting import Books
from tests.unit.reporting.entries import DAY, NOON, Event, day_closed, total

SIGNER = Signer.generate("pitledger/reporting")


_READ = {("settlements", 0): 0.0, ("inventory", 0): 0.0}
"""Nothing waits on any partition."""


def _deliver(books: Books, folder: Path, behind: Mapping[tuple[str, int], float] = _READ) -> int:
    wanted = wanted_reports("master-game:json+csv")
    context = replace(books.desk.context, behind=lambda: behind)
    books.desk.client.run(PROGRESS.note(context))
    return books.desk.client.run(deliver_sealed(context, str(folder), wanted, SIGNER))


def _evaluate(books: Books, behind: Mapping[tuple[str, int], float] = _READ) -> int:
    context = replace(books.desk.context, behind=lambda: behind)
    books.desk.client.run(PROGRESS.note(context))
    return books.desk.client.run(evaluate_sealed(context))


def test_a_sealed_day_is_delivered_once_and_each_restatement_once(books: Books, tmp_path: Path) -> None:
    """Nothing before the seal; then every version of the day, signed, and none of them twice."""
    books.desk.feed("settlements", books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=100))
    assert 0 == _deliver(books, tmp_path)
    books.desk.feed("inventory", day_closed(2, "final", seconds=100))
    assert [1, 0] == [_deliver(books, tmp_path), _deliver(books, tmp_path)]
    books.desk.feed("settlements", books.reversed(102, "BJ-01", [total(handle=100)], round_id="r-1"))
    assert [1, 0] == [_deliver(books, tmp_path), _deliver(books, tmp_path)]
    found = verify_delivery(open_store(str(tmp_path)), [SIGNER.verifier])
    assert (2, 4, ()) == (found.manifests, found.files, found.problems)
    names = sorted(path.name.partition("-2026")[0] for path in (tmp_path / "riverside" / DAY).iterdir())
    assert ["master-game-v1", "master-game-v1", "master-game-v2", "master-game-v2"] == names


def test_a_day_that_was_sealed_just_now_waits(books: Books, tmp_path: Path) -> None:
    """Other journals may not have been read yet: the delay of the settings passes first."""
    now = books.desk.context.clock() - NOON - timedelta(seconds=1)
    books.desk.feed("inventory", day_closed(1, "preliminary"), day_closed(2, "final", seconds=int(now.total_seconds())))
    assert 0 == _deliver(books, tmp_path)


@pytest.mark.parametrize("waits_seconds", [1e9, math.inf])
def test_nothing_is_said_of_a_sealed_day_while_journals_are_still_read(
    books: Books, tmp_path: Path, waits_seconds: float
) -> None:
    """Its rounds may be among the records that wait, however long ago it was sealed; so with its tests."""
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=1), day_closed(2, "final", seconds=1))
    reading = {**_READ, ("settlements", 0): waits_seconds}
    assert (0, 0) == (_deliver(books, tmp_path, reading), _evaluate(books, reading))
    assert (1, 1) == (_deliver(books, tmp_path), _evaluate(books))


def test_what_other_processes_read_counts_too(books: Books, tmp_path: Path) -> None:
    """A process that has read its own partitions waits for the rest: one that is behind, one that nobody has.

    Once the last is read, whichever process looks goes on; what one has read stays read when its partition moves.
    """
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=1), day_closed(2, "final", seconds=1))
    mine = {("settlements", 0): 0.0, ("settlements", 1): math.inf, ("inventory", 0): 0.0}
    other = {("settlements", 0): math.inf, ("settlements", 1): 1e9, ("inventory", 0): math.inf}
    assert (0, 0) == (_deliver(books, tmp_path, mine), _evaluate(books, mine))
    assert (0, 0) == (_deliver(books, tmp_path, other), _evaluate(books, mine))
    nobodys = {**other, ("settlements", 1): 0.0, ("settlements", 2): math.inf}
    assert (0, 0) == (_evaluate(books, nobodys), _deliver(books, tmp_path, mine))
    moved = {("settlements", 0): 1e9, ("settlements", 2): 0.0}
    assert 0 == _deliver(books, tmp_path, {})  # a process that starts says nothing, and asks the others' rows
    assert (1, 1) == (_deliver(books, tmp_path, moved), _evaluate(books, mine))


@pytest.mark.parametrize(("work", "table"), [(evidence, "evidence_days"), (schedule, "deliveries")])
def test_one_process_does_what_follows_from_a_seal(
    books: Books, tmp_path: Path, work: ModuleType, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another tests and delivers, this one asks again and again; it does what is left once that has ended."""
    monkeypatch.setattr(work, "_SECONDS", 0.01)
    key = tmp_path / "key.pem"
    SIGNER.to_pem(key)
    asked = list[str]()
    own, rows = books.desk.context, f"SELECT count(*) FROM reporting.{table}"
    settings = own.settings.model_copy(
        update={"reports_store": str(tmp_path / "store"), "reports": "master-game:csv", "checkpoint_key_file": key}
    )
    context = replace(own, settings=settings)
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=1), day_closed(2, "final", seconds=1))

    def note(*said: Any) -> None:
        asked.extend(["lock"] if "pg_try_advisory_lock" in said[2] else [])

    async def count() -> int:
        async with context.pools.background.connect() as connection:
            return int((await connection.execute(text(rows))).scalar_one())

    async def main() -> None:
        await PROGRESS.note(context)
        async with asyncio.timeout(60):
            async with leadership(context.pools.background, work.WORK) as is_others:
                assert await is_others()
                event.listen(context.pools.background.sync_engine, "before_cursor_execute", note)
                watching = asyncio.create_task(work.watch(context))
                while len(asked) < 3:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.001)
                assert 0 == await count()
            while not await count():  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.001)
        watching.cancel()
        await asyncio.wait([watching])  # it gives its connection back before the loop ends

    books.desk.client.run(main())


def test_a_day_is_looked_at_again_only_for_what_came_later(books: Books, tmp_path: Path) -> None:
    """What makes no version of a sealed day is looked at once, and so is each restatement."""
    looks = list[str]()

    def note(*said: Any) -> None:
        looks.extend(["stage"] if "bool_or(m.last_recorded" in said[2] else [])

    event.listen(books.desk.context.pools.background.sync_engine, "before_cursor_execute", note)
    books.desk.feed("settlements", books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=100), day_closed(2, "final", seconds=100))
    books.desk.feed("settlements", books.reversed(102, "BJ-01", [total(handle=100)], round_id="r-1"))
    assert [1, 0] == [_deliver(books, tmp_path), _deliver(books, tmp_path)]
    before = len(looks)
    assert 0 == _deliver(books, tmp_path)
    assert before == len(looks) > 0


def test_a_store_that_is_away_stops_nothing(books: Books, tmp_path: Path) -> None:
    """It is an error that is tried again: once the store is there, the day is delivered."""
    store = tmp_path / "store"
    store.write_text("a file where the folder should be")
    books.desk.feed("inventory", day_closed(1, "preliminary", seconds=1), day_closed(2, "final", seconds=1))
    with pytest.raises(DeliveryError, match="store"):
        _deliver(books, store)
    store.unlink()
    assert 1 == _deliver(books, store)


def test_a_property_that_is_not_known_keeps_nobody_waiting(books: Books, tmp_path: Path) -> None:
    """Its gaming day, which was sealed first, is delivered once its document has come."""
    for number, name in enumerate(("elsewhere", "riverside")):
        for step in ("preliminary", "final"):
            books.desk.feed("inventory", _closed(2 * number + (step == "final") + 1, step, name))
    assert [1, 0] == [_deliver(books, tmp_path), _deliver(books, tmp_path)]
    assert not (tmp_path / "elsewhere").exists()
    books.desk.feed("properties", property_event("elsewhere", sequence=3))
    assert [1, 0] == [_deliver(books, tmp_path), _deliver(books, tmp_path)]
    assert (tmp_path / "elsewhere" / DAY).is_dir()


def _closed(sequence: int, step: str, name: str) -> Event:
    return day_closed(sequence, step, seconds=sequence, property_name=name)


@pytest.mark.parametrize("listed", ["master-gain:pdf", "master-game:doc", "master-game"])
def test_a_setting_that_names_no_report_or_format_stops_the_service(listed: str) -> None:
    """It says what there is."""
    with pytest.raises(FatalServiceError, match="master-game"):
        wanted_reports(listed)
