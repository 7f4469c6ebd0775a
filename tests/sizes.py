"""Measure what each extra installs: `python -m tests.sizes`, minutes; docs/operate/install.md has its figures.

Each is installed into an environment of its own, from this source tree and in the versions of constraints.txt.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from shared.runtime.extras import EXTRAS, OF_COMMANDS

_ROOT = Path(__file__).parents[1]


def size_mb(extra: str | None) -> int:
    """Return what an environment with the package and an extra takes on the disk, in MB of 2**20 bytes, without pip."""
    wanted = f"{_ROOT}[{extra}]" if extra else str(_ROOT)
    with tempfile.TemporaryDirectory(prefix="pitledger-size-") as home:
        venv.create(home, with_pip=False)
        pip = [sys.executable, "-m", "pip", f"--python={home}/bin/python", "install", "--quiet", "--no-compile"]
        subprocess.run([*pip, "-c", str(_ROOT / "constraints.txt"), wanted], check=True)
        return sum(512 * path.lstat().st_blocks for path in Path(home).rglob("*")) >> 20


def main() -> None:
    """Print a line for each extra that a server has, and one for none."""
    for extra in (None, *EXTRAS, *OF_COMMANDS, "services", "embedded"):
        sys.stdout.write(f"{f'pitledger[{extra}]' if extra else 'pitledger'}: {size_mb(extra)} MB\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
