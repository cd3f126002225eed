"""Which NumPy function is a method of an array?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.ops import Lit, Var
from ..ir.types import kind_of, rank_of
from ..rules import helpers
from .builder import type_of_arg
from .core import Core
from .values import (
    Arr,
    Flat,
    Lst,
    Tup,
)

METHODS: dict[str, Any] = {
    name: getattr(np, name)
    for name in (
        "sum",
        "prod",
        "mean",
        "std",
        "var",
        "max",
        "min",
        "argmax",
        "argmin",
        "argsort",
        "cumsum",
        "cumprod",
        "any",
        "all",
        "clip",
        "dot",
        "squeeze",
        "swapaxes",
        "repeat",
        "take",
        "trace",
        "diagonal",
        "ravel",
        "nonzero",
        "round",
        "searchsorted",
        "ptp",
        "compress",
        "choose",
    )
}


class ArrayMethods(Core):
    # ----- methods of arrays
    def call_method(self, receiver: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        handler = getattr(self, "method_" + name, None)
        if handler is not None:
            return handler(receiver, *args, **kwargs)
        if name in METHODS:
            return self.call_python(METHODS[name], [receiver, *args], kwargs)
        raise self.unsupported(
            f"method `.{name}()`", "the compiler does not know it", "use the NumPy function"
        )

    def method_reshape(self, receiver: Any, *shape: Any, **kwargs: Any) -> Any:
        return self.call_python(np.reshape, [receiver, shape[0] if len(shape) == 1 else Tup(shape)], kwargs)

    def method_transpose(self, receiver: Any, *axes: Any) -> Any:
        given = (
            []
            if not axes
            else [
                axes[0]
                if len(axes) == 1
                and not isinstance(axes[0], (Lit, Var))
                or len(axes) == 1
                and self.static_value(axes[0]) is None
                else Tup(axes)
            ]
        )
        return self.call_python(np.transpose, [receiver, *given], {})

    def method_copy(self, receiver: Any, order: Any = Lit("C")) -> Any:
        """Row by row, where ``np.copy`` lays its result out as the array is: sums are made in that order."""
        columns = self.orders_of(receiver) == {"F"}
        if self.static_value(order) == "C" and not columns and self.lies_in_rows(receiver):
            return self.emit(np.copy, receiver)
        return self.emit(np.copy, receiver, order=order)

    def lies_in_rows(self, arr: Arr) -> bool:
        """Whether an array has the layout of its base, or one axis only."""
        while arr.view is not None and arr.view.index is not None and isinstance(arr.view.parent, Arr):
            arr = arr.view.parent
        return arr.view is None or rank_of(self.read(arr).type) == 1

    def method_flatten(self, receiver: Any, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = self.with_known_order(np.ravel, [receiver, *args], kwargs)
        return self.emit(np.ravel, self.emit(np.copy, receiver), *args[1:], **kwargs)

    def method_astype(
        self, receiver: Any, dtype: Any, order: Any = None, *args: Any, copy: Any = Lit(True), **kwargs: Any
    ) -> Any:
        target = np.dtype(self.static_value(dtype))
        fresh = self.demand(args[2] if len(args) > 2 else copy, "`copy` of astype")
        if not fresh and isinstance(receiver, Arr) and self.has_dtype(receiver, target):
            return self.in_order(receiver, order)
        return self.emit(helpers.astype, receiver, Lit(target))

    def method_conj(self, receiver: Any) -> Any:
        """Of real numbers the array itself, where the function gives a copy."""
        type = self.exact(self.arg(receiver).type, "the conjugate")  # type: ignore[union-attr]
        return receiver if kind_of(type) != "complex" else self.emit(np.conj, receiver)

    def method_conjugate(self, receiver: Any) -> Any:
        return self.method_conj(receiver)

    def method_item(self, receiver: Any, *index: Any) -> Any:
        value = receiver
        if index:
            value = self.load_item(
                receiver if len(index) > 1 else Flat(receiver), Tup(index) if len(index) > 1 else index[0]
            )
        elif isinstance(receiver, Arr):
            value = self.load_item(Flat(receiver), Lit(0))
        kind = getattr(self.arg(value).type, "kind", "float")  # type: ignore[union-attr]
        return self.b_float(value) if kind == "float" else self.b_int(value) if kind == "int" else value

    def method_tolist(self, receiver: Any) -> Any:
        if not isinstance(receiver, Arr):
            return self.method_item(receiver)
        return self.nested_list(receiver)

    def nested_list(self, value: Any) -> Any:
        if isinstance(value, Arr) and rank_of(type_of_arg(self.read(value))) is None:
            raise self.unsupported(
                ".tolist() of an array whose number of axes is only known at run time",
                "the lists are as deep as it has axes",
                "make the array's rank the same on every path",
            )
        items = self.static_items(value)
        if items is None:
            result = Lst(())
            self.run_for(value, lambda item: self.list_append(result, self.nested_list(item)), set())
            return result
        return Lst(tuple(map(self.nested_list, items))) if isinstance(value, Arr) else self.method_item(value)

    def method_fill(self, receiver: Arr, value: Any) -> Any:
        self.store_item(receiver, Lit(Ellipsis), value)
        return Lit(None)

    def method_sort(self, receiver: Arr, *args: Any, **kwargs: Any) -> Any:
        ordered = self.emit(np.sort, receiver, *args, **kwargs)
        self.overwrite(receiver, self.read(receiver), self.arg(ordered))
        return Lit(None)

    def method_put(self, receiver: Arr, index: Any, value: Any, **kwargs: Any) -> Any:
        self.store_item(Flat(receiver), index, value)
        return Lit(None)

    def method_tostring(self, receiver: Any) -> Any:
        raise self.unsupported(".tostring()", "bytes carry no derivative", "leave it out")

    def method_is_integer(self, receiver: Any) -> Any:
        return self.emit(float.is_integer, self.b_float(receiver))
