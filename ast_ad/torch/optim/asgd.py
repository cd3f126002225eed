"""How does averaged descent step? Plainly, and its parameters' average is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.updates import averaged_sgd
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, scalar, sign_of

__all__ = ["ASGD"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return {"eta": scalar(number(options["lr"])), "mu": scalar(1.0), "ax": np.zeros_like(param)}


def asgd_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``ASGD`` on an array."""
    lr, lambd = number(options["lr"]), number(options["lambd"])
    eta = float(state["eta"])
    apply(averaged_sgd, (param, grad, state["ax"]), eta, 1 - lambd * eta, float(state["mu"]),
          number(options["weight_decay"]), sign_of(options))  # fmt: skip
    state["eta"][...] = scalar(lr / (1 + lambd * lr * step) ** options["alpha"])
    state["mu"][...] = scalar(1 / max(1, step - options["t0"]))


class ASGD(RuleOptimizer):
    """Averaged stochastic gradient descent: ``state[p]["ax"]`` is the parameter's average since step ``t0``.

    The rate falls as ``lr / (1 + lambd * lr * step) ** alpha``; ``lambd`` also shrinks the parameter.

    Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992).

    Raises:
        ValueError: a negative rate or weight decay.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.ASGD([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    rule = Rule(_start, asgd_)
    _checked = ("lr", "weight_decay")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))
