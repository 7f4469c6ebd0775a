"""The approved rules submissions under which archived rounds were settled: of the archive, and of files."""

from typing import TYPE_CHECKING, Annotated, Final

import typer
from pydantic import ValidationError

from services.cli.documents import read_document
from services.cli.exits import InputRefused

if TYPE_CHECKING:
    from services.cli.spark.archive import Archive
    from shared.contracts.submissions import SubmissionApproved

Submissions = Annotated[
    list[str] | None,
    typer.Option(
        "--submission",
        metavar="FILE",
        help="An approved rules submission that is not in the archive, YAML or JSON; may be repeated.",
    ),
]
_REGISTRY: Final = "paytable-registry"


def read_approved(file: str) -> "SubmissionApproved":
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


def archived_submissions(archive: "Archive") -> "list[SubmissionApproved]":
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
