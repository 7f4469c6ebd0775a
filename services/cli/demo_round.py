"""One round of the demo for people: what became of it in the journal, the cards, and what they came to."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import yaml

from services.cli.lines import lines_table
from services.cli.output import dollars, heading, printable, table

if TYPE_CHECKING:
    from rich.console import RenderableType


def show_round(example: Mapping[str, Any]) -> Iterator["RenderableType"]:
    """The document of `pitledger reconstruct` in short: its entries, and the one whose money stands in full."""
    yield heading(f"One round, from the cards to the books: pitledger reconstruct {example['round_id']}")
    yield table(
        [("Entry", "number"), ("What", "name"), ("Chips", "number"), ("Why", "words"), ("Hash", "name")],
        [_entry(entry) for entry in example["entries"]],
    )
    stands = next(
        entry for entry in example["entries"] if (entry["shard"], entry["seq"]) == (example["shard"], example["seq"])
    )
    record, submission = stands["data"]["record"], stands["submission"]
    yield _printable(yaml.safe_dump(record, sort_keys=False, default_flow_style=None, width=96))
    yield lines_table(stands["data"]["lines"])
    verdict = "the same lines and meters" if stands["settles_again"] else "NOT the lines or meters that were recorded"
    yield (
        f"Settled again under {submission['regulation']}, version {submission['version']} of "
        f"{submission['game']}, approved by {submission['approved_by']}: {verdict}"
    )
    yield ""


def _printable(text: str) -> str:
    """The lines of a text without what would steer a terminal."""
    return "\n".join(printable(line) for line in text.splitlines())


def _entry(entry: Mapping[str, Any]) -> list[str]:
    chips = sum(posting["cents"] for posting in entry["postings"] if posting["leg"] == "chips")
    why = entry["data"].get("correction", {}).get("reason", "")
    verified = "verified" if entry["hash_verified"] else "WRONG"
    return [f"{entry['seq']}", entry["kind"], dollars(chips), why, f"{entry['hash'][:12]}… {verified}"]
