"""`pitledger config`: the settings in force, and the roles that callers may have."""

from services.cli.environment import listed, settings
from services.cli.exits import CheckFailed, UsageWrong
from services.cli.output import AsJson, heading, names, print_json, show, table, words
from services.cli.services import load_all, roles_of_services
from shared.runtime.errors import Stop
from shared.runtime.web.access import load_callers


def config(as_json: AsJson = False) -> None:
    """Print the settings in force, with secrets masked, and the roles of callers.

    Each setting comes from an environment variable, or has its default. The roles are those that the services declare,
    with the people of the tokens file who have them; exit code 1 where that file names a role that there is not.

    Example: PITLEDGER_LOG_LEVEL=debug pitledger config
    """
    found = settings()
    declared = roles_of_services(load_all())
    try:
        callers = load_callers(found.api_tokens_file)
    except Stop as error:
        raise UsageWrong(f"PITLEDGER_API_TOKENS_FILE: {error}") from error
    people = {name: [each.person for each in callers if name in each.roles] for name in sorted(declared)}
    if as_json:
        print_json(
            {
                "settings": {
                    each.name: {"value": each.value, "variable": each.variable, "source": each.source}
                    for each in listed(found)
                },
                "roles": {
                    name: {"description": declared[name].description, "people": having}
                    for name, having in people.items()
                },
            }
        )
    else:
        rows = [
            [each.variable, "none" if each.value is None else str(each.value), each.source, each.description]
            for each in listed(found)
        ]
        roles = [[name, declared[name].description, ", ".join(having)] for name, having in people.items()]
        show(heading("Settings"), table(names("Variable", "Value") + words("From", "Meaning"), rows))
        show(heading("Roles"), table(names("Role") + words("Allows to", "People"), roles))
    wrong = [
        f"{caller.person} has the role {name!r}, which no service declares"
        for caller in callers
        for name in sorted(caller.roles - declared.keys())
    ]
    if wrong:
        raise CheckFailed(f"{found.api_tokens_file}: {'; '.join(wrong)}; the roles are listed above")
