"""`pitledger sql`, and the examples of the reference in each engine."""

import re
from datetime import date
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from shared.journal.archive.manifest import DayManifest
from tests.integration.archive.told import HAS_JAVA, answers
from tests.support.archived import DAY
from tests.support.services import ROOT
from tests.unit.cli.calling import Caller


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("COPY entries TO '/tmp/never.csv'", "give one SELECT statement"),
        ("COPY entries TO '/tmp/never.csv' (USE_TMP_FILE false)", "give one SELECT statement"),
        ("SELECT 1; SELECT 2", "give one SELECT statement"),
        ("SELECT * FROM read_csv('/etc/hostname')", "disabled by configuration"),
        ("SELECT * FROM nothing", "Catalog Error"),
        ("SELEC 1", "Parser Error"),
        ("SELECT sum(9223372036854775807::BIGINT) FROM range(2)", "does not fit into BIGINT"),
    ],
)
def test_only_questions_are_answered(first_store: Path, pitledger: Caller, question: str, said: str) -> None:
    """Nothing is written, and no other file is read."""
    called = pitledger("sql", question, "--store", str(first_store))

    assert (3, "") == (called.code, called.stdout)
    assert said in called.stderr


def test_answers_have_types_that_readers_take(first_store: Path, pitledger: Caller, tmp_path: Path) -> None:
    """A sum of cents is a BIGINT in Parquet, not a floating-point number."""
    file = tmp_path / "sums.parquet"
    question = "SELECT leg, sum(cents) AS cents, max(gaming_day) AS day FROM postings GROUP BY 1 ORDER BY 1"
    store = ("--store", str(first_store))
    written = pitledger("sql", question, "--as", "parquet", "-o", str(file), *store)
    csv = pitledger("sql", question, "--as", "csv", *store)

    assert 0 == written.code
    assert pyarrow.int64() == parquet.read_schema(file).field("cents").type
    assert ["leg,cents,day", "chips,-165000,2026-11-20"] == csv.stdout.splitlines()[:2]


def test_dates_are_those_of_the_journal(first_store: Path, pitledger: Caller) -> None:
    """Days come as dates and moments in UTC."""
    [row] = answers(
        pitledger, "SELECT gaming_day, min(occurred_at) AS first FROM entries WHERE shard > 0 GROUP BY 1", first_store
    )

    assert (str(DAY), "2026-11-20T10:01:00+00:00") == (row["gaming_day"], row["first"])
    assert date.fromisoformat(str(row["gaming_day"])) == DAY


PAGE = ROOT / "docs/reference/archive.md"


@pytest.mark.parametrize("question", re.findall(r"```sql\n(.*?)\n```", PAGE.read_text(), flags=re.DOTALL))
def test_questions_of_the_reference_are_answered(first_store: Path, pitledger: Caller, question: str) -> None:
    """As they stand there."""
    assert [] != answers(pitledger, question, first_store)


@pytest.mark.parametrize("example", re.findall(r"```python\n(.*?)\n```", PAGE.read_text(), flags=re.DOTALL))
def test_python_of_the_reference_runs(first_store: Path, example: str) -> None:
    """As it stands there, with each engine that is installed: the cents of all postings sum to zero."""
    engine = re.findall(r"^import (\w+)", example, flags=re.MULTILINE)[0]
    pytest.importorskip(engine)
    if engine == "pyspark" and not HAS_JAVA:
        pytest.skip("Java is not installed")
    manifest = DayManifest.read((first_store / "manifests/0000000001.json").read_bytes())
    [entries] = [one for one in manifest.tables if one.name == "entries"]
    given: dict[str, object] = {"metadata": str(first_store / entries.metadata)}
    exec(compile(example, PAGE, "exec"), given)

    assert [(DAY, 0)] == given["answer"]
