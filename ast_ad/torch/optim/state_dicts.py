"""How is the state of an optimiser stored, and loaded again? As PyTorch does it: parameters are numbers."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from ...eager.hooks import RemovableHandle
from ...eager.tensor import Tensor


def add_hook(
    table: OrderedDict[int, Any], hook: Callable[..., Any], prepend: bool = False
) -> RemovableHandle:
    """Add to a table of hooks, at its end or at its beginning."""
    handle = RemovableHandle.added(table, hook)
    if prepend:
        table.move_to_end(handle.id, last=False)
    return handle


class StateDicts:
    """What optimisers can do with state dicts."""

    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    def state_dict(self) -> dict[str, Any]:
        """The state by the number of the parameter, and the groups with their options.

        The tensors are those of the optimiser, not copies.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        groups = []
        start = 0
        for group in self.param_groups:
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            groups.append({**packed, "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        found: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, found)
            found = found if changed is None else changed
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state: of an optimiser like this one, with as many parameters in as many groups.

        Floating point state gets the dtype of its parameter; the counts of steps keep theirs. All is copied.

        Raises:
            ValueError: other groups.
        """
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                "group"
            )
        owners = {}
        for group, other in zip(groups, saved, strict=True):
            for number, p in zip(other["params"], group["params"], strict=True):
                owners[number] = (p, other)
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                p, other = owners[key]
                state[p] = _fitted(value, p, bool(other.get("capturable") or other.get("fused")))
            else:
                state[key] = value
        for group, other in zip(groups, saved, strict=True):
            other["params"] = group["params"]
            if "param_names" in group:
                other.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        raise NotImplementedError

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """``hook(optimizer)`` is called before ``state_dict`` collects."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` may change what ``state_dict`` returns, or return another."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """``hook(optimizer, state_dict)`` may change what ``load_state_dict`` loads, or return another."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """``hook(optimizer)`` is called after ``load_state_dict``."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _fitted(value: Any, param: Any, fused: bool, key: Any = None) -> Any:
    """A copy of a parameter's state, with its tensors in the dtype that the parameter's state has."""
    if hasattr(type(value), "__array__") and not isinstance(value, np.generic):
        array = np.array(value._array if isinstance(value, Tensor) else value)
        kind = param._array.dtype.kind
        if key == "step":
            return Tensor._of(array.astype(np.float32) if fused else array)
        return Tensor._of(array.astype(param._array.dtype) if kind == "f" else array)
    if isinstance(value, dict):
        return {k: _fitted(v, param, fused, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_fitted(v, param, fused) for v in value)
    return value
