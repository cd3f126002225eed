"""How are all tensors of a module changed at once? To another dtype, another device, or by any function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

from ....eager.accumulation import clear_grad
from ....eager.dtypes import dtype as dtype_class
from ....eager.metadata import device as device_class
from ....eager.modes import no_grad
from ....eager.operations.creation import empty_like
from ....eager.tensor import Tensor

__all__: list[str] = []

COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules "
    "might not work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work "
    "as expected."
)


class Conversion:
    """What of a module concerns its tensors as a whole: methods of ``Module``."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Replace the content of parameters, their gradients and buffers by ``fn`` of it."""
        if recurse:
            for module in self.children():  # type: ignore[attr-defined]
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            with no_grad():
                param.data = fn(param)
                grad = param.grad
                if grad is not None:
                    grad.data = fn(grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Call ``fn`` with every submodule and then the module itself.

        >>> import ast_ad
        >>> ast_ad.nn.Sequential(ast_ad.nn.ReLU()).apply(lambda m: print(type(m).__name__))
        ReLU
        Sequential
        Sequential(
          (0): ReLU()
        )
        """
        for module in self.children():  # type: ignore[attr-defined]
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers, in place.

        Called as ``to(dtype)``, ``to(device, dtype)`` or ``to(tensor)``.

        Raises:
            TypeError: a dtype of integers.
            RuntimeError: any device that is not the CPU.
        """
        device, dtype, memory_format = _parsed(args, dict(kwargs))
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={dtype}"
                )
            if dtype.is_complex:
                warnings.warn(COMPLEX, stacklevel=2)

        def convert(t: Any) -> Any:
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, wanted, memory_format=memory_format)
            return t.to(device, wanted)

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers, in place."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32, in place."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64, in place."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16, in place."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """The module itself: its tensors are on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """There is no GPU: an error, if the module has tensors."""
        return self._apply(lambda t: t.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Give all parameters and buffers fresh memory with arbitrary content."""
        return self._apply(lambda t: empty_like(t), recurse=recurse)

    def share_memory(self) -> Self:
        """The module itself: threads share its memory anyway."""
        return self

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of all parameters."""
        for param in self.parameters():  # type: ignore[attr-defined]
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of all parameters, or fill them with zeros."""
        for param in self.parameters():  # type: ignore[attr-defined]
            clear_grad(param, set_to_none)


def _parsed(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """The device, dtype and memory format that ``to`` was given."""
    device, dtype = kwargs.pop("device", None), kwargs.pop("dtype", None)
    tensor, memory_format = kwargs.pop("tensor", None), kwargs.pop("memory_format", None)
    kwargs.pop("non_blocking", None)
    for a in args:
        if isinstance(a, Tensor):
            tensor = a
        elif isinstance(a, dtype_class):
            dtype = a
        elif isinstance(a, (str, int, device_class)) and not isinstance(a, bool):
            device = a
        elif a is not None and not isinstance(a, bool):
            kwargs["argument"] = a
    if kwargs:
        raise TypeError("to() received an invalid combination of arguments")
    if tensor is not None:
        dtype = tensor.dtype
    return device, dtype, memory_format
