"""What do all schedulers share? They count epochs, and write rates into the groups of an optimiser."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from ....eager.tensor import Tensor
from ..optimizer import Optimizer

EPOCH_IS_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different "
    "from None, the closed form is used instead of the new chainable form, where available. Please open an "
    "issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)
_DETAILS = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
    f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_DETAILS}"
)
WRONG_ORDER = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you "
    "should call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to "
    f"do this will result in PyTorch skipping the first value of the learning rate schedule. {_DETAILS}"
)
NOT_RESUMED = (
    "param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= "
    "0.\nThis typically happens when:\n1. You're trying to resume training from a checkpoint but haven't "
    "properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a fresh training run (not "
    "recommended)"
)


def copied(value: Any) -> Any:
    """A copy of a tensor; a number itself."""
    return value.clone() if isinstance(value, Tensor) else value


def option_of_groups(optimizer: Optimizer, key: str) -> list[Any]:
    """An option of all groups."""
    return [copied(group[key]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option of a group; a tensor that stands there is filled."""
    if isinstance(group[key], Tensor):
        group[key].fill_(value)
    else:
        group[key] = value


def one_per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A value for each group: of a list, or the same for all."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [copied(value) for _ in range(count)]
    if len(value) != count:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {count}."
        )
    return [copied(v) for v in value]


def check_optimizer(optimizer: Any) -> None:
    """Refuse what is no optimiser."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """The base of schedulers: a subclass defines ``get_lr``, the rates of ``self.last_epoch``.

    Args:
        optimizer: whose rates are changed; its groups get the option ``"initial_lr"``.
        last_epoch: where to resume; -1 to begin.

    Raises:
        TypeError: no optimiser.
        KeyError: resuming with groups that have no ``"initial_lr"``.
    """

    _get_lr_called_within_step = False
    _is_initial = False
    _step_count: int
    _last_lr: list[Any]

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(NOT_RESUMED.format(i))
        self.base_lrs: list[Any] = option_of_groups(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        if not getattr(optimizer, "_scheduled", False):
            optimizer._scheduled, optimizer._opt_called = True, False
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates of the groups that were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of the groups for ``self.last_epoch``."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch (or, which is deprecated, to ``epoch``) and set its rates."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "hooked"):
                warnings.warn(OVERRIDDEN, UserWarning, stacklevel=2)
            elif not self.optimizer._opt_called:
                warnings.warn(WRONG_ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_IS_DEPRECATED, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        if epoch is None:
            self.last_epoch += 1
            self._set_rates(self.get_lr)
        else:
            self.last_epoch = epoch
            self._set_rates(getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set_rates(self, rates: Callable[[], list[Any]]) -> None:
        self._get_lr_called_within_step = True
        try:
            values = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_option(group, "lr", lr)
        self._last_lr = option_of_groups(self.optimizer, "lr")

    def _check_within_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


def stored_functions(functions: Sequence[Any]) -> list[Any]:
    """What a state dict keeps of callables: the attributes of objects, None for functions."""
    return [None if isinstance(fn, FunctionType) else fn.__dict__.copy() for fn in functions]


class Momentum:
    """What a scheduler cycles against the rate: the option ``momentum``, or the first of ``betas``."""

    def __init__(self, optimizer: Optimizer) -> None:
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in optimizer.defaults

    def begin(self, optimizer: Optimizer, least: list[Any], most: list[Any]) -> None:
        """Set the momentum of all groups to ``most``, and note both ends in the groups."""
        for group, low, high in zip(optimizer.param_groups, least, most, strict=True):
            set_momentum(group, high, self.use_beta1)
            group["max_momentum"], group["base_momentum"] = high, low


def set_momentum(group: dict[str, Any], value: Any, use_beta1: bool) -> None:
    """Set what serves as momentum in a group."""
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
