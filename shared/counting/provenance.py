"""The provenance of counted numbers, as the head of the file that contains them."""

import json
from typing import NamedTuple


class Provenance(NamedTuple):
    """The provenance of counts: subject, command and program, number of deals, and duration in seconds."""

    what: str
    name: str
    deals: int
    counter: str
    seconds: int

    def text(self) -> str:
        """Return the provenance as text for the head of a file."""
        return "counted:\n" + "".join(f"  {name}: {json.dumps(fact)}\n" for name, fact in self._facts().items())

    def comment(self) -> str:
        """Return the provenance as a comment for the head of a file that contains only counts."""
        return "".join(f"# {name}: {fact}\n" for name, fact in self._facts().items())

    def _facts(self) -> dict[str, str | int]:
        return {
            "what": self.what,
            "command": f"pitledger payback recompute {self.name}",
            "deals": self.deals,
            "counter": self.counter,
            "seconds": self.seconds,
        }
