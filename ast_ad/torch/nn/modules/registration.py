"""Which names and values may a module register? The checks, with PyTorch's messages."""

from __future__ import annotations

from typing import Any

from ....eager.tensor import Tensor
from ..parameter import Parameter

__all__: list[str] = []


def typename(value: Any) -> str:
    """The name of a value's type in messages, as PyTorch's own classes are called there.

    >>> typename([])
    'list'
    """
    if isinstance(value, Tensor):
        return str(value.type())
    named = value if hasattr(value, "__qualname__") else type(value)
    module = named.__module__ or ""
    if module in ("", "builtins"):
        return str(named.__qualname__)
    if module.startswith("ast_ad."):
        module = "torch." + module.removeprefix("ast_ad.").removeprefix("torch.")
    return f"{module}.{named.__qualname__}"


def check_name(kind: str, owner: Any, name: Any, existing: dict[str, Any]) -> None:
    """Refuse what can't be the name of a parameter, buffer or submodule.

    Raises:
        TypeError: no string.
        KeyError: empty, with a dot, or the name of another attribute.
    """
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
    taken = KeyError(f"attribute '{name}' already exists")
    if kind == "module":
        if name not in existing and hasattr(owner, name):
            raise taken
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
    elif "." in name:
        raise KeyError(f'{kind} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if name not in existing and hasattr(owner, name):
        raise taken


def check_parameter(name: str, param: Any) -> None:
    """Refuse what is no parameter, or not a leaf."""
    if not isinstance(param, Parameter):
        raise TypeError(
            f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None "
            "required)"
        )
    if param.grad_fn is not None:
        raise ValueError(
            f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
            f"explicitly. To express '{name}' as a function of another Tensor, compute the value "
            "in the forward() method."
        )


def check_buffer(name: str, tensor: Any) -> None:
    """Refuse what is no tensor."""
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(
            f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
        )
