"""`pitledger spark`: add up, settle again and derive again archived days, with Apache Spark."""

import typer

from services.cli.spark.hits import hits
from services.cli.spark.rederive import rederive
from services.cli.spark.seats import seats
from services.cli.spark.whatif import whatif
from services.cli.spark.win import win

app = typer.Typer()

app.command()(win)
app.command()(seats)
app.command()(hits)
app.command()(whatif)
app.command()(rederive)
