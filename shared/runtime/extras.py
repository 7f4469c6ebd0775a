"""The package's extras: optional dependencies of single services, and the error if they are not installed.

An extra has the name of its service or command (pyproject.toml). Services that are not listed here need no extra.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "console": ("aiohttp", "jinja2", "vl_convert", "yarl"),
    "paytable-registry": ("typst",),
    "reporting": ("obstore", "pyarrow", "typst", "xlsxwriter"),
}
"""Modules of each extra, by the service that needs it."""

OF_COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "archive": ("adbc_driver_postgresql", "duckdb", "obstore", "pyarrow", "pyiceberg"),
    "spark": ("duckdb", "obstore", "pandas", "pyarrow", "pyiceberg", "pyspark"),
}
"""Modules of the extras that no service needs, by the name of the extra: those of `pitledger archive` and `sql`, and
those of `pitledger spark`."""


class ExtraMissing(Exception):
    """A package of an extra is not installed; the message names the package and the extra."""


def require_extra(service: str) -> None:
    """Raise ExtraMissing unless all packages that a service or command needs are installed."""
    _require(EXTRAS.get(service) or OF_COMMANDS.get(service, ()), service)


def require_package(package: str) -> None:
    """Raise ExtraMissing unless a package, which belongs to an extra, is installed."""
    _require((package,), next(name for name, packages in EXTRAS.items() if package in packages))


def _require(packages: tuple[str, ...], extra: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ExtraMissing(f"not installed: {', '.join(missing)}; install the extra: pip install 'pitledger[{extra}]'")
