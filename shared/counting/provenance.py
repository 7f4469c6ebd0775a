"""Where counted numbers come from, as the head of the file that keeps them."""

import json
from typing import NamedTuple


class Provenance(NamedTuple):
    """What was counted and how many deals, by which command, which counter and in what time."""

    what: str
    name: str
    deals: int
    counter: str
    seconds: int

    def text(self) -> str:
        """Return the head of a file."""
        return "counted:\n" + "".join(f"  {name}: {json.dumps(fact)}\n" for name, fact in self._facts().items())

    def comment(self) -> str:
        """Return the head of a file that holds the counts alone."""
        return "".join(f"# {name}: {fact}\n" for name, fact in self._facts().items())

    def _facts(self) -> dict[str, str | int]:
        return {
            "what": self.what,
            "command": f"pitledger payback recompute {self.name}",
            "deals": self.deals,
            "counter": self.counter,
            "seconds": self.seconds,
        }
