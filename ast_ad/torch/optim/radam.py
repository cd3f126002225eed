"""How does RAdam step? As Adam, once the average of squares is known well enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.moment_updates import radam
from .rules import Options, Rule, RuleOptimizer, Slots, apply, decay_of, number, options_of, sign_of, zeros

__all__ = ["RAdam"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return zeros(param, "exp_avg", "exp_avg_sq")


def _rectification(beta2: float, step: int) -> float:
    """The factor r of the paper times the bias correction; 0 while the variance is not tractable."""
    longest = 2 / (1 - beta2) - 1
    correction = 1 - beta2**step
    length = longest - 2 * step * beta2**step / correction
    if length <= 5.0:
        return 0.0
    ratio = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
    return float((ratio * correction) ** 0.5)


def radam_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``RAdam`` on an array."""
    lr, (beta1, beta2) = number(options["lr"]), map(number, options["betas"])
    decay, shrink = decay_of(options)
    apply(radam, (param, grad, state["exp_avg"], state["exp_avg_sq"]), lr / (1 - beta1**step),
          _rectification(beta2, step), 1 - beta1, beta2, 1 - beta2, number(options["eps"]), decay, shrink,
          sign_of(options))  # fmt: skip


class RAdam(RuleOptimizer):
    """RAdam: Adam with a factor for the variance of its scale; plain momentum in the first few steps.

    Source: Liu et al., On the variance of the adaptive learning rate and beyond (2019).

    Raises:
        ValueError: a negative option, or a beta outside of [0, 1).

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.RAdam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    rule = Rule(_start, radam_)
    _checked = ("lr", "eps", "betas", "weight_decay")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params, options_of(locals(), "lr betas eps weight_decay maximize foreach capturable")
        )
