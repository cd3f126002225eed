"""How do small gradients survive a small float type? The loss is scaled up, and the gradients down again.

Where a gradient is infinite or NaN, the step is left out and the scale made smaller; after many good steps it
is made larger (Micikevicius et al., "Mixed Precision Training", ICLR 2018).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...eager.modes import no_grad
from ...eager.tensor import Tensor

__all__ = ["GradScaler"]

READY, UNSCALED, STEPPED = 0, 1, 2
UNUSED = (
    "Attempted {} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
    "outputs) earlier in the iteration."
)


class GradScaler:
    """Scale losses, undo it on gradients before a step, leave out steps with infinite gradients.

    Args:
        device: "cpu"; with "cuda" (the default) it warns and switches itself off, as in PyTorch without CUDA.
        init_scale: the first scale.
        growth_factor, growth_interval: after so many good steps the scale is multiplied by this.
        backoff_factor: what it is multiplied by after a step that was left out.
        enabled: False to do nothing: losses stay as they are, and ``step`` is the optimiser's.

    Errors: ``AssertionError`` and ``RuntimeError`` for calls out of order (``scale``, ``unscale_``, ``step``,
    ``update``).

    >>> import ast_ad
    >>> w = ast_ad.ones(1, requires_grad=True)
    >>> optimizer, scaler = ast_ad.optim.SGD([w], lr=0.5), GradScaler("cpu")
    >>> scaler.scale((w * w).sum()).backward()
    >>> w.grad
    tensor([131072.])
    >>> scaler.step(optimizer)
    >>> w.grad, w
    (tensor([2.]), tensor([0.], requires_grad=True))
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device != "cpu":
            warnings.warn(
                f"torch.{device}.amp.GradScaler is enabled, but {device.upper()} is not available.  "
                "Disabling.",
                stacklevel=2,
            )
        self._device = device
        self._enabled = enabled and device == "cpu"
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._used = False
        self._stages: dict[int, int] = {}
        self._infinite: dict[int, bool] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or tensors in an iterable, multiplied by the scale."""
        if not self._enabled:
            return outputs
        self._used = True
        if isinstance(outputs, Tensor):
            factor: Any = self._scale
            return outputs * factor
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of the optimiser's parameters by the scale: before clipping them, say."""
        if not self._enabled:
            return
        self._check_used("unscale_")
        stage = self._stages.get(id(optimizer), READY)
        if stage == UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if stage == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        self._stages[id(optimizer)] = UNSCALED
        if (found := self._divide(optimizer)) is not None:
            self._infinite[id(optimizer)] = found

    def _divide(self, optimizer: Any) -> bool | None:
        """Divide all gradients; whether one of them is infinite or NaN, None where there are none."""
        found = None
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    if (gradient := parameter.grad) is None:
                        continue
                    if gradient._array.dtype == np.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    found = found or not bool(np.isfinite(gradient._array).all())
                    gradient.mul_(1.0 / self._scale)
        return found

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimiser's step, with gradients divided by the scale, unless one is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_used("step")
        if self._stages.get(id(optimizer)) == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if self._stages.get(id(optimizer), READY) == READY:
            self.unscale_(optimizer)
        if id(optimizer) not in self._infinite:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        self._stages[id(optimizer)] = STEPPED
        return None if self._infinite[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Make the scale smaller after infinite gradients, larger after many good steps, or ``new_scale``."""
        if not self._enabled:
            return
        self._check_used("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._infinite:
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(self._infinite.values()):
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._growth_tracker = 0
                larger = self._scale * self._growth_factor
                self._scale = larger if math.isfinite(np.float32(larger)) else self._scale
        self._stages, self._infinite = {}, {}

    def _check_used(self, name: str) -> None:
        if not self._used:
            raise AssertionError(UNUSED.format(name))

    def get_scale(self) -> float:
        """The scale; 1 where the scaler is switched off."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """What the scale grows by."""
        return self._growth_factor

    def get_backoff_factor(self) -> float:
        """What the scale shrinks by."""
        return self._backoff_factor

    def get_growth_interval(self) -> int:
        """After how many good steps the scale grows."""
        return self._growth_interval

    def is_enabled(self) -> bool:
        """Whether the scaler does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """What ``load_state_dict`` takes; empty where the scaler is switched off."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from another scaler's ``state_dict``."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]
