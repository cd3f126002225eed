"""Which types may a tensor's elements have, and in which type does an operation on several compute?

A dtype is a thin layer over ``np.dtype``: a tensor stores only its array, and ``dtype_of`` finds the
singleton that users see. Text (``torch.float32``) and promotion are PyTorch's.

``dtypes.bool_``, ``int_`` and ``float_`` are named so here lest they hide Python's; ``NAMESPACE`` has the
public names.
"""

from __future__ import annotations

from typing import Any, NoReturn, Self, TypeAlias

import numpy as np

from ast_ad.eager.metadata import (
    Size as Size,
    channels_last as channels_last,
    channels_last_3d as channels_last_3d,
    contiguous_format as contiguous_format,
    device as device,
    layout as layout,
    memory_format as memory_format,
    preserve_format as preserve_format,
    size_of as size_of,
    strided as strided,
)

NumpyDtype: TypeAlias = np.dtype[Any]


class dtype:
    """The type of a tensor's elements: one object for each type, made here only.

    Attributes:
        dtype: the ``np.dtype``; through it NumPy takes this object wherever it takes a dtype.
        is_floating_point, is_complex, is_signed, itemsize, abbr: as in PyTorch.
        rank: 0 for bool, 1 for integers, 2 for floats, 3 for complex numbers (promotion goes by it).

    >>> float32, float32.itemsize, np.zeros(2, dtype=float32)
    (torch.float32, 4, array([0., 0.], dtype=float32))
    >>> float64 == np.float64, dtype_of(np.dtype("int16")) is short
    (True, True)
    """

    __slots__ = ("_name", "abbr", "dtype", "is_complex", "is_floating_point", "is_signed", "itemsize", "rank")

    def __new__(cls, *args: object, **kwargs: object) -> Self:
        raise TypeError("cannot create 'torch.dtype' instances")

    def _define(self, name: str, abbr: str) -> None:
        self._name, self.abbr, self.dtype = name, abbr, np.dtype(name)
        self.rank = "biufc".index(self.dtype.kind) - (self.dtype.kind not in "bi")
        self.is_floating_point, self.is_complex = self.rank == 2, self.rank == 3
        self.is_signed = self.dtype.kind in "ifc"
        self.itemsize = self.dtype.itemsize

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return _named, (self._name,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, dtype):
            return self is other
        if isinstance(other, np.dtype) or isinstance(other, type) and issubclass(other, np.generic):
            return bool(self.dtype == other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.dtype)

    def to_real(self) -> dtype:
        """The type of the real part."""
        return _TO_REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex type of this precision; NumPy has none for float16, so that gives complex64."""
        if self.rank < 2:
            raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(self.dtype)}")
        return _TO_COMPLEX.get(self, self)


def _make(name: str, abbr: str) -> dtype:
    made: dtype = object.__new__(dtype)
    made._define(name, abbr)
    return made


def _named(name: str) -> dtype:
    return dtype_of(np.dtype(name))


float16 = half = _make("float16", "f16")
float32 = float_ = _make("float32", "f32")
float64 = double = _make("float64", "f64")
complex64 = cfloat = _make("complex64", "c64")
complex128 = cdouble = _make("complex128", "c128")
uint8 = _make("uint8", "u8")
uint16 = _make("uint16", "u16")
uint32 = _make("uint32", "u32")
uint64 = _make("uint64", "u64")
int8 = _make("int8", "i8")
int16 = short = _make("int16", "i16")
int32 = int_ = _make("int32", "i32")
int64 = long = _make("int64", "i64")
bool_ = _make("bool", "b8")

_ALL: list[dtype] = [float16, float32, float64, complex64, complex128]
_ALL += (uint8, uint16, uint32, uint64, int8, int16, int32, int64, bool_)
_BY_NUMPY: dict[NumpyDtype, dtype] = {each.dtype: each for each in _ALL}

# The dtypes under the names that users write, `torch.float` and `torch.bool` among them.
NAMESPACE: dict[str, dtype] = {each._name: each for each in _ALL}
NAMESPACE |= {"half": half, "float": float_, "double": double, "cfloat": cfloat, "cdouble": cdouble}
NAMESPACE |= {"short": short, "int": int_, "long": long}
_TO_REAL = {complex64: float32, complex128: float64}
_TO_COMPLEX = {float16: complex64, float32: complex64, float64: complex128}
_OF_PYTHON: dict[object, NumpyDtype] = {
    bool: bool_.dtype,
    int: int64.dtype,
    float: float64.dtype,
    complex: complex128.dtype,
}


def dtype_of(numpy_dtype: NumpyDtype) -> dtype:
    """The singleton for a NumPy dtype; TypeError for a type that tensors do not have."""
    found = _BY_NUMPY.get(numpy_dtype)
    return _refuse(numpy_dtype) if found is None else found


def _refuse(given: NumpyDtype) -> NoReturn:
    names = ", ".join(str(each) for each in _BY_NUMPY)
    if given.newbyteorder("=") in _BY_NUMPY:
        raise TypeError(
            f"a tensor can't hold {given.str!r}: its byte order is not that of this machine; "
            f"convert with `array.astype({given.newbyteorder('=').name!r})`"
        )
    raise TypeError(f"a tensor can't hold elements of NumPy type {given}. The supported types are: {names}.")


def as_numpy(dtype_like: object) -> NumpyDtype:
    """The ``np.dtype`` that is meant by a dtype, a NumPy dtype, type or name, or a Python number type.

    >>> as_numpy(float32), as_numpy(float), as_numpy(np.int8)
    (dtype('float32'), dtype('float64'), dtype('int8'))
    """
    if isinstance(dtype_like, dtype):
        return dtype_like.dtype
    if isinstance(dtype_like, type) and dtype_like in _OF_PYTHON:
        return _OF_PYTHON[dtype_like]
    if isinstance(dtype_like, np.dtype | str) or _is_numpy_type(dtype_like):
        return dtype_of(np.dtype(dtype_like)).dtype  # type: ignore[call-overload]
    raise TypeError(f"argument 'dtype' must be torch.dtype, not {type(dtype_like).__name__}")


def _is_numpy_type(given: object) -> bool:
    return isinstance(given, type) and issubclass(given, np.generic)


# The names that PyTorch's messages use: of the element type, and of the C++ type.
_SCALAR_NAMES: dict[NumpyDtype, tuple[str, str]] = {
    float16.dtype: ("Half", "c10::Half"),
    float32.dtype: ("Float", "float"),
    float64.dtype: ("Double", "double"),
    complex64.dtype: ("ComplexFloat", "c10::complex<float>"),
    complex128.dtype: ("ComplexDouble", "c10::complex<double>"),
    uint8.dtype: ("Byte", "unsigned char"),
    uint16.dtype: ("UInt16", "short unsigned int"),
    uint32.dtype: ("UInt32", "unsigned int"),
    uint64.dtype: ("UInt64", "long unsigned int"),
    int8.dtype: ("Char", "signed char"),
    int16.dtype: ("Short", "short int"),
    int32.dtype: ("Int", "int"),
    int64.dtype: ("Long", "long int"),
    bool_.dtype: ("Bool", "bool"),
}


def scalar_name(numpy_dtype: NumpyDtype) -> str:
    """The element type's name in messages: ``'Float'``, ``'Long'``."""
    return _SCALAR_NAMES[dtype_of(numpy_dtype).dtype][0]


