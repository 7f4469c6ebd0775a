"""`pitledger spark rederive`: derive every archived settlement again from the round that it contains."""

from typing import Final

from services.cli.archive.options import StorePlace
from services.cli.archive.sql import write_answer
from services.cli.exits import ExitCode
from services.cli.output import AsJson, message
from services.cli.spark.options import Alone, Conf, First, Form, Last, Master, Output, Properties, reading_of
from services.cli.spark.submissions import Submissions, archived_submissions, read_approved

_KEY: Final = "property, gaming_day, shard_name, seq, table_name, round_id, what"

DERIVED: Final = f"""
    SELECT {_KEY}, CAST(sum(entries) AS BIGINT) AS entries FROM derived GROUP BY {_KEY} ORDER BY {_KEY}"""  # noqa: S608 - our own names
"""The statement about `derived`: a row for each difference, and one with the number of entries for each day."""


def rederive(
    submissions: Submissions = None,
    store: StorePlace = None,
    first: First = None,
    last: Last = None,
    properties: Properties = None,
    master: Master = "local[*]",
    conf: Conf = None,
    alone: Alone = False,
    form: Form = "table",
    output: Output = None,
    as_json: AsJson = False,
) -> int:
    """Derive every archived settlement again from its round, and list those that differ.

    Each entry's record is settled under the approved submission that the entry names, by its hash. Totals, lines,
    meters, notices, account credits and postings must be those of the archive, byte for byte. Submissions come from the
    registry's archived journal, and from --submission. Exit code 1 if an entry differs. Gaming day, revision and people
    are not derived: they depend on other events; `pitledger verify --rederive` has these.

    Example: pitledger spark rederive --store /mnt/archive --first 2026-01-01 --as csv -o differences.csv
    """
    reading = reading_of(store, first, last, properties, master, conf, alone)
    from services.cli.spark.archive import reading_engine
    from services.cli.spark.rounds import POSTED, DeriveAgain
    from services.cli.spark.work import FolderReader

    given = [read_approved(file) for file in submissions or ()]
    with reading_engine(reading) as (archive, engine):
        folder = archive.store.folder()
        read = archive.store.read if folder is None else FolderReader(folder)
        work = DeriveAgain([*archived_submissions(archive), *given], archive.accounts_by_day(), read)
        engine.declare("derived", work, POSTED)
        answer = engine.answer(DERIVED)
    is_difference = [bool(what) for what in answer.column("what").to_pylist()]
    entries = sum(answer.column("entries").to_pylist())
    write_answer(answer.filter(is_difference).drop_columns(["entries"]), "json" if as_json else form, output)
    message(f"{entries:,} settlements derived again, {sum(is_difference):,} differ")
    return ExitCode.NOT_AS_IT_SHOULD_BE if any(is_difference) else ExitCode.FINE
