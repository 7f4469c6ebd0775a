"""The settings of this process, and their values in a form that may be shown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from services.cli.exits import UsageWrong
from shared.runtime.settings import Settings

_MASK = "***"
_USER_AND_PASSWORD = re.compile(r"(?<=://)([^:/?#@]*):.*@")
_PASSWORD_PARAMETER = re.compile(r"(?i)([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&#]*")


def settings() -> Settings:
    """The settings from the environment. Raises: UsageWrong, naming the variable, never its value."""
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "?"
        field = Settings.model_fields.get(name)
        variable = name if field is None else variable_of(name, field)
        raise UsageWrong(f"{variable}: {first['msg']} (`pitledger config` lists the settings)") from None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as it is in force; `value` is masked where it is secret, and None where there is none."""

    name: str
    variable: str
    value: str | int | float | None
    source: str
    description: str


def listed(found: Settings) -> Iterator[Setting]:
    """All settings, in the order in which they are declared."""
    for name, field in Settings.model_fields.items():
        source = "environment" if name in found.model_fields_set else "default"
        yield Setting(name, variable_of(name, field), _shown(getattr(found, name)), source, field.description or "")


def variable_of(name: str, field: FieldInfo) -> str:
    """The environment variable of a setting."""
    if isinstance(field.validation_alias, AliasChoices):
        return str(field.validation_alias.choices[0])
    return f"{Settings.model_config['env_prefix']}{name}".upper()


def without_password(url: str) -> str:
    """A URL that may be shown: the password in it is masked, and whatever of it cannot be told from one."""
    return _PASSWORD_PARAMETER.sub(rf"\1{_MASK}", _USER_AND_PASSWORD.sub(rf"\1:{_MASK}@", url))


def _shown(value: Any) -> str | int | float | None:
    if isinstance(value, SecretStr):
        return without_password(value.get_secret_value())
    return value if value is None or isinstance(value, int | float) else without_password(str(value))