def cpp_name(numpy_dtype: NumpyDtype) -> str:
    """The element type's C++ name in messages: ``'float'``, ``'long int'``."""
    return _SCALAR_NAMES[dtype_of(numpy_dtype).dtype][1]


def legacy_name(numpy_dtype: NumpyDtype) -> str:
    """What ``Tensor.type()`` says: ``'torch.FloatTensor'``."""
    return f"torch.{scalar_name(numpy_dtype)}Tensor"


class _Limits:
    """What finfo and iinfo share: which dtype, comparison."""

    __slots__ = ("_of", "bits", "dtype", "max", "min")
    max: Any
    min: Any

    def __init__(self, of: dtype) -> None:
        self._of = of.to_real()
        self.dtype, self.bits = self._of._name, 8 * self._of.itemsize

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, _Limits) and other._of is self._of

    def __hash__(self) -> int:
        return hash((type(self), self._of))


class finfo(_Limits):
    """The limits of a floating point type (of a complex type: of its parts).

    >>> finfo(float32).eps, finfo(float16).max
    (1.1920928955078125e-07, 65504.0)
    """

    __slots__ = ("eps", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: dtype | None = None) -> None:
        of = _checked_dtype("finfo", get_default_dtype() if type is None else type)
        if of.rank < 2:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo for integers"
            )
        super().__init__(of)
        info = np.finfo(self._of.dtype)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(f"1e-{info.precision}")

    def __repr__(self) -> str:
        numbers = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return (
            f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in numbers)}, dtype={self.dtype})"
        )


