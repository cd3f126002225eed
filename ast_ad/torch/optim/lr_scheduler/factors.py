"""Which schedulers multiply the rate by a factor? By functions, steps, lines, exponentials and powers."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from .base import LRScheduler, option_of_groups, stored_functions


class _Factor(LRScheduler):
    """A scheduler that multiplies the present rates of all groups by ``_factor()``; None leaves them."""

    def _factor(self) -> float | None:
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        factor = self._factor()
        if factor is None:
            return option_of_groups(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _Functions(LRScheduler):
    """A scheduler with a function for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        self.lr_lambdas: list[Callable[[int], float]]
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        pass

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser; of the functions, only the attributes of callable objects."""
        state = super().state_dict()
        del state["lr_lambdas"]
        return {**state, "lr_lambdas": stored_functions(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` returned; functions stay, and get the stored attributes."""
        stored = state_dict["lr_lambdas"]
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for fn, attributes in zip(self.lr_lambdas, stored, strict=False):
            if attributes is not None:
                fn.__dict__.update(attributes)


class LambdaLR(_Functions):
    """The initial rate times ``lr_lambda(epoch)``; a list has a function for each group.

    Raises:
        ValueError: another number of functions than groups.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = LambdaLR(optimizer, lr_lambda=lambda epoch: 1 / (1 + epoch))
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 0.5, 0.3333, 0.25, 0.2]
    """

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        return [
            base_lr * fn(self.last_epoch) for fn, base_lr in zip(self.lr_lambdas, self.base_lrs, strict=True)
        ]


class MultiplicativeLR(_Functions):
    """The rate times ``lr_lambda(epoch)`` in each epoch but the first; a list has a function for each group.

    Raises:
        ValueError: another number of functions than groups.
        TypeError: no function.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = MultiplicativeLR(optimizer, lr_lambda=lambda epoch: 0.5)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 0.5, 0.25, 0.125, 0.0625]
    """

    def _check_functions(self) -> None:
        for fn in self.lr_lambdas:
            if not callable(fn):
                raise TypeError(f"lr_lambda should be a function, but got {type(fn).__name__}")

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        if self._is_initial:
            return option_of_groups(self.optimizer, "lr")
        groups = self.optimizer.param_groups
        return [group["lr"] * fn(self.last_epoch) for fn, group in zip(self.lr_lambdas, groups, strict=True)]


class StepLR(_Factor):
    """The rate times ``gamma``, every ``step_size`` epochs.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return None if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(_Factor):
    """The rate times ``gamma``, in each of the epochs ``milestones``.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = MultiStepLR(optimizer, milestones=[2, 3], gamma=0.5)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 1.0, 0.5, 0.25, 0.25]
    """

    def __init__(
        self, optimizer: Any, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        times = self.milestones[self.last_epoch]
        return float(self.gamma**times) if times else None

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**passed for lr in self.base_lrs]


class ConstantLR(_Factor):
    """The rate times ``factor`` in the first ``total_iters`` epochs.

    Raises:
        ValueError: a factor outside of [0, 1].

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [0.5, 0.5, 1.0, 1.0, 1.0]
    """

    def __init__(
        self, optimizer: Any, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [lr * (self.factor + over * (1 - self.factor)) for lr in self.base_lrs]


class LinearLR(_Factor):
    """The rate times a factor that goes from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs.

    Raises:
        ValueError: factors outside of (0, 1] and [0, 1].

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = LinearLR(optimizer, start_factor=0.5, total_iters=2)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [0.5, 0.75, 1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        optimizer: Any,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return [lr * (self.start_factor + rise * done / self.total_iters) for lr in self.base_lrs]


class ExponentialLR(_Factor):
    """The rate times ``gamma`` in every epoch.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = ExponentialLR(optimizer, gamma=0.5)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 0.5, 0.25, 0.125, 0.0625]
    """

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return None if self._is_initial else self.gamma

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class PolynomialLR(_Factor):
    """The initial rate times ``(1 - epoch / total_iters) ** power``, until it is 0.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = PolynomialLR(optimizer, total_iters=4)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [1.0, 0.75, 0.5, 0.25, 0.0]
    """

    def __init__(
        self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        left, before = [1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1)]
        return float((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        done = min(self.total_iters, self.last_epoch)
        return [lr * (1.0 - done / self.total_iters) ** self.power for lr in self.base_lrs]
