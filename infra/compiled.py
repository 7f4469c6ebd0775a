"""Record the sources for which `make compiled` has run every test of the rules with compiled rules.

Compiling takes minutes, too long for every test run. The tests therefore only compare `compiled.sha256`, the digest of
the sources and of the compiler version, with the current sources.
"""

import re
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
DONE = ROOT / "infra" / "compiled.sha256"
_COMPILER = re.compile(r"^mypy==.*$", re.MULTILINE)


def digest() -> str:
    """Return the SHA-256 (hexadecimal) of the card and rules sources, of setup.py, and of the compiler version."""
    found = sha256()
    sources = sorted(path for package in ("cards", "rules") for path in (ROOT / "shared" / package).rglob("*.py"))
    for path in (ROOT / "setup.py", *sources):
        found.update(f"{path.relative_to(ROOT)}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    found.update("\n".join(_COMPILER.findall((ROOT / "constraints.txt").read_text())).encode())
    return found.hexdigest()


def main() -> int:
    """Record that the compiled rules passed all tests."""
    DONE.write_text(f"{digest()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
