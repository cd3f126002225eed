"""What makes a program a case of a refusal, and what do several of them share?"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad

Program = Callable[..., Any]
CASES: list[Any] = []


def refused(
    word: str, *args: Any, error: type[ast_ad.AdError] = ast_ad.UnsupportedError, placed: bool = True
) -> Callable[[Program], Program]:
    """The derivative of the function at these arguments is refused, with this word in the message.

    ``placed``: the error names a line.
    """

    def register(function: Program) -> Program:
        CASES.append(pytest.param(function, args, word, error, placed, id=f"{function.__name__}: {word}"))
        return function

    return register


LOCK = threading.Lock()
X = np.array([0.4, -0.9, 1.3])
SQUARE = np.array([[0.4, -0.9], [1.3, 0.2]])
M = np.array([[0.4, -0.9, 1.3], [0.2, 0.7, -0.5]])


def of_one(x):
    return np.sum(x)


class Plain:
    scale = 1.0

    def __init__(self, x):
        self.x = x

    @property
    def fixed(self):
        return self.x


OUTSIDE = Plain(1.0)


META = type
