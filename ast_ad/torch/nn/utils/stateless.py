"""How is a module called as a function of its parameters? They are put in its place for one call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ....eager.tensor import Tensor
from ..modules.module import Module

__all__ = ["functional_call"]

MISSING = object()


def functional_call(
    module: Module,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The result of a module with other parameters and buffers than its own.

    Args:
        module: the module, which is the same afterwards as before.
        parameter_and_buffer_dicts: tensors by name, as in ``named_parameters``, in a dict or several.
            Buffers that the call replaces are replaced there.
        args: the arguments; what is no tuple is the only one.
        kwargs: the keyword arguments.
        tie_weights: whether what is given for a name replaces the same tensor under other names, too.
        strict: whether the names must be those of all parameters and buffers.

    Raises:
        RuntimeError: the names don't agree, with ``strict``.
        ValueError: two values for one tensor, or a name in two dicts.

    >>> import ast_ad
    >>> layer = ast_ad.nn.Linear(2, 1)
    >>> other = {"weight": ast_ad.ones(1, 2), "bias": ast_ad.zeros(1)}
    >>> functional_call(layer, other, ast_ad.tensor([1.0, 2.0]))
    tensor([3.])
    """
    given = _one_dict(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    untied = _untied(module, given) if tie_weights else given
    if strict:
        _check_names(module, untied)
    with _replaced(module, given, untied):
        return module(*args, **(kwargs or {}))


def _one_dict(dicts: Any) -> dict[str, Any]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for d in dicts for name in d]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {name: t for d in dicts for name, t in d.items()}


def _all_tensors(module: Module) -> dict[str, Any]:
    params = dict(module.named_parameters(remove_duplicate=False))
    return {**params, **dict(module.named_buffers(remove_duplicate=False))}


def _untied(module: Module, given: dict[str, Any]) -> dict[str, Any]:
    """``given``, with an entry for every name of a tensor that has several."""
    by_tensor: dict[Any, list[str]] = {}
    for name, t in _all_tensors(module).items():
        by_tensor.setdefault(t, []).append(name)
    found = dict(given)
    for names in by_tensor.values():
        values = {id(given[name]): given[name] for name in names if name in given}  # traced ones have no hash
        if len(names) == 1 or not values:
            continue
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider "
                "using tie_weights=False"
            )
        found |= dict.fromkeys(names, *values.values())
    return found


def _check_names(module: Module, given: dict[str, Any]) -> None:
    own = _all_tensors(module)
    messages = [
        f"{title} key(s): {', '.join(map(repr, sorted(names)))}."
        for title, names in (("Unexpected", given.keys() - own), ("Missing", own.keys() - given))
        if names
    ]
    if messages:
        text = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{text}")


@contextlib.contextmanager
def _replaced(module: Module, given: dict[str, Any], untied: dict[str, Any]) -> Iterator[None]:
    """Within the block the module has other tensors; those that it replaced are in ``given`` afterwards."""
    places: dict[str, tuple[Any, str, Any]] = {}
    try:
        for name, t in untied.items():
            place, key = _place(module, name)
            if not isinstance(t, Tensor):
                raise TypeError(f"{t} is not an instance of torch.Tensor")
            places[name] = place, key, place.get(key, MISSING)
            place[key] = t
        yield
    finally:
        for name, (place, key, old) in reversed(places.items()):
            found = place.get(key, MISSING)
            if name in given and found is not MISSING:
                given[name] = found
            if old is not MISSING:
                place[key] = old
            else:
                place.pop(key, None)


def _place(module: Module, name: str) -> tuple[dict[str, Any], str]:
    """The dict that holds a tensor of a module or of one of its submodules, and the key there."""
    path, _, key = name.rpartition(".")
    owner = module.get_submodule(path)
    for place in (owner._parameters, owner._buffers):
        if key in place:
            return place, key
    return owner.__dict__, key
