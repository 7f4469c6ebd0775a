"""For which rules the compiled ones were last held to every test of the rules: `make compiled` writes it down.

To compile takes minutes of a processor, too long for every run of the tests. So these ask only whether it was done for
the rules as they are: `compiled.sha256` is the digest of what is compiled, and of what compiles it.
"""

import re
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
DONE = ROOT / "infra" / "compiled.sha256"
_COMPILER = re.compile(r"^mypy==.*$", re.MULTILINE)


def digest() -> str:
    """Return the SHA-256 of the cards and rules with the list of what stays plain, and of the compiler's version."""
    found = sha256()
    sources = sorted(path for package in ("cards", "rules") for path in (ROOT / "shared" / package).rglob("*.py"))
    for path in (ROOT / "setup.py", *sources):
        found.update(f"{path.relative_to(ROOT)}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    found.update("\n".join(_COMPILER.findall((ROOT / "constraints.txt").read_text())).encode())
    return found.hexdigest()


def main() -> int:
    """Write down that the compiled rules have passed."""
    DONE.write_text(f"{digest()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
