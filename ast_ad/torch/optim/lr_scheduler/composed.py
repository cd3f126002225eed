"""How are schedulers combined? One after the other, or all in every step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from .base import LRScheduler, option_of_groups, set_option
from .plateau import ReduceLROnPlateau


class _Composed(LRScheduler):
    """A scheduler that consists of others, all of one optimiser."""

    _schedulers: Sequence[Any]

    def _check(self, schedulers: Sequence[Any], optimizer: Any) -> None:
        name = type(self).__name__
        for i, one in enumerate(schedulers):
            if not hasattr(one, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(one, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional "
                    f"kwargs to be specified when calling `step`, but got one at index {i} in the given "
                    f"schedulers sequence."
                )
            if optimizer is not one.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(one).__name__} at index {i} has {one.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser, with the state dicts of the schedulers."""
        state = super().state_dict()
        del state["_schedulers"]
        return {**state, "_schedulers": [one.state_dict() for one in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` returned."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for one, state in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            one.load_state_dict(state)


class SequentialLR(_Composed):
    """The schedulers one after the other; at each of ``milestones`` the next one begins.

    Raises:
        ValueError: schedulers of different optimisers, or another number of milestones than one less.

    >>> import ast_ad
    >>> from ast_ad.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, 0.1, total_iters=2), ExponentialLR(optimizer, 0.5)]
    >>> scheduler = SequentialLR(optimizer, parts, milestones=[2])
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [0.1, 0.1, 1.0, 0.5, 0.25]
    """

    def __init__(
        self, optimizer: Any, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()  # what the schedulers did when they were made
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back a step's counting, in this scheduler and in those that it consists of."""
        one = self if sched is None else sched
        if hasattr(one, "_schedulers"):
            for part in one._schedulers:
                self.recursive_undo(part)
        elif hasattr(one, "last_epoch"):
            one.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Step the scheduler whose turn it is."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        turn = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            turn._update_lr(0)
        else:
            turn.step()
        self._last_lr = turn.get_last_lr()


class ChainedScheduler(_Composed):
    """All schedulers, in every step, one after the other.

    Raises:
        ValueError: schedulers of different optimisers, or none.

    >>> import ast_ad
    >>> from ast_ad.optim.lr_scheduler import ConstantLR, ExponentialLR
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, 0.1, total_iters=2), ExponentialLR(optimizer, 0.5)]
    >>> scheduler = ChainedScheduler(parts)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(3):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [0.1, 0.05, 0.25, 0.125]
    """

    def __init__(self, schedulers: Sequence[Any], optimizer: Any = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check(schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = option_of_groups(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Step all."""
        for one in self._schedulers:
            one.step()
        self._last_lr = option_of_groups(self.optimizer, "lr")
