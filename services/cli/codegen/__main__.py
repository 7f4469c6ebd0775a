"""`python -m services.cli.codegen [--check]`: write the generated files, or check that they are up to date."""

import typer

from services.cli.codegen.generate import main

typer.run(main)
