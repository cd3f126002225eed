"""How does plain gradient descent step? Along the gradient, or along its average: momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.loops.updates import sgd
from .rules import Options, Rule, RuleOptimizer, Slots, apply, number, options_of, sign_of

__all__ = ["SGD"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return {}


def _late(options: Options) -> tuple[str, ...]:
    return ("momentum_buffer",) if options["momentum"] != 0 else ()


def sgd_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``SGD`` on an array; the momentum buffer appears with the first."""
    momentum, keep = number(options["momentum"]), 1.0 - number(options["dampening"])
    buf = None
    ahead = momentum if options["nesterov"] else 0.0
    if momentum != 0:
        buf = state.get("momentum_buffer")
        if buf is None:  # begins with the first gradient, undampened
            buf = state["momentum_buffer"] = np.zeros_like(param)
            keep = 1.0
    apply(sgd, (param, grad, buf), number(options["lr"]), momentum, keep, ahead,
          number(options["weight_decay"]), sign_of(options))  # fmt: skip


class SGD(RuleOptimizer):
    """Stochastic gradient descent: ``p -= lr * b`` with ``b = momentum * b + (1 - dampening) * g``.

    The first b is g itself. ``nesterov`` steps along ``g + momentum * b``; ``weight_decay`` adds its multiple
    of the parameter to g; ``maximize`` ascends. ``foreach`` and ``fused`` change nothing here.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning (2013), with
    the learning rate outside of the momentum.

    Raises:
        ValueError: a negative option; Nesterov's momentum without momentum or with dampening.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.SGD([p], lr=0.1, momentum=0.9)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    rule = Rule(_start, sgd_, counts=False, late=_late)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))

    @classmethod
    def _check(cls, options: Options) -> None:
        super()._check(options)
        for name in ("momentum", "weight_decay"):  # NaN passes here, as in PyTorch
            if options[name] < 0.0:
                raise ValueError(f"Invalid {name} value: {options[name]}")
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