class iinfo(_Limits):
    """The limits of an integer type.

    >>> iinfo(uint8)
    iinfo(min=0, max=255, dtype=uint8)
    """

    __slots__ = ()

    def __init__(self, type: dtype) -> None:
        of = _checked_dtype("iinfo", type)
        if of is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if of.rank != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo for floats")
        super().__init__(of)
        info = np.iinfo(of.dtype)
        self.max, self.min = int(info.max), int(info.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def _checked_dtype(where: str, given: object) -> dtype:
    if isinstance(given, dtype):
        return given
    if isinstance(given, np.dtype) or _is_numpy_type(given):
        return dtype_of(as_numpy(given))
    raise TypeError(
        f"{where}(): argument 'type' (position 1) must be torch.dtype, not {type(given).__name__}"
    )


# ---- promotion ------------------------------------------------------------------------------------------

_default = float32
_known_results: dict[tuple[object, ...], NumpyDtype] = {}  # of the present default dtype


def get_default_dtype() -> dtype:
    """The dtype of tensors made from Python floats."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Make ``d``, a floating point dtype, that of tensors made from Python floats."""
    global _default
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d
    _known_results.clear()


def promote_types(type1: object, type2: object) -> dtype:
    """The smallest dtype that is of the higher kind of the two and holds both ends of a kind they share.

    Unlike in NumPy, an integer's size never makes a float larger.

    >>> promote_types(int64, float32), promote_types(uint8, int8), promote_types(float64, complex64)
    (torch.float32, torch.int16, torch.complex128)
    """
    a, b = dtype_of(as_numpy(type1)), dtype_of(as_numpy(type2))
    if a is b:
        return a
    low, high = (a, b) if a.rank <= b.rank else (b, a)
    if any(each.dtype.kind == "u" and each is not uint8 for each in (a, b)) and high.rank != 2:
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{scalar_name(a.dtype)} and {scalar_name(b.dtype)}"
        )
    if low.rank == high.rank or low.rank == 2:
        return dtype_of(np.promote_types(low.dtype, high.dtype))
    return high


def can_cast(from_: object, to: object) -> bool:
    """Whether a conversion keeps the kind of number: complex, float, integer, bool may not go down."""
    return dtype_of(as_numpy(from_)).rank <= dtype_of(as_numpy(to)).rank


def result_dtype(*operands: Any) -> NumpyDtype:
    """The NumPy dtype in which PyTorch computes with these operands.

    Arrays with dimensions decide; 0-d arrays count only if of a higher kind, Python numbers (and NumPy
    scalars, which count as such) only if of a kind higher than both, and then as the default dtype.

    Args:
        operands: arrays, tensors (anything with ``_array``) and numbers.

    >>> result_dtype(np.ones(2, np.float32), np.array(1.0)), result_dtype(np.ones(2, np.int8), 1.5)
    (dtype('float32'), dtype('float32'))
    """
    key = tuple([_operand_key(each) for each in operands])
    found = _known_results.get(key)
    if found is None:
        found = _known_results[key] = _combined(key)
    return found


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of an operation on the two operands, as a dtype users see (see ``result_dtype``)."""
    return dtype_of(result_dtype(tensor1, tensor2))


def _operand_key(operand: Any) -> tuple[object, int]:
    """The operand's type and its category: 0 with dimensions, 1 a 0-d array, 2 a number."""
    array = getattr(operand, "_array", operand)
    if isinstance(array, np.ndarray):
        return array.dtype, 0 if array.ndim else 1
    return type(array), 2


def _number_dtype(kind: Any) -> dtype:
    """What a Python number or NumPy scalar of class ``kind`` counts as."""
    if issubclass(kind, bool | np.bool_):
        return bool_
    if issubclass(kind, int | np.integer):
        return int64
    if issubclass(kind, float | np.floating):
        return _default
    if issubclass(kind, complex | np.complexfloating):
        return _default.to_complex()
    raise TypeError(f"a tensor or a number is expected, not {kind.__name__}")


def _combined(key: tuple[Any, ...]) -> NumpyDtype:
    categories: list[dtype | None] = [None, None, None]
    for given, category in key:
        new = _number_dtype(given) if category == 2 else dtype_of(given)
        old = categories[category]
        categories[category] = new if old is None else promote_types(old, new)
    dimensioned, zero_dim, number = categories
    result = _prefer(dimensioned, _prefer(zero_dim, number))
    if result is None:
        raise TypeError("result_dtype() needs at least one operand")
    return result.dtype


def _prefer(first: dtype | None, second: dtype | None) -> dtype | None:
    """``first``, unless ``second`` is of a higher kind; a float turns complex in its own precision."""
    if first is None or second is None:
        return second if first is None else first
    if second.rank <= first.rank:
        return first
    if first is bool_:
        return promote_types(first, second)
    return first.to_complex() if first.rank == 2 else second
