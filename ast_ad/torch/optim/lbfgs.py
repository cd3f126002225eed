"""How does L-BFGS step? Along the gradient times an inverse Hessian that the last few changes suggest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...eager.state import restore, silence
from ...eager.tensor import Tensor
from .line_search import Point, WolfeSearch
from .optimizer import Optimizer, before_change
from .rules import check_lr, number, options_of

__all__ = ["LBFGS"]


class History:
    """The last changes of gradient (y) and parameters (s), and the inverse Hessian that they suggest."""

    def __init__(self, limit: int, state: dict[str, Any]) -> None:
        self.limit = limit
        self.ys, self.ss, self.ro = [
            [plain(v) for v in state.get(k) or ()] for k in ("old_dirs", "old_stps", "ro")
        ]
        self.scale = plain(state.get("H_diag", 1))
        self.al: list[Any] | None = state.get("al")

    def add(self, y: np.ndarray, s: np.ndarray) -> None:
        """Remember one more change, unless the curvature along it is not positive."""
        curvature = y.dot(s)
        if not curvature > 1e-10:
            return
        if len(self.ys) == self.limit:
            for kept in (self.ys, self.ss, self.ro):
                kept.pop(0)
        self.ys.append(y)
        self.ss.append(s)
        self.ro.append(1.0 / curvature)
        self.scale = curvature / y.dot(y)

    def direction(self, grad: np.ndarray) -> np.ndarray:
        """Minus the inverse Hessian times ``grad``, by the two-loop recursion."""
        al = self.al = [None] * self.limit if self.al is None else self.al
        d = -grad
        for i in reversed(range(len(self.ys))):
            al[i] = self.ss[i].dot(d) * self.ro[i]
            d -= al[i] * self.ys[i]
        d *= self.scale
        for y, s, ro, a in zip(self.ys, self.ss, self.ro, al, strict=False):
            d += (a - y.dot(d) * ro) * s
        return d

    def store(self, state: dict[str, Any], d: np.ndarray, t: Any) -> None:
        """Write what is remembered, and the last step, into an optimiser's state, as tensors."""
        if self.al is not None:
            state["al"] = [wrapped(a) for a in self.al]
        state.update(d=wrapped(d), t=wrapped(t))
        for key, kept in (("old_dirs", self.ys), ("old_stps", self.ss), ("ro", self.ro)):
            state[key] = [wrapped(value) for value in kept]
        state["H_diag"] = wrapped(self.scale)


def plain(value: Any) -> Any:
    """The array of a tensor, or NumPy's number where it has no dimensions."""
    return value._array[()] if isinstance(value, Tensor) else value


