"""`pitledger archive`: closed gaming days as files that prove themselves, without the database that they come from."""

import typer

from services.cli.archive.days import list_days, verify
from services.cli.archive.entries import prove, restore
from services.cli.archive.run import run

app = typer.Typer()

app.command()(run)
app.command("list")(list_days)
app.command()(verify)
app.command()(prove)
app.command()(restore)
