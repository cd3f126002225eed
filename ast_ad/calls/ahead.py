"""How is a derivative compiled before it is needed? ``Ahead.compile``, a part of ``Derivative``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .program import Program


class Ahead:
    """What a derivative does before it is called."""

    _tiers: dict[Any, Any]
    _prepare: Any
    any_call: Any

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Have everything ready that a call with arguments like these needs, kernels among it.

        Numba compiles what it runs, so the function is run; unless it stores, prints or draws something:
        then Numba's part of the work is left to its first call.

        >>> from ast_ad import grad
        >>> derivative = grad(lambda x: x**3)
        >>> derivative.compile(2.0)
        >>> derivative.backend
        'numba'
        """
        program, _ = self._prepare(args, kwargs)
        if not isinstance(program, Program):
            return
        with hurried(list(self._tiers.values())):
            program, _ = self._prepare(args, kwargs)
        if leaves_nothing_behind(program):
            self.any_call(args, kwargs)


@contextlib.contextmanager
def hurried(tiers: list[Any]) -> Iterator[None]:
    """In the block kernels are compiled whatever they cost; behind it the others again when they pay."""
    before = [tier.work for tier in tiers]
    for tier in tiers:
        tier.work = float("inf")
    try:
        yield
    finally:
        for tier, work in zip(tiers, before, strict=True):
            tier.work = min(tier.work, work)


def leaves_nothing_behind(program: Program) -> bool:
    """Whether nobody can tell that a program has run: it stores, prints and draws nothing."""
    return program.simple and not program.loud and not program.draws
