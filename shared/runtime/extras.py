"""The extras of the package: what a service needs that others do not, and what is said where it is not installed.

An extra has the name of its service (pyproject.toml). The services that are not here need nothing beside the package.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "console": ("aiohttp", "jinja2", "vl_convert", "yarl"),
    "paytable-registry": ("typst",),
    "reporting": ("obstore", "pyarrow", "typst", "xlsxwriter"),
}
"""Service -> the packages of its extra, as they are imported."""


class ExtraMissing(Exception):
    """A package is not installed that is of an extra; the message says which."""


def require_extra(service: str) -> None:
    """Raise ExtraMissing unless all is installed that a service needs."""
    _require(EXTRAS.get(service, ()), service)


def require_package(package: str) -> None:
    """Raise ExtraMissing unless a package of an extra is installed."""
    _require((package,), next(name for name, packages in EXTRAS.items() if package in packages))


def _require(packages: tuple[str, ...], extra: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ExtraMissing(f"not installed: {', '.join(missing)}; install the extra: pip install 'pitledger[{extra}]'")
