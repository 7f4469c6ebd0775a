"""`pitledger verify-reports`: verify reports delivered to a folder or bucket with only the public key."""

from typing import Annotated

import typer

from services.cli.exits import CheckFailed, NotFound, UsageWrong
from services.cli.operations.keys import Keys, read_verifiers
from services.cli.output import AsJson, message, print_json, print_line
from shared.runtime.extras import require_package


def verify_reports(
    store: Annotated[
        str,
        typer.Argument(
            metavar="STORE", help="Store of the delivered reports: a folder, file:///folder or s3://bucket/prefix."
        ),
    ],
    keys: Keys = None,
    as_json: AsJson = False,
) -> None:
    """Verify delivered reports: signed manifests, every file that they list, and no other files.

    A bucket is accessed with the AWS_* environment variables. Exit code 1 if something differs from what was delivered.

    Example: pitledger verify-reports /srv/reports --key verifiers.txt
    """
    require_package("obstore")
    from obstore.exceptions import BaseError

    from services.reporting.delivery import DeliveryError, open_store, verify_delivery

    if not keys:
        raise UsageWrong("--key is missing: give the verifier key of the reporting service, or a file with it")
    try:
        found = verify_delivery(open_store(store), read_verifiers(keys))
    except DeliveryError as error:
        raise UsageWrong(str(error)) from error
    except BaseError as error:
        raise NotFound(f"{store}: {error}") from error
    if as_json:
        print_json({"manifests": found.manifests, "files": found.files, "problems": list(found.problems)})
    else:
        for problem in found.problems:
            print_line(problem)
        message(f"{store}: {found.manifests} manifests, {found.files} files")
    if found.problems:
        raise CheckFailed(f"{len(found.problems)} things are not as they were delivered")
