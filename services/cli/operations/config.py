"""`pitledger config`: print the effective settings, and the roles of callers."""

from services.cli.environment import listed, settings
from services.cli.exits import UsageWrong
from services.cli.output import AsJson, heading, names, print_json, show, table, words
from services.cli.services import load_all, roles_of_services
from shared.runtime.clock import utc_now
from shared.runtime.errors import FatalServiceError
from shared.runtime.http.bearer_tokens import identities_of
from shared.runtime.http.segregation_of_duties import DUTY_OF
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings


def config(as_json: AsJson = False) -> None:
    """Print the effective settings, with secrets masked, and the roles of callers.

    Each setting comes from an environment variable, or has its default. The roles are those that the services declare,
    each printed with its permissions and its duty; duties determine which roles one person may combine
    (docs/duties.md). Exit code 2 if a setting is invalid, or names an OpenID provider that cannot be trusted.

    Example: PITLEDGER_LOG_LEVEL=debug pitledger config
    """
    found = settings()
    try:
        identities_of(found, clock=utc_now, metrics=Metrics())
    except FatalServiceError as error:
        raise UsageWrong(str(error)) from error
    declared = roles_of_services(load_all())
    shown = listed(found)
    if as_json:
        roles = {name: {"description": declared[name].description, "duty": DUTY_OF[name]} for name in sorted(declared)}
        print_json({"settings": shown, "roles": roles})
        return
    rows = []
    for name, one in shown.items():
        value = "none" if one["value"] is None else str(one["value"])
        rows.append([one["variable"], value, one["source"], Settings.model_fields[name].description or ""])
    show(heading("Settings"), table(names("Variable", "Value") + words("From", "Meaning"), rows))
    named = [[name, declared[name].description, DUTY_OF[name]] for name in sorted(declared)]
    show(heading("Roles"), table(names("Role") + words("Allows to", "Whoever has it"), named))
