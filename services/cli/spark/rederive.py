"""`pitledger spark rederive`: derive every archived settlement again from the round that it contains."""

from typing import TYPE_CHECKING, Annotated, Final

import typer
from pydantic import ValidationError

from services.cli.archive.options import StorePlace
from services.cli.archive.sql import write_answer
from services.cli.documents import read_document
from services.cli.exits import ExitCode, InputRefused
from services.cli.output import AsJson, message
from services.cli.spark.options import Alone, Conf, First, Form, Last, Master, Output, Properties, reading_of

if TYPE_CHECKING:
    from services.cli.spark.archive import Archive
    from shared.contracts.submissions import SubmissionApproved

_REGISTRY: Final = "paytable-registry"
_KEY: Final = "property, gaming_day, shard_name, seq, table_name, round_id, what"

DERIVED: Final = f"""
    SELECT {_KEY}, CAST(sum(entries) AS BIGINT) AS entries FROM derived GROUP BY {_KEY} ORDER BY {_KEY}"""  # noqa: S608 - our own names
"""The statement about `derived`: a row for each difference, and one with the number of entries for each day."""


def rederive(
    submissions: Annotated[
        list[str] | None,
        typer.Option(
            "--submission",
            metavar="FILE",
            help="An approved rules submission that is not in the archive, YAML or JSON; may be repeated.",
        ),
    ] = None,
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

    given = [_approved(file) for file in submissions or ()]
    with reading_engine(reading) as (archive, engine):
        folder = archive.store.folder()
        read = archive.store.read if folder is None else FolderReader(folder)
        work = DeriveAgain([*_archived(archive), *given], archive.accounts_by_day(), read)
        engine.declare("derived", work, POSTED)
        answer = engine.answer(DERIVED)
    is_difference = [bool(what) for what in answer.column("what").to_pylist()]
    entries = sum(answer.column("entries").to_pylist())
    write_answer(answer.filter(is_difference).drop_columns(["entries"]), "json" if as_json else form, output)
    message(f"{entries:,} settlements derived again, {sum(is_difference):,} differ")
    return ExitCode.NOT_AS_IT_SHOULD_BE if any(is_difference) else ExitCode.FINE


def _approved(file: str) -> "SubmissionApproved":
    """Return an approved submission from a file. Raises: InputRefused if it is none, or its hash is wrong."""
    from services.cli.spark.rounds import is_hashed
    from shared.contracts.submissions import SubmissionApproved
    from shared.rules.errors import refused_by_validation

    document = read_document(file)
    try:
        approved = SubmissionApproved.model_validate(document)
    except ValidationError as error:
        raise InputRefused(f"{file}: {refused_by_validation(error, document)}") from None
    if not is_hashed(approved):
        raise InputRefused(f"{file}: its content does not have the hash {approved.hash}")
    return approved


def _archived(archive: "Archive") -> "list[SubmissionApproved]":
    """Return the approved submissions in the registry's archived journal, of all days.

    A submission with another hash than its content's is left out: entries that name it are then differences.
    """
    from services.cli.spark.rounds import is_hashed
    from shared.contracts.submissions import SubmissionApproved
    from shared.contracts.upcasting import upcast_data

    files = [one for one in archive.files["entries"] if one.file.service == _REGISTRY]
    found = [
        SubmissionApproved.model_validate_json(upcast_data(kind, data))
        for batch in archive.batches(files, ("kind", "data"), SubmissionApproved.KIND.types)
        for kind, data in zip(batch.column("kind").to_pylist(), batch.column("data").to_pylist(), strict=True)
    ]
    return [one for one in found if is_hashed(one)]
