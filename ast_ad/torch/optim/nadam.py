"""How does NAdam step? As Adam, with Nesterov's look ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.moment_updates import nadam
from .rules import (
    Options,
    Rule,
    RuleOptimizer,
    Slots,
    apply,
    decay_of,
    number,
    options_of,
    scalar,
    sign_of,
    zeros,
)

__all__ = ["NAdam"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return {"mu_product": scalar(1.0), **zeros(param, "exp_avg", "exp_avg_sq")}


def nadam_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``NAdam`` on an array."""
    lr, (beta1, beta2) = number(options["lr"]), map(number, options["betas"])
    decay, shrink = decay_of(options)
    mu, mu_next = [beta1 * (1.0 - 0.5 * 0.96 ** (t * options["momentum_decay"])) for t in (step, step + 1)]
    state["mu_product"] *= mu
    product = float(state["mu_product"])
    apply(nadam, (param, grad, state["exp_avg"], state["exp_avg_sq"]), lr * (1 - mu) / (1 - product),
          lr * mu_next / (1 - product * mu_next), 1 - beta1, beta2, 1 - beta2, 1 - beta2**step,
          number(options["eps"]), decay, shrink, sign_of(options))  # fmt: skip


class NAdam(RuleOptimizer):
    """NAdam: Adam whose step takes the next average of the gradient into account already.

    ``momentum_decay`` says how fast the momentum grows to ``betas[0]``; the rest is as in ``Adam``.

    Source: Dozat, Incorporating Nesterov momentum into Adam (2016).

    Raises:
        ValueError: a negative option, or a beta outside of [0, 1).

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.NAdam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8944, 1.8944], requires_grad=True)
    """

    rule = Rule(_start, nadam_)
    _checked = ("lr", "eps", "betas", "weight_decay", "momentum_decay")

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(
            params,
            options_of(locals(), "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize"),
        )