def wrapped(value: Any) -> Any:
    """A tensor around an array or a number of NumPy's."""
    return Tensor._of(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def _largest(array: np.ndarray) -> Any:
    return np.abs(array).max()


class LBFGS(Optimizer):
    """L-BFGS: quasi-Newton steps, each ``step(closure)`` making up to ``max_iter`` of them.

    ``closure`` clears the gradients, computes the loss, calls ``backward`` and returns the loss; it is called
    several times. There is one group of parameters. ``lr`` scales steps, or begins a line search
    (``line_search_fn="strong_wolfe"``); ``history_size`` changes are remembered. The iterations end after
    ``max_eval`` evaluations (default ``1.25 * max_iter``), when no element of the gradient is larger than
    ``tolerance_grad``, or no change of parameters or loss larger than ``tolerance_change``.

    Source: Nocedal and Wright, Numerical optimization (2006), algorithm 7.5.

    Raises:
        ValueError: a negative rate, or several groups.
        RuntimeError: an unknown line search.

    >>> import ast_ad
    >>> p = ast_ad.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = ast_ad.optim.LBFGS([p], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((p - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(13., grad_fn=<SumBackward0>)
    >>> [round(x, 3) for x in p.tolist()]
    [1.0, 1.0]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, options_of(locals()))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self) -> list[Any]:
        params: list[Any] = self.param_groups[0]["params"]
        return params

    # ----- all parameters as one vector
    def _flat_grad(self) -> np.ndarray:
        parts = []
        for p in self._params:
            grad = np.zeros_like(p._array) if p._grad is None else p._grad._array
            flat = np.ascontiguousarray(grad).reshape(-1)
            parts.append(flat.view(flat.real.dtype))
        return np.concatenate(parts)

    def _move(self, step: Any, direction: np.ndarray) -> None:
        start = 0
        for p in self._params:
            array = p._array
            numbers = array.size * (2 if array.dtype.kind == "c" else 1)
            part = (direction[start : start + numbers] * step).astype(array.real.dtype, copy=False)
            before_change(p)
            array[...] += part.view(array.dtype).reshape(array.shape)
            start += numbers

    def _loss(self, closure: Any) -> float:
        return self._number(self._evaluate(closure))

    @staticmethod
    def _number(loss: Any) -> float:
        return float(loss._array if isinstance(loss, Tensor) else loss)

    def step(self, closure: Any = None) -> Any:
        """Make up to ``max_iter`` iterations.

        Args:
            closure: computes the loss and the gradients anew, and returns the loss; for an optimiser of
                arrays, returns the loss and the gradients.

        Returns:
            the loss before the first iteration.
        """
        if not callable(closure):
            raise TypeError("LBFGS.step() takes a closure, which it calls several times")
        token = silence()
        try:
            return self._iterate(closure)
        finally:
            restore(token)

    def _iterate(self, closure: Any) -> Any:
        options = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = self._evaluate(closure)
        loss, grad, evaluations = self._number(first_loss), self._flat_grad(), 1
        state["func_evals"] += 1
        if _largest(grad) <= options["tolerance_grad"]:
            return first_loss
        history = History(options["history_size"], state)
        d, t, old_grad = [plain(state.get(key)) for key in ("d", "t", "prev_flat_grad")]
        old_loss = state.get("prev_loss")
        for i in range(1, options["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d = -grad
                t = min(1.0, 1.0 / np.abs(grad).sum()) * number(options["lr"])
                history = History(options["history_size"], {})
            else:
                history.add(grad - old_grad, d * t)
                d, t = history.direction(grad), options["lr"]
                t = plain(t)
            old_grad, old_loss = grad, loss
            slope = grad.dot(d)
            if slope > -options["tolerance_change"]:
                break
            last = i == options["max_iter"]
            here = Point(0, loss, grad, slope)
            t, loss, grad, used = self._advance(closure, here, d, t, options, evaluations, last)
            evaluations += used
            state["func_evals"] += used
            if last or evaluations >= options["max_eval"] or _largest(grad) <= options["tolerance_grad"]:
                break
            if (
                _largest(d * t) <= options["tolerance_change"]
                or abs(loss - old_loss) < options["tolerance_change"]
            ):
                break
        history.store(state, d, t)
        state.update(prev_flat_grad=wrapped(old_grad), prev_loss=old_loss)
        return first_loss

    def _advance(
        self, closure: Any, here: Point, d: np.ndarray, t: Any, options: Any, evaluations: int, last: bool
    ) -> tuple[Any, float, np.ndarray, int]:
        """Move along ``d``; the step size, loss and gradient there, and the number of evaluations."""
        if options["line_search_fn"] is None:
            self._move(t, d)
            if last:  # what comes next is another call, for another batch perhaps
                return t, here.loss, here.grad, 0
            return t, self._loss(closure), self._flat_grad(), 1
        if options["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        origin = [p._array.copy() for p in self._params]

        def evaluate(t: Any) -> Point:
            self._move(t, d)
            loss, grad = self._loss(closure), self._flat_grad()
            for p, array in zip(self._params, origin, strict=True):
                before_change(p)
                p._array[...] = array
            return Point(t, loss, grad, grad.dot(d))

        limit = options["max_eval"] - evaluations
        search = WolfeSearch(evaluate, here, _largest(d), limit, options["tolerance_change"])
        found, used = search.run(t)
        self._move(found.t, d)
        return found.t, found.loss, found.grad, used
