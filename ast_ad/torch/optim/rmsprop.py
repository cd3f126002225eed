"""How does RMSprop step? Along the gradient, scaled by an average of its size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.updates import rmsprop
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, sign_of

__all__ = ["RMSprop"]


def _start(param: np.ndarray, options: Options) -> Slots:
    state = {"square_avg": np.zeros_like(param)}
    if options["momentum"] > 0:
        state["momentum_buffer"] = np.zeros_like(param)
    if options["centered"]:
        state["grad_avg"] = np.zeros_like(param)
    return state


def rmsprop_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``RMSprop`` on an array."""
    alpha, momentum = number(options["alpha"]), number(options["momentum"])
    mean = state["grad_avg"] if options["centered"] else None
    buf = state["momentum_buffer"] if momentum > 0 else None
    apply(rmsprop, (param, grad, state["square_avg"], mean, buf), number(options["lr"]), alpha, 1 - alpha,
          number(options["eps"]), momentum, number(options["weight_decay"]), sign_of(options))  # fmt: skip


class RMSprop(RuleOptimizer):
    """RMSprop: ``p -= lr * g / (sqrt(v) + eps)``, v being the moving average of ``g**2``.

    ``alpha`` is the factor of averages. ``centered`` takes the square of the average gradient off v;
    ``momentum`` accumulates the steps.

    Source: Hinton, Neural networks for machine learning, lecture 6e (2012); centered: Graves, Generating
    sequences with recurrent neural networks (2013).

    Raises:
        ValueError: a negative option.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.RMSprop([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([5.9605e-08, 1.0000e+00], requires_grad=True)
    """

    rule = Rule(_start, rmsprop_)
    _checked = ("lr", "eps", "momentum", "weight_decay", "alpha")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals(), "lr momentum alpha eps centered"))
