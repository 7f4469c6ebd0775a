"""`pitledger version`, and the option `--version`."""

import platform
from importlib import metadata

from services.cli.output import AsJson, print_json


def version(as_json: AsJson = False) -> None:
    """Print the version.

    Example: pitledger version --json
    """
    found = metadata.version("pitledger")
    if as_json:
        print_json({"version": found, "python": platform.python_version()})
    else:
        print(f"pitledger {found} (Python {platform.python_version()})")  # noqa: T201 - the data of this command
