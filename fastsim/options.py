"""Rules as data: the base of every game's options.

A game's options are one pydantic model. Each field is made with :func:`option`, which keeps the
rule's id, whether the rule's source states it, and what it means. The command line, options files,
help, documents and reports all read them from here.
"""

import contextlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fastsim.errors import UsageError, quoted, unknown

_LARGEST_FILE = 1_000_000
"""Bytes of a file of options or of a policy."""

Status = Literal["stated", "ruling", "assumed"]
"""Where a default comes from: the rule's source says it; the source is silent or ambiguous, and
this is how it is read; or the source needs a number that it does not give."""


def option(
    default: Any,
    meaning: str,
    rule: str,
    status: Status = "stated",
    unit: str = "",
    default_text: str = "",
    accepted: str = "",
    **limits: Any,
) -> Any:
    """Return a field of an options model.

    Parameters
    ----------
    default : object
        The rule as its source has it; None for a default that depends on other options.
    meaning : str
        What the option sets, as a short phrase.
    rule : str
        Ids of the rules.
    status : {"stated", "ruling", "assumed"}
    unit : str
        What a number counts ("cards"), or empty.
    default_text : str
        The default in words, where it depends on other options.
    accepted : str
        What is accepted, in words, where the type and the limits do not say it.
    **limits
        As of ``pydantic.Field``: ``ge``, ``le``, ...
    """
    extra: dict[str, Any] = {
        "rule": rule,
        "status": status,
        "unit": unit,
        "default_text": default_text,
        "accepted": accepted,
    }
    return Field(default=default, description=meaning, json_schema_extra=extra, **limits)


@dataclass(frozen=True)
class OptionInfo:
    """What there is to know of one option, in words."""

    name: str
    default: str
    accepted: str
    unit: str
    rule: str
    status: Status
    meaning: str


class Options(BaseModel):
    """Base of the options of a game: unknown names and values out of range are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Return the options with these changes from the defaults.

        Values may be strings, as on a command line. Raises ``UsageError`` for an unknown option, a
        value of the wrong type or out of range, or values that are impossible together.
        """
        if not isinstance(given, Mapping):
            raise UsageError(f"options were given as {quoted(given)}; accepted: a mapping, values by name")
        for name in given:
            if name not in cls.model_fields:
                raise unknown("option", name, cls.model_fields)
        try:
            # Numbers of numpy become those of Python, which pydantic asks for.
            return cls.model_validate(
                {n: v.item() if isinstance(v, np.generic) else v for n, v in given.items()}
            )
        except ValidationError as error:
            raise UsageError(cls._sentence(error, given)) from None

    @classmethod
    def _sentence(cls, error: ValidationError, given: Mapping[str, object]) -> str:
        errors = error.errors()
        first = errors[0]
        if first["type"] == "value_error" or not first["loc"]:
            return str(first["msg"]).removeprefix("Value error, ")
        name = str(first["loc"][0])
        # Of an option that may be several things, the error that goes deepest tells most.
        deepest = max((e for e in errors if e["loc"][0] == name), key=lambda e: len(e["loc"]))
        value = given[name]
        inside = isinstance(value, Mapping) and deepest["loc"][-1] in value
        where = f" at {quoted(deepest['loc'][-1])}" if inside else ""
        info = cls.describe()[name]
        whole = "a whole number, " if first["type"].startswith("int_") else ""
        return (
            f"option {name} was given {quoted(deepest['input'])}{where}; "
            f"accepted: {whole}{info.accepted} (rule {info.rule})"
        )

    @classmethod
    def describe(cls) -> dict[str, OptionInfo]:
        """Return what there is to know of every option, by name."""
        return {name: cls._describe(name) for name in cls.model_fields}

    @classmethod
    def _describe(cls, name: str) -> OptionInfo:
        field = cls.model_fields[name]
        extra = field.json_schema_extra
        assert isinstance(extra, dict)
        default = str(extra["default_text"]) or shown(field.default)
        status: Any = extra["status"]
        return OptionInfo(
            name=name,
            default=default,
            accepted=str(extra["accepted"]) or _accepted(field.annotation, field.metadata),
            unit=str(extra["unit"]),
            rule=str(extra["rule"]),
            status=status,
            meaning=field.description or "",
        )

    def changed(self) -> tuple[str, ...]:
        """Return the names of the options that differ from the defaults."""
        default = self.default_for(self)
        return tuple(n for n in type(self).model_fields if getattr(self, n) != getattr(default, n))

    def idle(self) -> tuple[str, ...]:
        """Return the names of the options that have no effect beside the others."""
        return ()

    @classmethod
    def default_for(cls, options: Self) -> Self:
        """Return the options to compare with when telling what was changed: the defaults."""
        return cls.parse({})


def shown(value: object) -> str:
    """Return an option's value as a user would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _accepted(annotation: Any, metadata: list[Any]) -> str:
    """Return in words what a field accepts."""
    origin = get_origin(annotation)
    if origin is Literal:
        return ", ".join(str(choice) for choice in get_args(annotation))
    arguments = [a for a in get_args(annotation) if a is not type(None)]
    if origin is not None and origin is not dict and arguments:
        return " or ".join(_accepted(argument, metadata) for argument in arguments)
    if annotation is bool:
        return "true, false"
    low = next((m.ge for m in metadata if hasattr(m, "ge")), None)
    high = next((m.le for m in metadata if hasattr(m, "le")), None)
    if annotation in (int, float):
        kind = "whole number" if annotation is int else "number"
        return f"{low} to {high}" if low is not None and high is not None else kind
    if origin is dict:
        of = next(iter(getattr(get_args(annotation)[1], "__metadata__", ())), None)
        return f"a table of counts, each {_accepted(int, of.metadata)}" if of else "a table of counts"
    return "a name"


def read_assignment(text: str) -> tuple[str, object]:
    """Return name and value of ``NAME=VALUE`` as given on the command line.

    A value that starts with a bracket or a brace is read as a TOML list or table, or as JSON, in
    which reports write it. Raises ``UsageError`` if there is no name, or it cannot be read.
    """
    name, separator, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not separator or not name or not value:
        raise UsageError(f"an option is set as NAME=VALUE, and {quoted(text)} was given")
    if value[0] in "[{":
        try:
            return name, tomllib.loads(f"value = {value}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            with contextlib.suppress(json.JSONDecodeError, RecursionError):
                return name, json.loads(value)
            raise UsageError(
                f"option {name} was given {quoted(value)}, which cannot be read as TOML: {error}"
            ) from None
    return name, value


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return the contents of a TOML file.

    Raises ``UsageError`` if there is no such file or it cannot be read; ``what`` says what it is.
    """
    name = quoted(path)
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise UsageError(f"there is no {what} file {name}") from None
    except OSError as error:
        raise UsageError(f"the {what} file {name} cannot be read: {error.strerror}") from None
    except ValueError:
        raise UsageError(f"{name} cannot be the name of the {what} file") from None
    if len(content) > _LARGEST_FILE:
        raise UsageError(f"the {what} file {name} is too large; accepted: up to {_LARGEST_FILE:,} bytes")
    try:
        return tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"the {what} file {name} is not valid TOML: {error}") from None
