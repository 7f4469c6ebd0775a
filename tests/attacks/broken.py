"""Point 6: `pitledger verify` on a journal that was cut off, rewritten or emptied, and on checkpoints that are gone."""

from collections.abc import Callable, Iterator
from shutil import rmtree
from typing import Any, Final
from urllib.parse import quote

from shared.journal.checkpoint import checkpoint_origin
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import Floor
from tests.attacks.forging import rewritten
from tests.attacks.naming import not_verified
from tests.attacks.outcome import NO_READYZ, Attempt, Sign
from tests.attacks.pace import AT_ONCE
from tests.attacks.stack import Attacked
from tests.attacks.watching import Says, watching

_SHARDS: Final = "SELECT shard, name, next_offset, next_seq, head, seal FROM round_settlement.shards"
_LONGEST: Final = "SELECT shard, name FROM round_settlement.shards ORDER BY next_seq DESC LIMIT 1"
_MOST: Final = """
    SELECT name, count(*) FROM round_settlement.checkpoints JOIN round_settlement.shards USING (shard)
    GROUP BY name ORDER BY 2 DESC LIMIT 1"""
_BACK: Final = """
    UPDATE round_settlement.shards SET next_offset = %s, next_seq = %s, head = %s, seal = %s WHERE shard = %s"""
_CUT: Final = "DELETE FROM round_settlement.entries WHERE shard = %s AND seq >= %s"
_RELAYED: Final = "UPDATE round_settlement.relay SET published_seq = least(published_seq, %s) WHERE shard = %s"
_NOT_SEEN: Final = "the rows are as they were: only `verify` reads what is outside the database"


def journals(floor: Floor) -> Iterator[Attempt]:
    """Delete checkpoints, verify without any, rewrite a chain, delete a shard, cut off the last entry.

    What was cut off is read and recorded again, and the others find that it is not what they took: a stack that
    nobody goes on with.
    """
    attacked = floor.attacked
    yield _without(floor)
    yield _not_configured(attacked)
    for what, prepared, text in (
        ("a whole chain rewritten: every hash, the head", _rewritten, "not those of the signed checkpoint"),
        ("all rows of a shard deleted", _emptied, "the database does not have it"),
        ("the last entry cut off, its shard put back as it stood before, seal and all", _cut_off, "covers"),
    ):
        attack = prepared(floor)
        floor.settled()
        named = not_verified(SETTLEMENT, Says(("verify",), 1, text))
        with attacked.mended(SETTLEMENT):
            with watching(attacked, named) as watch:
                attack()
            yield watch.attempt(6, what, "found", "verification against what was signed")


def _cut_off(floor: Floor) -> Callable[[], None]:
    attacked = floor.attacked
    before: dict[int, tuple[Any, ...]] = {row[0]: row for row in attacked.rows(_SHARDS)}
    floor.play(1)
    floor.settled()
    [moved] = [row for row in attacked.rows(_SHARDS) if before[row[0]][3] < row[3]]
    shard, _, *stood = before[moved[0]]

    def attack() -> None:
        with attacked.superuser() as connection:
            connection.execute(_CUT.encode(), [shard, stood[1]])
            connection.execute(_BACK.encode(), [*stood, shard])
            connection.execute(_RELAYED.encode(), [stood[1] - 1, shard])

    return attack


def _rewritten(floor: Floor) -> Callable[[], None]:
    def attack() -> None:
        rewritten(floor.attacked.superuser_url, SETTLEMENT)

    return attack


def _emptied(floor: Floor) -> Callable[[], None]:
    def attack() -> None:
        [(shard, _)] = floor.attacked.rows(_LONGEST)
        with floor.attacked.superuser() as connection:
            for table in ("entries", "relay", "checkpoints", "verified", "shards"):
                connection.execute(f"DELETE FROM round_settlement.{table} WHERE shard = %s".encode(), [shard])

    return attack


def _without(floor: Floor) -> Attempt:
    """Delete the checkpoints of a shard from the directory: the service has signed more than one, as it does again."""
    attacked = floor.attacked
    while (most := attacked.rows(_MOST))[0][1] == 1:
        floor.play(1)
        floor.settled()
    origin = checkpoint_origin(SETTLEMENT, most[0][0])
    found = attacked.directory / "run" / "checkpoints" / quote(origin, safe="")
    aside = attacked.directory / "aside"
    found.rename(aside)
    try:
        ended = attacked.command("verify")
    finally:
        rmtree(found, ignore_errors=True)  # its service signs the latest again
        aside.rename(found)
    what = "the signed checkpoints of a shard deleted from the directory"
    return _only_verify(what, "which the database lists, is not kept", ended)


def _not_configured(attacked: Attacked) -> Attempt:
    ended = attacked.command("verify", PITLEDGER_CHECKPOINT_DIRECTORY=None)
    return _only_verify("verified without any checkpoints configured", "NOT COMPARED with signed checkpoints", ended)


def _only_verify(what: str, text: str, ended: Any) -> Attempt:
    line = next((line.strip()[:200] for line in ended.said.splitlines() if text in line), None)
    missing = line is None or ended.code != 1
    said = f"`pitledger verify` exit {ended.code}: {line or ended.said[-300:]}"
    signs = {name: Sign(_NOT_SEEN) for name in ("metric", "alert", "log")} | {"readyz": Sign(NO_READYZ)}
    signs["verify"] = Sign(said, ended.seconds, missing=missing)
    return Attempt(6, what, "found", "pitledger verify", *AT_ONCE, signs, [said] if missing else [])
