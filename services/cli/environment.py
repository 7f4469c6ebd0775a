"""The settings of this process, and their values in a form that may be shown."""

import re
from typing import Any

from pydantic import AliasChoices, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from services.cli.exits import UsageWrong
from shared.runtime.settings import Settings

_MASK = "***"
_USER_AND_PASSWORD = re.compile(r"(?<=://)([^:/?#@]*):.*@")
_PASSWORD_PARAMETER = re.compile(r"(?i)([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&#]*")


def settings() -> Settings:
    """Return the settings from the environment. Raises: UsageWrong, naming the variable, never its value."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        if not first["loc"]:  # several of them do not go together: the message names them
            raise UsageWrong(f"{first['msg']} (`pitledger config` lists the settings)") from None
        name = str(first["loc"][0])
        field = Settings.model_fields.get(name)
        variable = name if field is None else variable_of(name, field)
        raise UsageWrong(f"{variable}: {first['msg']} (`pitledger config` lists the settings)") from None


def listed(found: Settings) -> dict[str, dict[str, Any]]:
    """Return each setting as it is in force, with a `value` that may be shown; None where there is none."""
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
    """Return a URL that may be shown: the password in it is masked, and whatever of it cannot be told from one."""
    return _PASSWORD_PARAMETER.sub(rf"\1{_MASK}", _USER_AND_PASSWORD.sub(rf"\1:{_MASK}@", url))


def _shown(value: Any) -> str | int | float | None:
    if isinstance(value, SecretStr):
        secret = value.get_secret_value()
        return without_password(secret) if "://" in secret else _MASK
    return value if value is None or isinstance(value, int | float) else without_password(str(value))
