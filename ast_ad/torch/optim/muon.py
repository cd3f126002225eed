"""How does Muon step? Along the orthogonal matrix that is nearest to an average gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rules import Options, Rule, RuleOptimizer, Slots, number, options_of, zeros

__all__ = ["Muon"]

ADJUSTMENTS = (None, "original", "match_rms_adamw")


def _start(param: np.ndarray, options: Options) -> Slots:
    if param.dtype.kind == "c":
        raise RuntimeError("Muon does not support complex parameters")
    return zeros(param, "momentum_buffer")


def orthogonal(matrix: np.ndarray, coefficients: tuple[float, ...], steps: int, eps: float) -> np.ndarray:
    """A matrix with the same singular vectors and values near 1, by Newton's and Schulz's iteration."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / max(float(np.linalg.norm(x)), eps)
    for _ in range(steps):
        gram = x @ x.T
        x = a * x + (b * gram + c * (gram @ gram)) @ x
    return x.T if tall else x


def muon_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Muon`` on a matrix."""
    lr, momentum, average = number(options["lr"]), options["momentum"], state["momentum_buffer"]
    average += (1 - momentum) * (grad - average)
    ahead = grad + momentum * (average - grad) if options["nesterov"] else average
    update = orthogonal(ahead, options["ns_coefficients"], options["ns_steps"], options["eps"])
    rows, columns = param.shape
    of_adamw = options["adjust_lr_fn"] == "match_rms_adamw"
    ratio = 0.2 * max(rows, columns) ** 0.5 if of_adamw else max(1, rows / columns) ** 0.5
    param *= 1 - lr * options["weight_decay"]
    param -= (lr * ratio) * update


class Muon(RuleOptimizer):
    """Muon: ``p -= lr * sqrt(max(1, m / n)) * o`` for matrices; o is near an orthogonal factor.

    It is the factor of the gradient's average, which keeps ``momentum`` of itself; ``nesterov`` averages once
    more with the gradient. It is found by ``ns_steps`` of Newton's and Schulz's iterations, whose polynomial
    has the ``ns_coefficients``. With ``adjust_lr_fn="match_rms_adamw"`` the factor of ``lr`` is
    ``0.2 * sqrt(max(m, n))``. ``weight_decay`` shrinks the parameter by ``lr * weight_decay``. PyTorch
    iterates in bfloat16, which NumPy lacks: its steps differ by about a hundredth of ``lr``.

    Source: Jordan et al., Muon: an optimizer for hidden layers in neural networks (2024); Liu et al., Muon is
    scalable for LLM training (2025).

    Raises:
        ValueError: parameters that are no matrices, a negative option, an unknown ``adjust_lr_fn``.
        RuntimeError: complex parameters, in ``step``.

    >>> import ast_ad
    >>> p = ast_ad.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> optimizer = ast_ad.optim.Muon([p], lr=0.1, weight_decay=0.0)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([[1.0681, 1.9174],
            [2.9259, 3.9741]], requires_grad=True)
    """

    rule = Rule(_start, muon_, counts=False)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        super().__init__(params, options_of(locals()))
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    @classmethod
    def _check(cls, options: Options) -> None:
        lr, adjustment = options["lr"], options["adjust_lr_fn"]
        if getattr(lr, "ndim", 0) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, what in (
            ("lr", "Learning rate"),
            ("momentum", "momentum"),
            ("weight_decay", "weight decay"),
        ):
            if not 0.0 <= options[name]:
                raise ValueError(f"{what} should be >= 0 but is: {options[name]}")
        if adjustment not in ADJUSTMENTS:
            raise ValueError(f"Adjust learning rate function {adjustment} is not supported")
