"""How does an update rule reach the parameters? On arrays in place, one by one; the same rule for all faces.

A ``Rule`` is what the optimisers of tensors, of arrays and the pure ones have in common. Its functions see
one parameter, the dict of its state and the dict of options; what is the same for all elements is computed
there, and what is done to the elements is a kernel of ``ast_ad.rules.loops``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...eager.dtypes import get_default_dtype
from ...eager.state import restore, silence
from ...eager.tensor import Tensor
from ...rules.loops import WORTHWHILE, Kernel, has_numba
from .optimizer import Optimizer, before_change

Options = dict[str, Any]
Slots = dict[str, Any]
BLOCK = 1 << 15  # elements whose temporaries stay in the cache, where NumPy makes them


class Rule(NamedTuple):
    """An update rule.

    ``start(param, options)`` makes the state of a parameter, without the count of steps;
    ``update(param, grad, state, step, options)`` changes the parameter and its state in place, ``step``
    counting from 1. ``counts``: whether the state has a ``"step"``. ``late(options)``: the names of the state
    that appears with the first update only.
    """

    start: Callable[[np.ndarray, Options], Slots]
    update: Callable[[np.ndarray, np.ndarray, Slots, int, Options], None]
    counts: bool = True
    late: Callable[[Options], tuple[str, ...]] = lambda options: ()


def number(option: Any) -> float:
    """An option, which may be a tensor with one element, as a number."""
    return option if option.__class__ is float else float(option)


def sign_of(options: Options) -> float:
    """-1 where the objective is maximised, else 1."""
    return -1.0 if options["maximize"] else 1.0


def decay_of(options: Options) -> tuple[float, float]:
    """What is added to the gradient for each unit of the parameter, and what the parameter shrinks by."""
    decay = number(options["weight_decay"])
    return (0.0, 1.0 - number(options["lr"]) * decay) if options["decoupled_weight_decay"] else (decay, 1.0)


def zeros(param: np.ndarray, *names: str) -> Slots:
    """A state of arrays like the parameter, which are 0 at first."""
    return {name: np.zeros_like(param) for name in names}


def scalar(value: float) -> np.ndarray:
    """A number of a parameter's state: an array of the default dtype without dimensions."""
    return np.array(value, np.float64 if get_default_dtype().dtype == np.float64 else np.float32)


def apply(rule: Kernel, arrays: tuple[Any, ...], *numbers: float) -> None:
    """Run a kernel on a parameter, its gradient and arrays of its state (None for those that are not used).

    Complex arrays are updated as their real and imaginary parts. Large arrays whose elements lie in memory
    in one order without gaps are flattened, for one pass of compiled loops, or, without Numba, for NumPy in
    blocks that fit in the cache.
    """
    param = arrays[0]
    if param.size < WORTHWHILE and param.ndim and param.dtype.kind == "f":
        rule.plain(*arrays, *numbers)
    elif param.dtype.kind == "c":
        for part in (np.real, np.imag):
            apply(rule, tuple([None if a is None else part(a) for a in arrays]), *numbers)
    elif param.ndim == 0:
        rule.plain(*[None if a is None else a.reshape(1) for a in arrays], *numbers)
    else:
        _apply_to_large(rule, arrays, numbers)


def _apply_to_large(rule: Kernel, arrays: tuple[Any, ...], numbers: tuple[float, ...]) -> None:
    param, grad, *state = arrays
    strides = param.strides
    if not param.flags.forc or any(a is not None and a.strides != strides for a in state):
        rule.plain(*arrays, *numbers)
        return
    if grad.strides != strides:
        ordered = np.empty_like(param)
        ordered[...] = grad
        grad = ordered
    flat = [None if a is None else a.ravel(order="K") for a in (param, grad, *state)]
    if has_numba() and param.dtype.itemsize in (4, 8) and param.dtype.isnative:
        loops = rule.compiled
        if loops is None:
            loops = rule.compiled = rule.compile()
        kind = param.dtype.type
        loops(*flat, *[kind(n) for n in numbers])
        return
    for first in range(0, param.size, BLOCK):
        rule.plain(*[None if a is None else a[first : first + BLOCK] for a in flat], *numbers)


