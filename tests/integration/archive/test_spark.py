"""`pitledger spark`: Spark and a single process answer with the same bytes, from the files of the manifests alone."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pyspark
import pytest

from services.cli.main import main
from shared.journal.entry import Account, EntryDraft, Posting
from tests.integration.archive.conftest import copy_of
from tests.integration.archive.told import HAS_JAVA, RUN
from tests.support import Databases
from tests.support.archived import DAY, PROPERTY, SETTLEMENT, Casino
from tests.support.nightly import AT_NIGHT
from tests.support.rounds import submission
from tests.support.services import ROOT, query
from tests.unit.cli.calling import Called, Caller

ON_JAVA: Final = pytest.mark.skipif(not HAS_JAVA, reason="Java is not installed")
ALONE: Final = ("--single-process",)
SPARK: Final = (
    *("--master", "local[1]", "--conf", "spark.sql.shuffle.partitions=1"),
    *("--conf", "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1"),
)
"""Spark with one processor, for few rows."""

WIN: Final = f"""\
property,table_name,game,gaming_day,handle_cents,payout_cents,vigorish_cents,house_in_bank_cents,win_cents
riverside,BJ-01,blackjack,{DAY},120000,225000,0,0,-105000
riverside,BJ-02,blackjack,{DAY},60000,120000,0,0,-60000
riverside,BJ-03,blackjack,{DAY},10000,20100,0,0,-10100
"""
AMOUNTS: Final = "handle_cents,payout_cents,win_cents,other_handle_cents,other_payout_cents,other_win_cents"
WHATIF: Final = f"""\
property,table_name,wager,refused,rounds,{AMOUNTS}
riverside,BJ-01,blackjack,,12,120000,225000,-105000,120000,225000,-105000
riverside,BJ-02,blackjack,,6,60000,120000,-60000,60000,120000,-60000
riverside,BJ-03,blackjack,,1,10000,20100,-10100,10000,20000,-10000
"""
SEATS: Final = f"""\
property,table_name,game,gaming_day,opened_hour,seat,rounds,rounds_won,wagered_cents,received_cents,wagered_least_cents,wagered_most_cents
riverside,BJ-01,blackjack,{DAY},2026-11-20T10Z,1,12,11,120000,225000,10000,10000
riverside,BJ-02,blackjack,{DAY},2026-11-20T10Z,1,6,6,60000,120000,10000,10000
riverside,BJ-03,blackjack,{DAY},2026-11-20T10Z,1,1,1,10000,20000,10000,10000
"""
HITS: Final = "property,game,version,wager,row,wagers,hits,expected_hits,probability,too_often\n"
UNKNOWN: Final = "19 lines are left out, for nobody gave the submissions under which they were settled\n"
DIFFERENCES: Final = f"""\
property,gaming_day,shard_name,seq,table_name,round_id,what
riverside,{DAY},commands/0,1,BJ-03,BJ-03-r1,"derived again otherwise: totals, postings"
"""


@pytest.fixture(scope="module")
def store(first: Casino, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An archive of the sealed day, with a round that was not settled by the rules: one dollar more is paid."""
    made = copy_of(first, databases, tmp_path_factory.mktemp("planted"))
    folder = made.checkpoints.parent / "archive"
    made.record(SETTLEMENT, overpaid(made.url))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in made.environment(folder).items():
            patch.setenv(name, value)
        assert 0 == main(RUN)
    yield folder
    databases.drop(made.url)


def overpaid(url: str) -> EntryDraft:
    """A settlement like the first of BJ-01, of another table, whose payout is a dollar more than the rules say."""
    [(data,)] = query(
        url, "SELECT data::text FROM round_settlement.entries WHERE source LIKE '%BJ-01' AND sequence = 1"
    )
    said = json.loads(data) | {"table": "BJ-03", "round_id": "BJ-03-r1"}
    said["totals"][0]["payout_cents"] += 100
    amounts = (("blackjack", "handle", -10000), ("blackjack", "payout", 20100), ("", "chips", -10100))
    return EntryDraft(
        kind="settlement.posted",
        source=f"/properties/{PROPERTY}/tables/BJ-03",
        sequence=1,
        event_id="BJ-03-1",
        offset=None,
        gaming_day=DAY,
        occurred_at=datetime(2026, 11, 20, 10, 1, tzinfo=UTC),
        data=json.dumps(said, separators=(",", ":")).encode(),
        postings=tuple(Posting(Account(PROPERTY, "BJ-03", wager, leg), cents) for wager, leg, cents in amounts),
    )


