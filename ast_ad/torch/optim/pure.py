"""Which optimisers change nothing? Those that return new parameters and a new state, for any nest of arrays.

``init(params)`` makes the state, ``update(grads, state, params)`` returns the next parameters and state. The
rules are those of the classes of ``ast_ad.optim``, and so are the results. Parameters are arrays and floats
in dicts, lists, tuples, named tuples and dataclasses; gradients come in the same containers, as
``value_and_grad`` returns them.

>>> import numpy as np
>>> from ast_ad import value_and_grad
>>> from ast_ad.optim import pure
>>> def loss(params, x, y):
...     return np.mean((x @ params["w"] + params["b"] - y) ** 2)
>>> x, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
>>> params = {"w": np.zeros(1), "b": 0.0}
>>> optimizer = pure.adam(lr=0.1)
>>> state = optimizer.init(params)
>>> for _ in range(300):
...     value, grads = value_and_grad(loss)(params, x, y)
...     params, state = optimizer.update(grads, state, params)
>>> params["w"].round(2), round(params["b"], 2)
(array([2.]), 1.0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager.state import restore, silence
from ...trees import flatten
from .adagrad import Adagrad
from .adam import Adam
from .arrays import fitting_gradient, leaves_like
from .rmsprop import RMSprop
from .rules import Options, Rule, Slots, options_of
from .sgd import SGD

__all__ = ["PureOptimizer", "adagrad", "adam", "adamw", "rmsprop", "sgd"]

Rate = float | Callable[[int], float]


class PureOptimizer:
    """An update rule with its options; made by ``sgd``, ``adam`` and the like.

    The state is a dict: ``"count"``, the number of updates so far; ``"step"``, that of each parameter (those
    without a gradient are left out of an update); and what the rule remembers, such as ``"exp_avg"``, in the
    containers of the parameters.
    """

    def __init__(self, name: str, rule: Rule, options: Options, check: Callable[[Options], None]) -> None:
        self.name, self.rule, self.options = name, rule, options
        rate = options["lr"]
        check({**options, "lr": 0.0} if callable(rate) else options)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.options.items())})"

    def _options(self, count: int) -> Options:
        rate = self.options["lr"]
        return {**self.options, "lr": float(rate(count))} if callable(rate) else self.options

    def init(self, params: Any) -> dict[str, Any]:
        """The state before the first update.

        Args:
            params: arrays and floats in containers.

        Raises:
            TypeError: integers among them.

        >>> sgd(0.1, momentum=0.9).init({"w": np.ones(2)})
        {'count': 0, 'momentum_buffer': {'w': None}}
        """
        leaves, tree = flatten(params, "params")
        options = self._options(0)
        found: dict[str, list[Any]] = {}
        if self.rule.counts:
            found["step"] = [0] * len(leaves)
        for name in self.rule.late(options):
            found[name] = [None] * len(leaves)
        for i, (leaf, path) in enumerate(zip(leaves, tree.paths("params"), strict=True)):
            for name, value in self.rule.start(_array(leaf, path), options).items():
                found.setdefault(name, [None] * len(leaves))[i] = value
        return {"count": 0, **{name: tree.unflatten(values) for name, values in found.items()}}

    def update(self, grads: Any, state: dict[str, Any], params: Any) -> tuple[Any, dict[str, Any]]:
        """The parameters and the state after one step; the arguments stay as they are.

        Args:
            grads: in the containers of ``params``; parameters whose gradient is None stay, and so does all
                below a container that is None.
            state: of ``init``, or of the update before.
            params: of the update before.

        Raises:
            ValueError: gradients or a state of other structure or shapes than the parameters.
            TypeError: integers among the parameters, or complex gradients of real ones.

        >>> optimizer = sgd(lr=lambda count: 0.1 / (1 + count))
        >>> params = {"w": np.array([1.0, 2.0]), "b": 0.5}
        >>> params, state = optimizer.update({"w": np.ones(2), "b": None}, optimizer.init(params), params)
        >>> params, state
        ({'w': array([0.9, 1.9]), 'b': 0.5}, {'count': 1})
        """
        leaves, tree = flatten(params, "params")
        paths = tree.paths("params")
        gradients = leaves_like(tree, grads, "grads")
        slots = {
            name: leaves_like(tree, value, f"state[{name!r}]")
            for name, value in state.items()
            if name != "count"
        }
        options = self._options(state["count"])
        token = silence()
        try:
            for i, (leaf, grad, path) in enumerate(zip(leaves, gradients, paths, strict=True)):
                if grad is None:
                    continue
                own = {name: values[i] for name, values in slots.items()}
                leaves[i], own = self._updated(leaf, grad, own, options, path)
                for name, value in own.items():
                    slots[name][i] = value
        finally:
            restore(token)
        kept = {name: tree.unflatten(values) for name, values in slots.items()}
        return tree.unflatten(leaves), {"count": state["count"] + 1, **kept}

    def _updated(self, leaf: Any, grad: Any, own: Slots, options: Options, path: str) -> tuple[Any, Slots]:
        """A parameter, and its state, after one step."""
        param = _array(leaf, path).copy(order="K")
        grad = fitting_gradient(grad, param, path)
        if self.rule.counts and "step" not in own:
            raise ValueError(f"the state was not made by init() of {self}: it has no 'step'")
        step = own.pop("step", 0) + 1
        slots = {
            name: value.copy(order="K") if isinstance(value, np.ndarray) else np.array(value)
            for name, value in own.items()
            if value is not None
        }
        try:
            self.rule.update(param, grad, slots, step, options)
        except KeyError as error:
            raise ValueError(f"the state was not made by init() of {self}: it has no {error}") from None
        if self.rule.counts:
            slots["step"] = step
        if isinstance(leaf, np.ndarray):
            return param, slots
        return param[()] if isinstance(leaf, np.generic) else param.item(), slots


def _array(leaf: Any, path: str) -> np.ndarray:
    array = np.asarray(leaf)
    if array.dtype.kind not in "fc":
        raise TypeError(f"{path} has dtype {array.dtype}: only real and complex numbers can be optimised")
    return array


def sgd(
    lr: Rate = 1e-3,
    momentum: float = 0.0,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
    maximize: bool = False,
) -> PureOptimizer:
    """Gradient descent; the options are those of ``ast_ad.optim.SGD``.

    Args:
        lr: a number, or a function of the number of updates so far.

    Raises:
        ValueError: as ``SGD``.

    >>> optimizer = sgd(0.1)
    >>> params = [np.array([1.0, 2.0])]
    >>> optimizer.update([np.array([1.0, -1.0])], optimizer.init(params), params)[0]
    [array([0.9, 2.1])]
    """
    return PureOptimizer("sgd", SGD.rule, options_of(locals()), SGD._check)


def adam(
    lr: Rate = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    amsgrad: bool = False,
    maximize: bool = False,
    decoupled_weight_decay: bool = False,
) -> PureOptimizer:
    """Adam; the options are those of ``ast_ad.optim.Adam``.

    Args:
        lr: a number, or a function of the number of updates so far.

    Raises:
        ValueError: as ``Adam``.

    >>> optimizer = adam(0.1)
    >>> params = {"w": np.array([1.0, 2.0])}
    >>> params, state = optimizer.update({"w": np.array([1.0, -1.0])}, optimizer.init(params), params)
    >>> params["w"].round(6), sorted(state)
    (array([0.9, 2.1]), ['count', 'exp_avg', 'exp_avg_sq', 'step'])
    """
    options = {**options_of(locals()), "betas": tuple(betas)}
    return PureOptimizer("adam", Adam.rule, options, Adam._check)


def adamw(
    lr: Rate = 1e-3,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 1e-2,
    amsgrad: bool = False,
    maximize: bool = False,
) -> PureOptimizer:
    """Adam with decoupled weight decay; the options are those of ``ast_ad.optim.AdamW``.

    Args:
        lr: a number, or a function of the number of updates so far.

    Raises:
        ValueError: as ``AdamW``.

    >>> optimizer = adamw(0.1, weight_decay=0.5)
    >>> params = {"w": np.array([1.0, 2.0])}
    >>> params, state = optimizer.update({"w": np.array([1.0, -1.0])}, optimizer.init(params), params)
    >>> params["w"].round(6)
    array([0.85, 2.  ])
    """
    return adam(**options_of(locals()), decoupled_weight_decay=True)


def rmsprop(
    lr: Rate = 1e-2,
    alpha: float = 0.99,
    eps: float = 1e-8,
    weight_decay: float = 0.0,
    momentum: float = 0.0,
    centered: bool = False,
    maximize: bool = False,
) -> PureOptimizer:
    """RMSprop; the options are those of ``ast_ad.optim.RMSprop``.

    Args:
        lr: a number, or a function of the number of updates so far.

    Raises:
        ValueError: as ``RMSprop``.

    >>> optimizer = rmsprop(0.1)
    >>> params = {"w": np.array([3.0, 2.0])}
    >>> params, state = optimizer.update({"w": np.array([1.0, -1.0])}, optimizer.init(params), params)
    >>> params["w"].round(6)
    array([2., 3.])
    """
    return PureOptimizer("rmsprop", RMSprop.rule, options_of(locals()), RMSprop._check)


def adagrad(
    lr: Rate = 1e-2,
    lr_decay: float = 0.0,
    weight_decay: float = 0.0,
    initial_accumulator_value: float = 0.0,
    eps: float = 1e-10,
    maximize: bool = False,
) -> PureOptimizer:
    """Adagrad; the options are those of ``ast_ad.optim.Adagrad``.

    Args:
        lr: a number, or a function of the number of updates so far.

    Raises:
        ValueError: as ``Adagrad``.

    >>> optimizer = adagrad(0.1)
    >>> params = {"w": np.array([1.0, 2.0])}
    >>> params, state = optimizer.update({"w": np.array([1.0, -1.0])}, optimizer.init(params), params)
    >>> params["w"].round(6)
    array([0.9, 2.1])
    """
    options = options_of(locals(), "lr lr_decay weight_decay eps maximize")
    return PureOptimizer("adagrad", Adagrad.rule, options, Adagrad._check)