class RuleOptimizer(Optimizer):
    """An optimiser that updates each parameter by a rule.

    The signature of its constructor is the list of its options. ``_checked`` are those that have bounds, in
    the order in which PyTorch looks at them.
    """

    rule: Rule
    _checked: ClassVar[tuple[str, ...]] = ("lr",)

    def __init__(self, params: Any, options: Options) -> None:
        self._check(options)
        super().__init__(params, options)
        if options.get("fused") and options.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")

    @classmethod
    def _check(cls, options: Options) -> None:
        """Refuse options that make no sense (ValueError)."""
        for name in cls._checked:
            check_option(name, options[name])

    def step(self, closure: Any = None) -> Any:
        """Update the parameters once.

        Args:
            closure: computes the loss, and the gradients, anew (optional). An optimiser of arrays takes the
                gradients here, in the containers of the parameters, or a function that returns the loss and
                the gradients.

        Returns:
            the loss that ``closure`` returned, if any.
        """
        loss = self._evaluate(closure)
        update = self.rule.update
        token = silence()
        try:
            for group in self.param_groups:
                if group.get("capturable"):
                    raise AssertionError(NOT_CAPTURABLE)
                for p in group["params"]:
                    grad = p._grad
                    if grad is None:
                        continue
                    array, g = p._array, grad._array
                    if g.dtype != array.dtype:
                        g = g.astype(array.dtype)
                    state = self.state.get(p)
                    if not state:
                        state = self._started(p, group)
                    slots = {key: value._array for key, value in state.items() if value is not None}
                    step = 0
                    if (count := slots.get("step")) is not None:
                        count += 1
                        step = int(count)
                    known = len(slots)
                    before_change(p)
                    update(array, g, slots, step, group)
                    if len(slots) != known:
                        self._adopt(p, slots)
        finally:
            restore(token)
        return loss

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in LATER.items():
                if name in self.defaults:
                    group.setdefault(name, value)
            for p in group["params"]:
                slots = self.state.get(p, {})
                for name in NUMBERS & slots.keys():
                    if not isinstance(slots[name], Tensor):
                        slots[name] = Tensor._of(scalar(float(slots[name])))

    def _started(self, p: Any, group: Options) -> Slots:
        """The state of a parameter before its first step."""
        slots = {"step": scalar(0.0)} if self.rule.counts else {}
        slots.update(self.rule.start(p._array, group))
        return self._adopt(p, slots) if slots else {}

    def _adopt(self, p: Any, slots: Slots) -> Slots:
        state: Slots = self.state[p]
        for key, value in slots.items():
            if state.get(key) is None:
                state[key] = Tensor._of(value)
        return state


# Options that the state dicts of older versions lack, and numbers that were not tensors in them.
LATER = {
    "momentum": 0,
    "centered": False,
    "nesterov": False,
    "amsgrad": False,
    "decoupled_weight_decay": False,
    "maximize": False,
    "foreach": None,
    "fused": None,
    "capturable": False,
    "differentiable": False,
}
NUMBERS = {"step", "mu_product", "eta", "mu"}
NOT_CAPTURABLE = (
    "If capturable=True, params and state_steps must be on supported devices: "
    "['cuda', 'xpu', 'hpu', 'privateuseone', 'xla']."
)


# ----- the options of constructors


def options_of(arguments: Options, order: str = "") -> Options:
    """The options among the arguments of a constructor: its ``locals()``, before it has any others.

    ``order``: what comes first in PyTorch's groups, where that is not the order of the signature.
    """
    names = dict.fromkeys((*order.split(), *arguments))
    return {name: arguments[name] for name in names if name not in NO_OPTIONS}


NO_OPTIONS = {"self", "params", "__class__"}


def check_lr(lr: Any, foreach: Any = None, capturable: Any = True) -> None:
    """Refuse a learning rate that is negative, or a tensor with several elements."""
    if isinstance(lr, Tensor):
        if foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        if lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
    check_not_negative(lr, "learning rate")


def check_not_negative(value: Any, what: str) -> None:
    """Refuse a number that is negative or NaN."""
    if not value >= 0.0:
        raise ValueError(f"Invalid {what}: {value}")


def check_option(name: str, value: Any) -> None:
    """Refuse an option that is out of its bounds."""
    if name == "lr":
        check_lr(value)
    elif name == "betas":
        check_betas(value)
    elif name == "rho":
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"Invalid rho value: {value}")
    else:
        check_not_negative(value, "epsilon value" if name == "eps" else f"{name} value")


def check_betas(betas: Any) -> None:
    """Refuse factors of moving averages outside of [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