def written(path: Path, **changes: Any) -> str:
    """The rules submission under which the rounds were played, approved, as a file."""
    path.write_text(json.dumps(submission(**changes)["data"]))
    return str(path)


def wanted(path: Path, **changes: Any) -> str:
    """A rules submission that nobody filed, of no property that is archived."""
    document = {"property": "elsewhere", "game": "blackjack", "regulation": "pa-633a-2024", "tables": ["T-1"]}
    path.write_text(
        json.dumps(document | {"effective_from": "2027-01-01T06:00:00Z", "submission": {"decks": 6}} | changes)
    )
    return str(path)


@pytest.fixture
def spark(pitledger: Caller, store: Path) -> "Asking":
    """Asks the archive."""
    return Asking(pitledger, store)


class Asking:
    """Calls commands of `pitledger spark` on an archive; the answer is CSV."""

    def __init__(self, pitledger: Caller, store: Path) -> None:
        self._pitledger, self.store = pitledger, store

    def __call__(self, command: str, *words: str) -> Called:
        return self._pitledger("spark", command, *words, "--store", str(self.store), "--as", "csv")


@ON_JAVA
def test_spark_answers_with_the_bytes_of_a_single_process(spark: Asking, tmp_path: Path) -> None:
    """Whole cents in one order; a round that was paid a dollar too much is named."""
    approved, other = written(tmp_path / "approved.json"), wanted(tmp_path / "other.json")
    for words, told in (
        (("win",), (0, WIN, "")),
        (("seats",), (0, SEATS, "")),
        (("hits", "--submission", approved), (0, HITS, "")),
        (("hits",), (0, HITS, UNKNOWN)),
        (("whatif", other), (0, WHATIF, "")),
        (("rederive", "--submission", approved), (1, DIFFERENCES, "20 settlements derived again, 1 differ\n")),
    ):
        alone, many = spark(*words, *ALONE), spark(*words, *SPARK)
        assert told == (alone.code, alone.stdout, alone.stderr)
        assert alone == many


def test_a_round_that_the_submission_does_not_allow_is_counted_by_reason(spark: Asking, tmp_path: Path) -> None:
    """It is in no amount; rounds that were reversed are not counted at all."""
    told = spark("whatif", wanted(tmp_path / "other.json", regulation="pa-633a-2011"), *ALONE)
    nothing = spark("whatif", wanted(tmp_path / "none.json", game="blackjack-switch"), *ALONE)

    reason = '"the round is one under pa-633a-2024, not under pa-633a-2011"'
    counted = [
        f"riverside,{table},,{reason},{rounds},0,0,0,0,0,0"
        for table, rounds in (("BJ-01", 12), ("BJ-02", 6), ("BJ-03", 1))
    ]
    assert counted == told.stdout.splitlines()[1:]
    assert 1 == len(nothing.stdout.splitlines())


def test_an_entry_whose_submission_nobody_has_is_named(spark: Asking, tmp_path: Path) -> None:
    """Without the approved submission, or with one of another hash, no entry passes; a wrong hash is refused."""
    without = spark("rederive", *ALONE)
    later = spark("rederive", "--submission", written(tmp_path / "later.json", submission={"decks": 8}), *ALONE)
    false = tmp_path / "false.json"
    false.write_text(json.dumps(submission()["data"] | {"submission": {"decks": 8}}))
    refused = spark("rederive", "--submission", str(false), *ALONE)

    assert [1, 1] == [without.code, later.code]
    assert without.stdout == later.stdout
    assert 20 == without.stdout.count("no approved submission blackjack version 1 with the hash")
    assert (3, True) == (refused.code, "its content does not have the hash" in refused.stderr)


