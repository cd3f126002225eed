"""Which statements and expressions can a program be made of? A table, with weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..author import Author


@dataclass(frozen=True)
class Production:
    name: str
    weight: float
    subject: str  # the module that it is in
    simple: bool  # writes no suites: possible at any depth
    write: Callable[[Author], None]


@dataclass(frozen=True)
class Form:
    name: str
    weight: float
    table: str  # "float", "array" (like another one), "int", "condition"
    write: Callable[..., str]


PRODUCTIONS: dict[str, Production] = {}
FORMS: dict[str, Form] = {}


def production(weight: float = 1.0, simple: bool = False) -> Callable[[Any], Any]:
    def register(write: Callable[[Author], None]) -> Callable[[Author], None]:
        name, subject = write.__name__, write.__module__.rpartition(".")[2]
        assert name not in PRODUCTIONS
        PRODUCTIONS[name] = Production(name, weight, subject, simple, write)
        return write

    return register


def form(table: str, weight: float = 1.0) -> Callable[[Any], Any]:
    def register(write: Callable[..., str]) -> Callable[..., str]:
        name = f"{table}: {write.__name__.rstrip('_')}"
        assert name not in FORMS
        FORMS[name] = Form(name, weight, table, write)
        return write

    return register
