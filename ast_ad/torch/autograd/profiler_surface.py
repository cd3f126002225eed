"""How does a profile see every operation? While one is under way, what users call is replaced by timed forms.

Operations that are recorded tell a profile of themselves. This adds the others (comparisons, copies, tensors
that are made), and the functions that consist of several operations; it costs nothing without a profile.
"""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

from ...eager.state import watch
from ...eager.surface import FUNCTIONS
from ...eager.tensor import Tensor

OPERATORS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "__and__",
    "or": "__or__",
    "xor": "__xor__",
    "lshift": "__lshift__",
    "rshift": "__rshift__",
}
UNARY = {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
# What is no operation, or consists of others that are shown.
SILENT = frozenset(
    """
    apply_ as_subclass backward broadcast_shapes conj data_ptr dense_dim dim element_size get_device
    get_num_interop_threads get_num_threads get_rng_state initial_seed is_complex is_conj is_contiguous
    is_floating_point is_inference is_neg is_pinned is_set_to is_shared is_signed is_tensor
    is_warn_always_enabled load manual_seed ndimension nelement norm numel numpy register_hook
    register_post_accumulate_grad_hook requires_grad_ retain_grad save seed set_num_interop_threads
    set_num_threads set_rng_state set_warn_always size storage_offset stride tolist type untyped_storage
    """.split()
)
_installed: list[tuple[Any, str, Any]] = []
_users: list[Any] = []


def install(profile: Any) -> None:
    """Time what users call, from the first profile on."""
    _users.append(profile)
    if len(_users) > 1:
        return
    top = __name__.partition(".")[0]
    packages = importlib.import_module(top), importlib.import_module(f"{top}.torch")
    for name, fn in FUNCTIONS.items():
        if _counts(name, fn):
            for package in packages:
                _replace(package, name, timed(f"aten::{name}", fn))
    for name, fn in list(vars(Tensor).items()):
        shown = _method_name(name)
        if shown and isinstance(fn, types.FunctionType):
            _replace(Tensor, name, timed(shown, fn))


def uninstall(profile: Any) -> None:
    """Undo ``install`` after the last profile."""
    _users.remove(profile)
    while _installed and not _users:
        owner, name, before = _installed.pop()
        if before is None:
            delattr(owner, name)
        else:
            setattr(owner, name, before)


def _replace(owner: Any, name: str, fn: Any) -> None:
    _installed.append((owner, name, vars(owner).get(name)))
    setattr(owner, name, fn)


def _counts(name: str, fn: Any) -> bool:
    return isinstance(fn, types.FunctionType) and name not in SILENT


def _method_name(name: str) -> str:
    """What tables show for a method; empty for what they don't."""
    bare = name.strip("_")
    if not name.startswith("__"):
        return "" if name.startswith("_") or name in SILENT else f"aten::{name}"
    if bare in UNARY:
        return f"aten::{UNARY[bare]}"
    if bare in COMPARISONS:
        return f"aten::{bare}"
    if bare in OPERATORS:
        return f"aten::{OPERATORS[bare]}"
    if bare == "rsub":
        return "aten::rsub"
    if bare[1:] in OPERATORS and bare != "rtruediv":
        return f"aten::{OPERATORS[bare[1:]]}" + ("_" if bare[0] == "i" else "")
    return ""


@functools.cache
def timed(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    """``fn`` as an event of the profile under way."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        profile = watch.profiler
        if profile is None:
            return fn(*args, **kwargs)
        with profile.block(name, args) as span:
            return span.result(fn(*args, **kwargs))

    return run