def test_the_span_and_the_properties_are_those_of_the_options(spark: Asking) -> None:
    """Days that are not archived are said, and not taken for days without rounds."""
    assert WIN == spark("win", "--first", str(DAY), "--last", str(DAY), "--property", PROPERTY, *ALONE).stdout
    for words, code, said in (
        (("--first", "2026-11-21"), 4, "no round from 2026-11-21 is archived"),
        (("--property", "lakeside"), 4, "no round of lakeside is archived"),
        (("--first", "2026-11-21", "--last", "2026-11-20"), 2, "the last gaming day, 2026-11-20, is before the first"),
        (("--last", "yesterday"), 2, "--last 'yesterday': write YYYY-MM-DD"),
        (("--conf", "spark.cores"), 2, "--conf 'spark.cores': write NAME=VALUE"),
    ):
        called = spark("win", *words, *ALONE)
        assert (code, "") == (called.code, called.stdout)
        assert said in called.stderr


@pytest.mark.parametrize("engine", [ALONE, pytest.param(SPARK, marks=(AT_NIGHT, ON_JAVA))], ids=["alone", "spark"])
def test_files_that_are_not_those_of_the_manifests_are_refused(spark: Asking, engine: tuple[str, ...]) -> None:
    """A byte that changed and a file that is gone, before anything is added up."""
    manifest = json.loads((spark.store / "manifests/0000000001.json").read_text())
    [path] = [
        spark.store / one["path"]
        for one in manifest["files"]
        if (one["table"], one["service"]) == ("entries", SETTLEMENT)
    ]
    content = path.read_bytes()
    try:
        path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
        changed = spark("win", *engine)
        path.unlink()
        gone = spark("win", *engine)
    finally:
        path.write_bytes(content)

    assert [(1, ""), (1, "")] == [(one.code, one.stdout) for one in (changed, gone)]
    assert "the file is not what was archived; run: pitledger archive verify" in changed.stderr
    assert "the file is missing; run: pitledger archive verify" in gone.stderr


@AT_NIGHT
@ON_JAVA
def test_executors_of_a_cluster_answer_with_the_same_bytes(store: Path, tmp_path: Path) -> None:
    """Two executors, processes of their own, start the Python of the driver, which finds the package and the files."""
    home = tmp_path / "spark"  # executors leave their logs there
    home.mkdir()
    for one in Path(pyspark.__file__).parent.iterdir():
        (home / one.name).symlink_to(one)
    environment = os.environ | {"SPARK_HOME": str(home)}
    environment.pop("PYSPARK_PYTHON", None)
    words = ("rederive", "--submission", written(tmp_path / "approved.json"), "--store", str(store), "--as", "csv")
    command = [sys.executable, "-m", "services.cli.main", "spark", *words, "--master", "local-cluster[2,1,1024]"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)

    assert (1, DIFFERENCES) == (done.returncode, done.stdout), done.stderr


def test_what_spark_needs_is_said(store: Path, tmp_path: Path) -> None:
    """Java that is missing, or does not start, and a bucket, which Spark's wheel does not read: exit code 2."""
    java = tmp_path / "jdk/bin/java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    for changes, where, said in (
        ({"PATH": str(tmp_path)}, str(store), "Spark needs Java 17 or later, and there is none on the PATH"),
        ({"JAVA_HOME": str(tmp_path)}, str(store), f"there is none in JAVA_HOME, {tmp_path}"),
        (
            {"JAVA_HOME": str(tmp_path / "jdk")},
            str(store),
            f"Spark does not start with {java} and --master local[*]: [JAVA_GATEWAY_EXITED]",
        ),
        ({}, "s3://archive/pit", "reads no bucket"),
    ):
        command = [sys.executable, "-m", "services.cli.main", "spark", "win", "--store", where]
        done = subprocess.run(command, env=environment | changes, capture_output=True, text=True, cwd=ROOT)
        assert (2, "") == (done.returncode, done.stdout)
        assert said in done.stderr.splitlines()[-1]
