"""How does Adamax step? Along an average gradient, scaled by the largest one of late."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.moment_updates import adamax
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, sign_of, zeros

__all__ = ["Adamax"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return zeros(param, "exp_avg", "exp_inf")


def adamax_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Adamax`` on an array."""
    beta1, beta2 = map(number, options["betas"])
    apply(adamax, (param, grad, state["exp_avg"], state["exp_inf"]),
          number(options["lr"]) / (1 - beta1**step), 1 - beta1, beta2, number(options["eps"]),
          number(options["weight_decay"]), sign_of(options))  # fmt: skip


class Adamax(RuleOptimizer):
    """Adamax: Adam with ``u = max(beta2 * u, |g| + eps)`` in the place of the root of the average square.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2014), section 7.

    Raises:
        ValueError: a negative option, or a beta outside of [0, 1).

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.Adamax([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    rule = Rule(_start, adamax_)
    _checked = ("lr", "eps", "betas", "weight_decay")

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))
