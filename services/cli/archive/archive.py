"""`pitledger archive`: store sealed gaming days as files that can be verified without the source database."""

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
