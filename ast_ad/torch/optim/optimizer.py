"""What do all optimisers share? Groups of parameters with options, state per parameter, hooks around a step.

Names, defaults, texts and the layout of state dicts are PyTorch's.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, ClassVar

from ...eager.accumulation import clear_grad
from ...eager.hooks import RemovableHandle
from ...eager.modes import enable_grad
from ...eager.state import state, watch
from ...eager.tensor import Tensor
from .arrays import ArrayParameters
from .state_dicts import StateDicts, add_hook

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

_Hooks = OrderedDict[int, Callable[..., Any]]
_pre_hooks: _Hooks = OrderedDict()
_post_hooks: _Hooks = OrderedDict()


def before_change(p: Tensor) -> None:
    """Let a parameter's memory be overwritten: who saved it copies it, or notices by its version."""
    if state.before_change is not None:
        state.before_change(p)
    p._version_counter[0] += 1


class _Required:
    """The default of an option that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(optimizer, args, kwargs)`` is called before each step of every optimiser."""
    return add_hook(_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(optimizer, args, kwargs)`` is called after each step of every optimiser."""
    return add_hook(_post_hooks, hook)


def type_name(value: Any) -> str:
    """What PyTorch's messages call the type of a value: ``torch.FloatTensor``, ``numpy.ndarray``, ``str``."""
    if isinstance(value, Tensor):
        return str(value.type())
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _hooked(step: Callable[..., Any]) -> Callable[..., Any]:
    """A ``step`` that runs the hooks, and appears in profiles."""

    @functools.wraps(step)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._opt_called = True
        if watch.profiler is None:
            return with_hooks(self, args, kwargs)
        from ..autograd.profiler import record_function

        with record_function(f"Optimizer.step#{type(self).__name__}.step"):
            return with_hooks(self, args, kwargs)

    def with_hooks(self: Any, args: Any, kwargs: Any) -> Any:
        for hook in (*_pre_hooks.values(), *self._optimizer_step_pre_hooks.values()):
            changed = hook(self, (self, *args), kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(
                    f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                )
            (self, *args), kwargs = changed
        out = step(self, *args, **kwargs)
        for hook in (*self._optimizer_step_post_hooks.values(), *_post_hooks.values()):
            hook(self, (self, *args), kwargs)
        return out

    wrapped.hooked = True  # type: ignore[attr-defined]
    return wrapped


class Optimizer(StateDicts):
    """The base of all optimisers; a subclass defines ``step``.

    Args:
        params: an iterable of tensors, of pairs (name, tensor), or of dicts, each with a group of them under
            ``"params"`` and options of its own; or NumPy arrays in nested containers, which ``step(grads)``
            updates in place.
        defaults: the options of groups that don't give their own.

    Raises:
        TypeError, ValueError: what cannot be optimised; PyTorch's texts.
    """

    _hook_tables: ClassVar[tuple[str, ...]] = (
        "_optimizer_step_pre_hooks",
        "_optimizer_step_post_hooks",
        "_optimizer_state_dict_pre_hooks",
        "_optimizer_state_dict_post_hooks",
        "_optimizer_load_state_dict_pre_hooks",
        "_optimizer_load_state_dict_post_hooks",
    )
    _opt_called = False
    _arrays: ArrayParameters | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _hooked(cls.__dict__["step"])  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._add_hook_tables()
        if defaults.get("differentiable"):
            raise NotImplementedError(
                "differentiable=True: steps of optimisers are not recorded here. Write the update as an "
                "expression of tensors"
            )
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + type_name(params)
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        self._arrays, groups = ArrayParameters.adopt(params)
        if len(groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _add_hook_tables(self) -> None:
        for name in self._hook_tables:
            self.__dict__.setdefault(name, OrderedDict())

    def __getstate__(self) -> dict[str, Any]:
        kept = {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}
        return kept if self._arrays is None else {**kept, "_arrays": self._arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._add_hook_tables()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            text += f"\nParameter Group {i}\n" + "".join(options)
        return text + ")"

    # ----- groups
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Optimise more parameters: a dict of ``"params"`` and of options that differ from the defaults.

        Raises:
            TypeError, ValueError: what is no parameter, or belongs to another group already.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if self._arrays is not None and len(self.param_groups) == len(self._arrays.roots):
            params = self._arrays.add(params)
        params, names = self._members(params)
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for param in params:
            self._check_param(param)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        self._check_groups(param_group)
        self.param_groups.append(param_group)

    @staticmethod
    def _members(params: Any) -> tuple[list[Any], list[str]]:
        """The tensors of a group, and their names where it has names."""
        if isinstance(params, Tensor):
            return [params], []
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        members = list(params)
        names = [member[0] for member in members if isinstance(member, tuple)]
        if names and len(names) != len(members):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        return [member[1] for member in members] if names else members, names

    def _check_param(self, param: Any) -> None:
        if not isinstance(param, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {type_name(param)}"
            )
        if not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    def _check_groups(self, new: dict[str, Any]) -> None:
        named = "param_names" in new
        for group in self.param_groups:
            if named != ("param_names" in group):
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{'with' if named else 'without'} names to the optimizer"
                )
        if not {id(p) for group in self.param_groups for p in group["params"]}.isdisjoint(
            map(id, new["params"])
        ):
            raise ValueError("some parameters appear in more than one parameter group")

    # ----- gradients and steps
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; with ``set_to_none=False``, set them to zero."""
        if watch.profiler is None:
            self._clear_gradients(set_to_none)
            return
        from ..autograd.profiler import record_function

        with record_function(f"Optimizer.zero_grad#{type(self).__name__}.zero_grad"):
            self._clear_gradients(set_to_none)

    def _clear_gradients(self, set_to_none: bool) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                clear_grad(p, set_to_none)

    def step(self, closure: Any = None) -> Any:
        """Update the parameters once; ``closure`` computes the loss, and the gradients, anew."""
        raise NotImplementedError

    def _evaluate(self, closure: Any) -> Any:
        """The loss of ``closure`` (None without one), with the gradients where the update looks for them."""
        if self._arrays is not None:
            return self._arrays.take(closure)
        if closure is None:
            return None
        with enable_grad():
            return closure()

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` is called before each step; it may return new ones."""
        return add_hook(self._optimizer_step_pre_hooks, hook)  # type: ignore[attr-defined]

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(optimizer, args, kwargs)`` is called after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)  # type: ignore[attr-defined]
