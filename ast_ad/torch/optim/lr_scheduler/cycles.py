"""Which schedulers go up and down? Triangular cycles, and one cycle for the whole training.

Momentum goes the other way. Sources: Smith, Cyclical learning rates for training neural networks (2015);
Smith and Topin, Super-convergence (2017).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .base import (
    LRScheduler,
    Momentum,
    check_optimizer,
    one_per_group,
    set_momentum,
    set_option,
    stored_functions,
)


class CyclicLR(LRScheduler):
    """The rate goes from ``base_lr`` to ``max_lr`` in ``step_size_up`` steps and back in ``step_size_down``.

    The height of a cycle stays (``mode="triangular"``), is halved each time (``"triangular2"``) or falls as
    ``gamma ** step`` (``"exp_range"``), or is scaled by ``scale_fn`` of the number of the cycle or, with
    ``scale_mode="iterations"``, of the step.

    Raises:
        ValueError: an unknown mode, or ``cycle_momentum`` for an optimiser without momentum.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = CyclicLR(optimizer, base_lr=0.1, max_lr=0.5, step_size_up=2, cycle_momentum=False)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [0.1, 0.3, 0.5, 0.3, 0.1]
    """

    def __init__(
        self,
        optimizer: Any,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.8,
        max_momentum: Any = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = one_per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", lr)
        self.max_lrs = one_per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ["triangular", "triangular2", "exp_range"] and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            momentum = Momentum(optimizer)
            self.use_beta1 = momentum.use_beta1
            self.base_momentums = one_per_group("base_momentum", optimizer, base_momentum)
            self.max_momentums = one_per_group("max_momentum", optimizer, max_momentum)
            if last_epoch == -1:
                momentum.begin(optimizer, self.base_momentums, self.max_momentums)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, by its number or by the step."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / 2.0 ** (x - 1) if self.mode == "triangular2" else float(self.gamma**x)

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, ends, strict=True):
                set_momentum(group, high - (high - low) * part * scale, self.use_beta1)
        return [
            low + (high - low) * part * scale for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser; of a function ``scale_fn``, nothing."""
        state = super().state_dict()
        fn = state.pop("_scale_fn_custom")
        return {**state, "_scale_fn_custom": None if fn is None else stored_functions([fn])[0]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` returned; ``scale_fn`` stays."""
        stored = state_dict["_scale_fn_custom"]
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        if stored is not None:
            self._scale_fn_custom.__dict__.update(stored)


class OneCycleLR(LRScheduler):
    """The rate rises from ``max_lr / div_factor`` to ``max_lr`` and falls; rising takes ``pct_start`` of it.

    It ends at ``1 / final_div_factor`` of where it began; with ``three_phase`` it first goes back there as
    fast as it rose. ``anneal_strategy``: along half a cosine (``"cos"``) or a line (``"linear"``). The
    number of steps is ``total_steps``, or ``epochs * steps_per_epoch``.

    Raises:
        ValueError: options that make no sense; ``cycle_momentum`` for an optimiser without momentum; in
            ``step``, more steps than there are.

    >>> import ast_ad
    >>> optimizer = ast_ad.optim.SGD([ast_ad.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = OneCycleLR(optimizer, max_lr=1.0, total_steps=8, cycle_momentum=False)
    >>> rates = [*scheduler.get_last_lr()]
    >>> for _ in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     rates += scheduler.get_last_lr()
    >>> [round(rate, 4) for rate in rates]
    [0.04, 0.8193, 0.9719, 0.8117, 0.556]
    """

    def __init__(
        self,
        optimizer: Any,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _number_of_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ["cos", "linear"]:
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        max_lrs = one_per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, highest in zip(optimizer.param_groups, max_lrs, strict=True):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            momentum = Momentum(optimizer)
            self.use_beta1 = momentum.use_beta1
            high = one_per_group("max_momentum", optimizer, max_momentum)
            low = one_per_group("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                momentum.begin(optimizer, low, high)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: Any, end: Any, part: float) -> Any:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list[Any]:
        self._check_within_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        begin = 0.0
        phases = self._schedule_phases
        for phase in phases:
            if step <= phase["end_step"] or phase is phases[-1]:
                break
            begin = phase["end_step"]
        part = (step - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._between(*ends, part), self.use_beta1)
        return rates


def _number_of_steps(total_steps: Any, epochs: Any, steps_per_epoch: Any) -> int:
    given = {"total_steps": total_steps}
    if total_steps is None:
        given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        if epochs is None or steps_per_epoch is None:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def _phases(total_steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """What the rate and the momentum go between, and the last step of each phase."""
    rates = ["initial_lr", "max_lr", *(["initial_lr"] if three_phase else []), "min_lr"]
    momenta = ["max_momentum", "base_momentum", *(["max_momentum"] if three_phase else []), "max_momentum"]
    ends: list[float] = [float(pct_start * total_steps) - 1]
    if three_phase:
        ends.append(float(2 * pct_start * total_steps) - 2)
    ends.append(total_steps - 1)
    return [
        {
            "end_step": end,
            "start_lr": rates[i],
            "end_lr": rates[i + 1],
            "start_momentum": momenta[i],
            "end_momentum": momenta[i + 1],
        }
        for i, end in enumerate(ends)
    ]
