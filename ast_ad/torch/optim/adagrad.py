"""How does Adagrad step? Along the gradient, scaled by the size of all gradients so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.updates import adagrad
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, sign_of

__all__ = ["Adagrad"]


def _start(param: np.ndarray, options: Options) -> Slots:
    value = options["initial_accumulator_value"]
    return {"sum": np.full_like(param, complex(value, value) if param.dtype.kind == "c" else value)}


def adagrad_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Adagrad`` on an array."""
    lr = number(options["lr"]) / (1 + (step - 1) * number(options["lr_decay"]))
    apply(adagrad, (param, grad, state["sum"]), lr, number(options["eps"]), number(options["weight_decay"]),
          sign_of(options))  # fmt: skip


class Adagrad(RuleOptimizer):
    """Adagrad: ``p -= lr * g / (sqrt(s) + eps)``, where s is the sum of all ``g**2``.

    ``lr_decay`` divides the rate by ``1 + (step - 1) * lr_decay``.

    Source: Duchi, Hazan and Singer, Adaptive subgradient methods for online learning (2011).

    Raises:
        ValueError: a negative option.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.Adagrad([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    rule = Rule(_start, adagrad_)
    _checked = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, options_of(locals(), "lr lr_decay eps"))
        for group in self.param_groups:
            for p in group["params"]:
                self._started(p, group)
