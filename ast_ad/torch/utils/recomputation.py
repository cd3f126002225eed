"""How is what a checkpoint has not saved found again? By running it anew, and counting what it saves."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...eager.saved import SavedVariable
from ...eager.state import state
from ...eager.tensor import Tensor
from ..autograd.graph import saved_tensors_hooks

TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you "
    "are calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue "
    "with details on your use case."
)

OVERLAP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute "
    "gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)
MORE = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
    "forward pass."
)
DEBUG = (
    "You are seeing this error because you passed `debug=True` to checkpoint, or are within "
    "`set_checkpoint_debug_enabled(True)`, and what {} saves when it is computed again differs from what it "
    "saved first:\n\n"
)


class CheckpointError(RuntimeError):
    """A checkpoint saved something else when it was computed again."""


class _Stop(Exception):
    """All that was saved has been computed again."""


class _Holder:
    """Stands for a tensor that was not saved."""

    __slots__ = ("__weakref__",)


class _Run:
    """One computation anew, for one sweep. ``tensors``: what it saved, by place, until it is asked for."""

    def __init__(self) -> None:
        self.count, self.tensors = 0, {}  # type: int, dict[int, Tensor]


class _NoSweep:
    """Stands for the sweep, where a saved tensor is looked at without one."""


class Frame:
    """One call of ``checkpoint``: what it would have saved, and how to compute that again.

    The arguments are saved as any node saves its own, so that an outer checkpoint may let go of them too.
    """

    def __init__(
        self,
        compute: Callable[..., None],
        args: Sequence[Any],
        early_stop: bool,
        checks: bool,
        debug: str = "",
    ) -> None:
        self.debug = DEBUG.format(debug) if debug else ""
        self.compute, self.early_stop, self.checks = compute, early_stop, checks
        self.args = [SavedVariable(a) if isinstance(a, Tensor) else a for a in args]
        self.holders: list[weakref.ref[_Holder]] = []
        self.kinds: list[Any] = []
        self.runs: weakref.WeakKeyDictionary[Any, _Run] = weakref.WeakKeyDictionary()
        self.completed = self.ignores_mismatch = False

    def pack(self, t: Tensor) -> tuple[_Holder, int]:
        """Note that a tensor would be saved."""
        holder = _Holder()
        self.holders.append(weakref.ref(holder))
        self.kinds.append(_kind(t))
        return holder, len(self.holders) - 1

    def unpack(self, packed: tuple[_Holder, int]) -> Tensor:
        """The tensor that was not saved: computed again, all of the frame at once for each sweep or group."""
        holder, place = packed
        sweep = state.group or state.sweep or _NoSweep()
        run = self.runs.get(sweep)
        if run is None:
            run = self.runs[sweep] = _Run()
            self._run(run)
        found = run.tensors.pop(place, None)
        if found is None:
            raise CheckpointError(TWICE.format("" if state.group is None else OVERLAP))
        return found

    def _run(self, run: _Run) -> None:
        def pack(t: Tensor) -> Tensor:
            kept = t.detach() if t.requires_grad else t
            place, run.count = run.count, run.count + 1
            if place >= len(self.holders):
                if self.completed:
                    raise CheckpointError(self.debug + MORE)
                self.ignores_mismatch = True
                return kept
            if self.holders[place]() is not None:
                run.tensors[place] = kept
            if self.early_stop and run.count == len(self.holders):
                raise _Stop
            return kept

        args = [a.unpack() if isinstance(a, SavedVariable) else a for a in self.args]
        with contextlib.suppress(_Stop), saved_tensors_hooks(pack, lambda t: t):
            self.compute(*args)
        if self.checks:
            self._check(run)

    def _check(self, run: _Run) -> None:
        """Compare what was saved now with what was saved first."""
        if self.ignores_mismatch:
            return
        if run.count != len(self.holders):
            raise CheckpointError(
                f"{self.debug}torch.utils.checkpoint: A different number of tensors was saved during the "
                f"original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.holders)}\nNumber of tensors saved during recomputation: {run.count}."
            )
        different = [
            f"tensor at position {i}:\nsaved metadata: {self.kinds[i]}\nrecomputed metadata: {_kind(t)}\n"
            for i, t in run.tensors.items()
            if _kind(t) != self.kinds[i]
        ]
        if different:
            raise CheckpointError(
                f"{self.debug}torch.utils.checkpoint: Recomputed values for the following tensors have "
                "different metadata than during the forward pass.\n" + "".join(different)
            )


def _kind(t: Tensor) -> dict[str, Any]:
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


@contextlib.contextmanager
def recorded(frame: Frame) -> Iterator[None]:
    """Let what is saved in the block be computed again when it is needed."""
    with saved_tensors_hooks(frame.pack, frame.unpack):
        yield
    frame.completed = True
