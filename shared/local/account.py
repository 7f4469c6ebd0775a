"""The account under which a server runs if this process is root, and the directories that the account can reach.

PostgreSQL refuses to run as root. `nobody` exists on every Unix, so no account has to be created.
"""

import os
import pwd
import shutil
import stat
import tempfile
from pathlib import Path

from shared.local.errors import LocalStackError
from shared.local.process import OsAccount

_UNPRIVILEGED = "nobody"


def unprivileged_account() -> OsAccount | None:
    """Return the account for a server that refuses to run as root; None if this process is not root."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam(_UNPRIVILEGED)
    return OsAccount(uid=entry.pw_uid, gid=entry.pw_gid)


def can_traverse(account: OsAccount, path: Path) -> bool:
    """Return whether the mode bits of every directory above `path` let the account reach it."""
    for parent in path.resolve().parents:
        status = parent.stat()
        needed = stat.S_IXUSR if status.st_uid == account.uid else stat.S_IXOTH
        if not status.st_mode & needed:
            return False
    return True


def temporary_directory(prefix: str, account: OsAccount | None) -> Path:
    """Return a new directory that only the account can use, in a temporary directory that the account can reach.

    Raises: LocalStackError if the account can reach no temporary directory.
    """
    for candidate in (tempfile.gettempdir(), "/tmp", "/var/tmp"):  # noqa: S108 - mkdtemp makes a private one in it
        root = Path(candidate)
        if account is None or (root.is_dir() and can_traverse(account, root / prefix)):
            directory = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
            give_to(account, directory)
            return directory
    raise LocalStackError(
        f"user {_UNPRIVILEGED!r}, which runs servers that refuse root, can reach no temporary directory "
        f"(tried {tempfile.gettempdir()}, /tmp, /var/tmp): set TMPDIR to one that all may enter"
    )


def require_reachable(account: OsAccount | None, directory: Path) -> None:
    """Raise `LocalStackError` unless the account can reach the directory."""
    if account is not None and not can_traverse(account, directory):
        raise LocalStackError(
            f"data directory {directory}: user {_UNPRIVILEGED!r}, under which PostgreSQL runs when started by root, "
            "cannot reach it: choose one below directories that all may enter, such as /var/lib/pitledger"
        )


def give_to(account: OsAccount | None, directory: Path) -> None:
    """Make the account the owner of a directory."""
    if account is not None:
        os.chown(directory, account.uid, account.gid)


def write_private(account: OsAccount | None, file: Path, text: str) -> None:
    """Write a file that only the account may read."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        os.fchmod(opened.fileno(), 0o600)
        if account is not None:
            os.fchown(opened.fileno(), account.uid, account.gid)
        opened.write(text)


def remove(directory: Path) -> None:
    """Delete a directory with its contents; ignore errors, because another process may delete it at the same time."""
    shutil.rmtree(directory, ignore_errors=True)
