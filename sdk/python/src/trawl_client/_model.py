"""Base classes of the generated models. Both accept what a newer server adds."""

from __future__ import annotations

import enum
from typing import Any

import pydantic


class Model(pydantic.BaseModel):
    """An object of the API. Members that this version does not know are kept as attributes."""

    model_config = pydantic.ConfigDict(extra="allow", protected_namespaces=())


class StrEnum(enum.StrEnum):
    """A text of a known set. An unknown text becomes a value that is equal to it."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, str):
            return None
        member = str.__new__(cls, value)
        member._name_ = value
        member._value_ = value
        return member
