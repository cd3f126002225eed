"""How is a module saved and loaded? ``state_dict`` and ``load_state_dict``, with their hooks."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from ....eager.hooks import RemovableHandle
from ....eager.modes import no_grad
from ....eager.tensor import Tensor
from ..parameter import Parameter
from .hooks import handle_of

__all__: list[str] = []

EXTRA_STATE = "_extra_state"
NEVER_CALLED = (
    "Reached a code path in Module.{}() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)

POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What ``load_state_dict`` returns: keys that only one side has."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class BoundHook:
    """A hook that gets its module first; it does not keep the module alive, and follows it when pickled."""

    def __init__(self, hook: Callable[..., Any], module: Any = None) -> None:
        self.hook, self.with_module = hook, module is not None
        self.module: Any = None if module is None else weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        module = self.module() if self.with_module else None
        return {"hook": self.hook, "with_module": self.with_module, "module": module}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook, self.with_module = state["hook"], state["with_module"]
        self.module = weakref.ref(state["module"]) if self.with_module else None


class Stateful:
    """What of a module concerns its state: methods of ``Module``."""

    _version: int = 1
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _state_dict_hooks: OrderedDict[int, Any]
    _state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_pre_hooks: OrderedDict[int, Any]
    _load_state_dict_post_hooks: OrderedDict[int, Any]

    def get_extra_state(self) -> Any:
        """What ``state_dict`` has beside tensors; modules that have something override this."""
        raise RuntimeError(NEVER_CALLED.format("get_extra_state"))

    def set_extra_state(self, state: Any) -> None:
        """Take over what ``get_extra_state`` returned."""
        raise RuntimeError(NEVER_CALLED.format("set_extra_state"))

    # ----- saving
    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add the module's own entries, without those of its submodules."""
        for name, param in self._parameters.items():
            if param is not None:
                destination[prefix + name] = param if keep_vars else param.detach()
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = buffer if keep_vars else buffer.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:
        """An ordered dict of the parameters and persistent buffers by name, on the same memory.

        Args:
            destination: a dict to add to.
            prefix: goes before all names.
            keep_vars: the parameters themselves instead of detached tensors.

        >>> import ast_ad
        >>> list(ast_ad.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        if args:
            warnings.warn(POSITIONAL, FutureWarning, stacklevel=2)
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            found = hook(self, destination, prefix, metadata)
            if found is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = found
        return destination

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, prefix, keep_vars)`` runs before the module's entries are written."""
        return handle_of(self._state_dict_pre_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As the public registration; what the hook returns replaces the state dict."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return handle_of(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, state_dict, prefix, local_metadata)`` may change the state dict, in place."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return handle_of(self._state_dict_hooks, hook)

    # ----- loading
    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        bound = BoundHook(hook, self if with_module else None)
        return handle_of(self._load_state_dict_pre_hooks, bound)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook`` runs before the module's entries are read.

        Its arguments are the module, the state dict, the prefix, the local metadata, ``strict``, and the
        lists of missing keys, unexpected keys and error messages.
        """
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """``hook(module, incompatible_keys)`` runs after loading, and may change the lists in place."""
        return handle_of(self._load_state_dict_post_hooks, hook)

    def _own_state(self) -> dict[str, Any]:
        """The parameters and persistent buffers that are not None."""
        persistent = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        return {k: v for k, v in {**self._parameters, **persistent}.items() if v is not None}

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Read the module's own entries; what is wrong is added to the lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = self._own_state()
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, current in own.items():
            key = prefix + name
            if key in state_dict:
                error = _put(self, name, key, current, state_dict[key], assign)
                error_msgs.extend([error] if error else [])
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        if type(self).set_extra_state is not Stateful.set_extra_state:
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra:
                    name, dot, _ = key[len(prefix) :].partition(".")
                    if name not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Copy the entries of a state dict into the parameters and buffers.

        Args:
            state_dict: tensors by name, as ``state_dict`` returns them.
            strict: whether names that only one side has are errors.
            assign: whether the tensors themselves become parameters, instead of being copied.

        Returns:
            The lists ``missing_keys`` and ``unexpected_keys``.

        Raises:
            RuntimeError: names or shapes do not agree.

        >>> import ast_ad
        >>> layer, other = ast_ad.nn.Linear(2, 3), ast_ad.nn.Linear(2, 3)
        >>> layer.load_state_dict(other.state_dict())
        <All keys matched successfully>
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)  # hooks may change it
        if metadata is not None:
            state_dict._metadata = metadata  # type: ignore[attr-defined]
        _load(self, state_dict, "", assign, metadata, (missing, unexpected, errors))
        if strict:
            for title, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    names = ", ".join(f'"{k}"' for k in keys)
                    errors.insert(0, f"{title} key(s) in state_dict: {names}. ")
        if errors:
            text = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}")
        return _IncompatibleKeys(missing, unexpected)


def _load(module: Any, state_dict: Any, prefix: str, assign: bool, metadata: Any, lists: Any) -> None:
    """Load a module and its submodules."""
    missing, unexpected, errors = lists
    local = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state_dict, prefix, local, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            part = {k: v for k, v in state_dict.items() if k.startswith(inner)}
            _load(child, part, inner, assign, metadata, lists)
    keys = _IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                "values, if incompatible_keys need to be modified, it should be done inplace."
            )


def _put(module: Any, name: str, key: str, current: Tensor, value: Any, assign: bool) -> str:
    """Make ``value`` the content of a parameter or buffer, or say why that can't be done."""
    if not isinstance(value, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
            f"checkpoint but received {type(value)}"
        )
    if current.ndim == 0 and value.shape == (1,):
        value = value.reshape(())
    if value.shape != current.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, the shape "
            f"in current model is {current.shape}."
        )
    try:
        with no_grad():
            if assign:
                setattr(module, name, _assignable(current, value))
            else:
                current.copy_(value)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {current.size()} '
            f"and whose dimensions in the checkpoint are {value.size()}, an exception "
            f"occurred : {error.args}."
        )
    return ""


def _assignable(current: Tensor, value: Tensor) -> Any:
    """``value`` as what ``current`` is: a parameter that requires grad or not, or a buffer."""
    if not isinstance(current, Parameter):
        return value
    if not isinstance(value, Parameter):
        return Parameter(value, requires_grad=current.requires_grad)
    return value.requires_grad_(current.requires_grad)
