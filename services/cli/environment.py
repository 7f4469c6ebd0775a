"""The settings of this process, and their display without secrets."""

import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from pydantic import AliasChoices, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from services.cli.exits import UsageWrong
from services.cli.services import NAMES, STACK_VARIABLE, TOKEN_VARIABLE, url_variable
from shared.runtime.settings import Settings

_MASK = "***"
_USER_AND_PASSWORD = re.compile(r"(?<=://)([^:/?#@]*):.*@")
_PASSWORD_PARAMETER = re.compile(r"(?i)([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&#]*")


REGISTRY_PASSWORD: Final = "PITLEDGER_REGISTRY_PASSWORD"  # noqa: S105 - the name of the variable that has it
"""The environment variable with the password of a schema registry."""
_OF_COMPOSE: Final = "PITLEDGER_VERSION"
"""The image version for Compose; no process reads it."""
OF_STACK: Final = (
    "PITLEDGER_HTTP_HOST",
    "PITLEDGER_HTTP_PORT",
    "PITLEDGER_CHECKPOINT_DIRECTORY",
    "PITLEDGER_CHECKPOINT_KEY_FILE",
    "PITLEDGER_CHECKPOINT_VERIFIERS_FILE",
    "PITLEDGER_PATRON_KEYS_FILE",
    "PITLEDGER_OIDC_ISSUER",
    "PITLEDGER_OIDC_AUDIENCE",
    "PITLEDGER_OIDC_TOKEN_SECONDS_MAX",
)
"""The settings that `pitledger up` sets itself, except MESSAGE_AUTHENTICATION, which could only weaken checks."""
_NEAR: Final = 0.85
"""Minimum similarity (0 to 1) of a misspelling: `BOOTSTRAP_SERVERS` counts as one, `TEST_DATABASE_URL` does not."""


def settings() -> Settings:
    """Return the settings from the environment. Raises: UsageWrong, naming the variable, never its value."""
    require_known(os.environ)
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        if not first["loc"]:  # settings contradict each other: the message names them
            raise UsageWrong(f"{first['msg']} (`pitledger config` lists the settings)") from None
        name = str(first["loc"][0])
        field = Settings.model_fields.get(name)
        variable = name if field is None else variable_of(name, field)
        raise UsageWrong(f"{variable}: {first['msg']} (`pitledger config` lists the settings)") from None


def require_known(environment: Mapping[str, str]) -> None:
    """Raise UsageWrong for a variable that looks like a setting but is not one, so that it would have no effect.

    A variable looks like a setting if it begins with the prefix of settings, or if it is almost the name of an unset
    setting without prefix: `DATABSE_URL` is meant to be `DATABASE_URL`.
    """
    fields = [variable_of(name, field) for name, field in Settings.model_fields.items()]
    others = (TOKEN_VARIABLE, STACK_VARIABLE, REGISTRY_PASSWORD, _OF_COMPOSE, *map(url_variable, NAMES))
    known, prefix = {*fields, *others}, Settings.model_config["env_prefix"]
    given = {name.upper() for name, value in environment.items() if value}  # settings are read whatever their case
    unset = [name for name in fields if not name.startswith(prefix) and name not in given]
    for upper, name in sorted({name.upper(): name for name in environment}.items()):
        if upper.startswith(prefix) and upper not in known:
            bare = upper.removeprefix(prefix)
            meant = [bare] if bare in known else get_close_matches(upper, known, n=1)
            advice = f"is {meant[0]} meant?" if meant else "take it out of the environment"
            raise UsageWrong(f"{name}: there is no such setting; {advice} (`pitledger config` lists the settings)")
        if upper in given and upper not in known and (meant := get_close_matches(upper, unset, n=1, cutoff=_NEAR)):
            raise UsageWrong(
                f"{name}: there is no such setting, and {meant[0]} is not set: is that meant? If not, set it to what "
                "is, or take the other out of the environment (`pitledger config` lists the settings)"
            )


def require_no_stack(environment: Mapping[str, str]) -> None:
    """Raise UsageWrong if the environment is that of a running stack, whose servers a second stack would use."""
    if stack := environment.get(STACK_VARIABLE):
        names = " ".join(name for name in ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS") if environment.get(name))
        raise UsageWrong(
            f"this terminal has the environment of the stack in {stack}, whose servers would be used: open another "
            f"terminal, or unset {STACK_VARIABLE} {names}"
        )


def require_none_of_stack(environment: Mapping[str, str]) -> None:
    """Raise UsageWrong for a setting that `pitledger up` sets itself, because the given value would have no effect.

    For example, a person who names an OpenID provider expects its users, not those of the development issuer.
    """
    if given := sorted(name for name, value in environment.items() if value and name.upper() in OF_STACK):
        raise UsageWrong(
            f"{' '.join(given)}: `pitledger up` sets this itself, with people, keys and ports of its own: unset it, or "
            "run each service with its settings (`pitledger run SERVICE`)"
        )


def listed(found: Settings) -> dict[str, dict[str, Any]]:
    """Return each setting's displayable `value` (None if unset), environment `variable` and `source`, by setting."""
    return {
        name: {
            "value": _shown(getattr(found, name)),
            "variable": variable_of(name, field),
            "source": "environment" if name in found.model_fields_set else "default",
        }
        for name, field in Settings.model_fields.items()
    }


def variable_of(name: str, field: FieldInfo) -> str:
    """Return the environment variable of a setting."""
    if isinstance(field.validation_alias, AliasChoices):
        return str(field.validation_alias.choices[0])
    return f"{Settings.model_config['env_prefix']}{name}".upper()


def without_password(url: str) -> str:
    """Return a URL for display, with passwords and possible passwords masked."""
    return _PASSWORD_PARAMETER.sub(rf"\1{_MASK}", _USER_AND_PASSWORD.sub(rf"\1:{_MASK}@", url))


def _shown(value: Any) -> str | int | float | None:
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        return without_password(secret) if "://" in secret else _MASK
    return value if value is None or isinstance(value, int | float) else without_password(str(value))
