"""`pitledger config`: the settings in force, and the roles that callers may have."""

from services.cli.environment import listed, settings
from services.cli.exits import CheckFailed, UsageWrong
from services.cli.output import AsJson, heading, names, print_json, show, table, words
from services.cli.services import load_all, roles_of_services
from shared.runtime.errors import Stop
from shared.runtime.settings import Settings
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
    shown = listed(found)
    if as_json:
        roles = {name: {"description": declared[name].description, "people": who} for name, who in people.items()}
        print_json({"settings": shown, "roles": roles})
    else:
        rows = []
        for name, one in shown.items():
            value = "none" if one["value"] is None else str(one["value"])
            rows.append([one["variable"], value, one["source"], Settings.model_fields[name].description or ""])
        show(heading("Settings"), table(names("Variable", "Value") + words("From", "Meaning"), rows))
        named = [[name, declared[name].description, ", ".join(who)] for name, who in people.items()]
        show(heading("Roles"), table(names("Role") + words("Allows to", "People"), named))
    wrong = [
        f"{caller.person} has the role {name!r}, which no service declares"
        for caller in callers
        for name in sorted(caller.roles - declared.keys())
    ]
    if wrong:
        raise CheckFailed(f"{found.api_tokens_file}: {'; '.join(wrong)}; the roles are listed above")
