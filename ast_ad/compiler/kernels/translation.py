"""How does a kernel become LLVM's code, in few instructions and without asking the same thing again?

Numba unpacks all that an array consists of, into memory of its own, wherever an element is read or written:
thirty instructions, which LLVM needs much time to take away again. Here an access is what it needs: the
address, the lengths (or steps) and one place, by the same rules. And what an operator is for numbers of two
types is looked up once, not wherever it stands.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType
from typing import Any

from numba.core import cgutils, types as numba_types
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering, NopythonTypeInference
from numba.np import arrayobj

from .vector_loops import is_vector_loop, mark

types: Any = numba_types

FIELDS = {"data": 4, "shape": 5, "strides": 6}
"""Where they are among an array's parts (``numba.core.datamodel.models.ArrayModel``); a test holds this."""
NUMBERS = types.Integer, types.Float, types.Complex, types.Boolean
KNOWN = *NUMBERS, types.Array, types.BaseTuple
OPERATORS = {
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
}
"""Of two numbers they are one function for each pair of types, whether one of them is a constant or not."""
SIGNLESS = "nsz"
"""LLVM's flag of an operation whose zeros may have either sign. Quotients never have it: ``1 / -0.0``."""


class _Remembering:
    """A typing context that asks once what a function makes of numbers, arrays and tuples of given types."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._known: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, function: Any, args: Sequence[Any], kws: Any) -> Any:
        asked = function, tuple(args)
        builtin = isinstance(function, (types.Function, str, BuiltinFunctionType))
        if kws or not builtin or not all(isinstance(a, KNOWN) for a in args):
            return self._context.resolve_function_type(function, args, kws)
        if asked not in self._known:
            self._known[asked] = self._context.resolve_function_type(function, args, kws)
        return self._known[asked]

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        asked = operator.setitem, (target, index, value)
        if asked not in self._known:
            self._known[asked] = self._context.resolve_setitem(target, index, value)
        return self._known[asked]


class _Lower(Lower):  # type: ignore[misc]
    """Numba's translation of a function to LLVM, with shorter accesses to elements."""

    wraps = True
    """Whether negative indices count from the end."""

    def __init__(self, *args: Any, **kws: Any) -> None:
        super().__init__(*args, **kws)
        self._operators: dict[Any, Callable[..., Any]] = {}

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        """What Python calls is optimised once, with the kernel: by itself first, it takes as long again."""
        library = self.library
        library._optimize_functions = lambda module: setattr(
            module, "data_layout", library._codegen._data_layout
        )
        try:
            super().create_cpython_wrapper(release_gil)
        finally:
            del library._optimize_functions

    def lower_normal_function(self, fndesc: Any) -> None:
        """With the flags of quotients; Numba gives its flags to what has none."""
        super().lower_normal_function(fndesc)
        flags = self.context.fastmath.flags if self.context.fastmath else set()
        if SIGNLESS in flags:
            for block in self.function.blocks:
                for one in block.instructions:
                    if one.opname in ("fdiv", "frem") and not one.flags:
                        one.flags.extend(sorted(flags - {SIGNLESS}) or [""])

    def lower_block(self, block: Any) -> None:
        super().lower_block(block)
        if is_vector_loop(self.func_ir, block):
            mark(self.builder.block.terminator)

    def lower_binop(self, type: Any, expr: Any, op: Any) -> Any:
        signature = self.fndesc.calltypes[expr]
        if op not in OPERATORS or not all(isinstance(a, NUMBERS) for a in signature.args):
            return super().lower_binop(type, expr, op)
        asked = op, signature.args
        if asked not in self._operators:
            function = self.context.typing_context.resolve_value_type(op)
            exact = function.get_call_type(self.context.typing_context, signature.args, {})
            self._operators[asked] = self.context.get_function(function, exact)
        operands = [
            self.context.cast(self.builder, self.loadvar(x.name), self.typeof(x.name), taken)
            for x, taken in zip((expr.lhs, expr.rhs), signature.args, strict=True)
        ]
        result = self._operators[asked](self.builder, operands)
        return self.context.cast(self.builder, result, signature.return_type, type)

    def lower_getitem(self, type: Any, expr: Any, array: Any, index: Any, signature: Any) -> Any:
        kind = self.typeof(array.name)
        if not self._is_element(kind, index) or signature.return_type != kind.dtype:
            return super().lower_getitem(type, expr, array, index, signature)
        element = arrayobj.load_item(self.context, self.builder, kind, self._place(array, kind, index))
        return self.context.cast(self.builder, element, kind.dtype, type)

    def lower_setitem(self, array: Any, index: Any, value: Any, signature: Any) -> Any:
        kind = self.typeof(array.name)
        if not self._is_element(kind, index):
            return super().lower_setitem(array, index, value, signature)
        given, taken = self.typeof(value.name), signature.args[2]
        element = self.context.cast(self.builder, self.loadvar(value.name), given, taken)
        element = self.context.cast(self.builder, element, taken, kind.dtype)
        place = self._place(array, kind, index)
        return arrayobj.store_item(self.context, self.builder, kind, element, place)

    def _is_element(self, kind: Any, index: Any) -> bool:
        """Whether that is one number of an array, by an integer for each axis."""
        if kind.__class__ is not types.Array or not isinstance(kind.dtype, NUMBERS):
            return False
        counted = _axes(self.typeof(index.name))
        integers = all(isinstance(c, types.Integer) for c in counted)
        return integers and 0 < kind.ndim == len(counted) and not self.context.enable_boundscheck

    def _place(self, array: Any, kind: Any, index: Any) -> Any:
        """The address of the element."""
        counted, given = _axes(self.typeof(index.name)), self.loadvar(index.name)
        is_tuple = isinstance(self.typeof(index.name), types.BaseTuple)
        at = cgutils.unpack_tuple(self.builder, given, len(counted)) if is_tuple else [given]
        shape = self._lengths(array, kind, "shape")
        strides = self._lengths(array, kind, "strides") if kind.layout == "A" else None
        at = [
            arrayobj.fix_integer_index(self.context, self.builder, c, i, n)
            if self.wraps
            else self.context.cast(self.builder, i, c, types.intp)
            for c, i, n in zip(counted, at, shape, strict=True)
        ]
        data = self._part(array, "data")
        return cgutils.get_item_pointer2(self.context, self.builder, data, shape, strides, kind.layout, at)

    def _lengths(self, array: Any, kind: Any, part: str) -> list[Any]:
        return list(cgutils.unpack_tuple(self.builder, self._part(array, part), kind.ndim))

    def _part(self, array: Any, part: str) -> Any:
        """One of an array's parts, without the others."""
        if array.name in self._blk_local_varmap and not self._disable_sroa_like_opt:
            return self.builder.extract_value(self._blk_local_varmap[array.name], FIELDS[part])
        address = cgutils.gep_inbounds(self.builder, self.getvar(array.name), 0, FIELDS[part])
        return self.builder.load(address)


