"""Writes files for `pitledger intake`, as a system without a Kafka client does: `python drop.py DIRECTORY/in`."""

import csv
import json
import sys
from datetime import datetime, timedelta
from hashlib import sha256
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

folder = Path(sys.argv[1])
now = datetime.now(ZoneInfo("America/New_York"))
place = {"property": "riverside", "table": "BJ-01", "gaming_day": (now - timedelta(hours=6)).date().isoformat()}
people = {"dealer": "dealer.ana", "floorperson": "floor.lee"}


def drop(name: str, text: str) -> None:
    """Write a file, and then its marker: only with that it is complete."""
    (folder / name).write_bytes(text.encode())
    (folder / f"{name}.sha256").write_text(f"{sha256(text.encode()).hexdigest()}  {name}\n")


# The opener of a table, and chips sold there: two kinds, so each leaves the cells of the other empty.
columns = ["type", "time", *place, "shift", "dealer", "floorperson", "game", "contents", "cents", "instrument"]
chips = json.dumps([{"cents": 2500, "count": 200}, {"cents": 10_000, "count": 100}])
common = {**place, "time": now.isoformat(), "shift": "day"}
text = StringIO(newline="")
rows = csv.DictWriter(text, columns)
rows.writeheader()
rows.writerow({**common, **people, "type": "table.opened", "game": "blackjack", "contents": chips})
rows.writerow(
    {**common, "dealer": "dealer.ana", "type": "chips.sold", "cents": 30_000, "instrument": "currency"},
)
drop("pit.csv", text.getvalue())

# A round is more than a row: one JSON object a line.
played = {
    **place,
    "game": "blackjack",
    "opened_at": now.isoformat(),
    "closed_at": now.isoformat(),
    "round_id": "BJ-01-from-a-file",
    "regulation": "pa-633a-2024",
    "round": json.loads((Path(__file__).parents[1] / "round.json").read_text()),
}
drop("rounds.jsonl", json.dumps({"type": "round.completed", "time": now.isoformat(), "data": played}) + "\n")
