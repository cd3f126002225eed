"""How does Adadelta step? As far as it came lately, relative to the gradient's size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.updates import adadelta
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, sign_of, zeros

__all__ = ["Adadelta"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return zeros(param, "square_avg", "acc_delta")


def adadelta_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Adadelta`` on an array."""
    rho = number(options["rho"])
    apply(adadelta, (param, grad, state["square_avg"], state["acc_delta"]), number(options["lr"]), rho,
          1 - rho, number(options["eps"]), number(options["weight_decay"]), sign_of(options))  # fmt: skip


class Adadelta(RuleOptimizer):
    """Adadelta: ``p -= lr * g * sqrt(d + eps) / sqrt(v + eps)``.

    v and d are the moving averages of the squares of gradients and of steps, with factor ``rho``.

    Source: Zeiler, ADADELTA: an adaptive learning rate method (2012).

    Raises:
        ValueError: a negative option, or a rho above 1.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.Adadelta([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9997, 1.9997], requires_grad=True)
    """

    rule = Rule(_start, adadelta_)
    _checked = ("lr", "rho", "eps", "weight_decay")

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals(), "lr rho eps weight_decay maximize capturable"))
