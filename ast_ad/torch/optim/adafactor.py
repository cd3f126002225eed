"""How does Adafactor step? Scaled by the root of an average square that is kept for rows and columns only."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rules import Options, Rule, RuleOptimizer, Slots, number, options_of, zeros

__all__ = ["Adafactor"]


def _start(param: np.ndarray, options: Options) -> Slots:
    if param.dtype.kind == "c":
        raise RuntimeError("Adafactor does not support complex parameters")
    if param.ndim < 2:
        return zeros(param, "variance")
    shape = param.shape
    rows, columns = (*shape[:-1], 1), (*shape[:-2], 1, shape[-1])
    return {"row_var": np.zeros(rows, param.dtype), "col_var": np.zeros(columns, param.dtype)}


def adafactor_(param: np.ndarray, grad: np.ndarray, state: Slots, step: int, options: Options) -> None:
    """One step of ``Adafactor`` on an array."""
    lr, fresh = number(options["lr"]), float(step) ** options["beta2_decay"]
    least, scale = options["eps"]
    least = float(np.finfo(param.dtype).eps) if least is None else least
    rate = max(scale, _size(param)) * min(lr, step**-0.5)
    if options["weight_decay"] != 0:
        param *= 1 - lr * options["weight_decay"]
    square = grad * grad
    if param.ndim < 2:
        variance = state["variance"]
        variance += fresh * (square - variance)
    else:
        rows, columns = state["row_var"], state["col_var"]
        rows += fresh * (square.mean(-1, keepdims=True) - rows)
        columns += fresh * (square.mean(-2, keepdims=True) - columns)
        variance = rows @ columns / np.maximum(rows.mean(-2, keepdims=True), least)
    update = grad / np.sqrt(np.maximum(variance, least * least))
    rate /= max(1.0, _size(update) / options["d"])
    param += (rate if options["maximize"] else -rate) * update


def _size(array: np.ndarray) -> float:
    """The root of the mean square."""
    return float(np.linalg.norm(array)) / float(array.size**0.5)


class Adafactor(RuleOptimizer):
    """Adafactor: ``p -= rate * u`` with ``u = g / sqrt(v)``; of v only means over rows and columns are kept.

    v is the average of ``g**2``, in which the newest has the weight ``step ** beta2_decay``. The rate is
    ``min(lr, 1 / sqrt(step))`` times the parameter's root mean square (``eps[1]`` at least), divided by that
    of u as far as it exceeds ``d``. ``eps[0]`` (by default that of the dtype) keeps the root from 0.
    ``foreach`` changes nothing here.

    Source: Shazeer and Stern, Adafactor: adaptive learning rates with sublinear memory cost (2018).

    Raises:
        ValueError: an option out of its bounds.
        RuntimeError: complex parameters, in ``step``.

    >>> import ast_ad
    >>> p = ast_ad.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    >>> optimizer = ast_ad.optim.Adafactor([p], lr=0.1)
    >>> (p * p).sum().backward()
    >>> optimizer.step()
    >>> p
    tensor([[0.7879, 1.7000],
            [2.7154, 3.7317]], requires_grad=True)
    """

    rule = Rule(_start, adafactor_)

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options_of(locals()))

    @classmethod
    def _check(cls, options: Options) -> None:
        lr, decay, (least, scale), d, weight_decay = list(options.values())[:5]
        if getattr(lr, "ndim", 0) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for right, text in (
            (0.0 <= lr, f"Learning rate should be >= 0 but is: {lr}"),
            (0.0 >= decay, f"beta2_decay should be <= 0 but is: {decay}"),
            (least is None or 0.0 <= least, f"epsilon1 should be >= 0 but is: {least}"),
            (0.0 <= scale, f"epsilon2 should be >= 0 but is: {scale}"),
            (1.0 <= d, f"Clipping threshold d should be >= 1 but is: {d}"),
            (0.0 <= weight_decay, f"weight_decay should be >= 0 but is: {weight_decay}"),
        ):
            if not right:
                raise ValueError(text)