def _axes(index: Any) -> Sequence[Any]:
    """The types of an index, one for each axis."""
    return index.types if isinstance(index, types.BaseTuple) else (index,)


@register_pass(mutates_CFG=True, analysis_only=False)
class KnownOperators(NopythonTypeInference):  # type: ignore[misc]
    """In place of ``NopythonTypeInference``."""

    _name = "ast_ad_known_operators"

    def run_pass(self, state: Any) -> bool:
        context, state.typingctx = state.typingctx, _Remembering(state.typingctx)
        try:
            return bool(super().run_pass(state))
        finally:
            state.typingctx = context


@register_pass(mutates_CFG=True, analysis_only=False)
class ShortAccesses(BaseNativeLowering):  # type: ignore[misc]
    """In place of ``NativeLowering``."""

    _name = "ast_ad_short_accesses"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class _Placed(_Lower):
    """That of kernels, whose indices are places: none is below 0 (see ``lowering.index_maps.position``).

    LLVM can't tell this of ``i + bound(start, n)``, or of what was read from memory, and so could not know
    that elements of a slice lie side by side: each was loaded by itself.
    """

    wraps = False


@register_pass(mutates_CFG=True, analysis_only=False)
class PlacedAccesses(ShortAccesses):
    """In place of ``NativeLowering``, of kernels."""

    _name = "ast_ad_placed_accesses"

    @property
    def lowering_class(self) -> Any:
        return _Placed
