"""`pitledger config`: the settings in force."""

from services.cli.environment import listed, settings
from services.cli.output import AsJson, print_json, show, table


def config(as_json: AsJson = False) -> None:
    """Print the settings in force, with secrets masked.

    Each comes from an environment variable, or has its default.

    Example: PITLEDGER_LOG_LEVEL=debug pitledger config
    """
    found = list(listed(settings()))
    if as_json:
        print_json(
            {each.name: {"value": each.value, "variable": each.variable, "source": each.source} for each in found}
        )
        return
    show(
        table(
            [("Variable", "name"), ("Value", "name"), ("From", "words"), ("Meaning", "words")],
            [
                [each.variable, "none" if each.value is None else str(each.value), each.source, each.description]
                for each in found
            ],
        )
    )
