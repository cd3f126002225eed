"""How does Rprop step? By sizes of its own, against the signs of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.updates import rprop
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, sign_of

__all__ = ["Rprop"]


def _start(param: np.ndarray, options: Options) -> Slots:
    lr = number(options["lr"])
    size = np.full_like(param, complex(lr, lr) if param.dtype.kind == "c" else lr)
    return {"prev": np.zeros_like(param), "step_size": size}


def rprop_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Rprop`` on an array."""
    apply(rprop, (param, grad, state["prev"], state["step_size"]), *map(number, options["etas"]),
          *map(number, options["step_sizes"]), sign_of(options))  # fmt: skip


class Rprop(RuleOptimizer):
    """Resilient propagation: each element has its own step size, which starts at ``lr``.

    It grows by ``etas[1]`` while the sign of the gradient stays, and shrinks by ``etas[0]`` where it changes;
    there no step is made. Sizes stay within ``step_sizes``.

    Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning (1993).

    Raises:
        ValueError: etas that are not on either side of 1, or a negative rate.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.Rprop([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    rule = Rule(_start, rprop_)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals(), "lr etas step_sizes foreach maximize differentiable"))

    @classmethod
    def _check(cls, options: Options) -> None:
        super()._check(options)
        etas = options["etas"]
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
