"""How do Adam and AdamW step? Along an average gradient, scaled by an average of its size."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...eager.tensor import Tensor
from ...rules.loops.moment_updates import adam
from .rules import (
    Options,
    Rule,
    RuleOptimizer,
    Slots,
    apply,
    check_lr,
    decay_of,
    number,
    options_of,
    sign_of,
    zeros,
)

__all__ = ["Adam", "AdamW"]


def _start(param: np.ndarray, options: Options) -> Slots:
    return zeros(param, "exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if options["amsgrad"] else []))


def adam_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Adam`` or ``AdamW`` on an array."""
    beta1, beta2 = map(number, options["betas"])
    decay, shrink = decay_of(options)
    apply(adam, (param, grad, state["exp_avg"], state["exp_avg_sq"],
                 state["max_exp_avg_sq"] if options["amsgrad"] else None),
          number(options["lr"]) / (1 - beta1**step), 1 - beta1, beta2, 1 - beta2, (1 - beta2**step) ** 0.5,
          number(options["eps"]), decay, shrink, sign_of(options))  # fmt: skip


class Adam(RuleOptimizer):
    """Adam: ``p -= lr * m / (sqrt(v) + eps)``; m, v: moving averages of g and of ``g**2``, bias removed.

    ``betas`` are the factors of the averages. ``amsgrad`` divides by the largest v so far. ``weight_decay``
    adds its multiple of the parameter to g, or with ``decoupled_weight_decay`` shrinks the parameter itself
    by ``lr * weight_decay``. ``foreach`` and ``fused`` change nothing here.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2014); Reddi et al., On the convergence
    of Adam and beyond (2018).

    Raises:
        ValueError: a negative option, or a beta outside of [0, 1).

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.Adam([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.9000, 1.9000], requires_grad=True)
    """

    rule = Rule(_start, adam_)
    _checked = ("lr", "eps", "betas", "weight_decay")

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals(), "lr betas eps weight_decay amsgrad maximize"))

    @classmethod
    def _check(cls, options: Options) -> None:
        betas, foreach, capturable = options["betas"], options.get("foreach"), options.get("capturable", True)
        check_lr(options["lr"], foreach, capturable)
        super()._check(options)
        kinds = [isinstance(beta, Tensor) for beta in betas]
        if kinds[0] != kinds[1] or not (kinds[0] or all(isinstance(beta, float) for beta in betas)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if kinds[i] and foreach and not capturable:
                raise ValueError(
                    f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True"
                )
            if kinds[i] and beta.numel() != 1:
                raise ValueError(f"Tensor betas[{i}] must be 1-element")
        options["betas"] = tuple(betas)


class AdamW(Adam):
    """Adam with decoupled weight decay: a step also shrinks the parameter by ``lr * weight_decay``.

    Source: Loshchilov and Hutter, Decoupled weight decay regularization (2017).

    Raises:
        ValueError: as ``Adam``.

    >>> import ast_ad
    >>> p = ast_ad.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.AdamW([p], lr=0.1, weight_decay=0.5)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([0.8500, 1.8000], requires_grad=True)
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[Any, Any] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, **options_of(locals()), decoupled_weight_decay=True)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
