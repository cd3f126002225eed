"""Do dtypes and their promotion behave as in PyTorch? The tables are recorded from PyTorch 2.13."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ast_ad.eager import dtypes

# `-` stands for an error: uint16, uint32 and uint64 are promoted with floats only.
PROMOTED = """
.    b8   u8   i8   i16  i32  i64  f16  f32  f64  c64  c128 u16  u32  u64
b8   b8   u8   i8   i16  i32  i64  f16  f32  f64  c64  c128 -    -    -
u8   u8   u8   i16  i16  i32  i64  f16  f32  f64  c64  c128 -    -    -
i8   i8   i16  i8   i16  i32  i64  f16  f32  f64  c64  c128 -    -    -
i16  i16  i16  i16  i16  i32  i64  f16  f32  f64  c64  c128 -    -    -
i32  i32  i32  i32  i32  i32  i64  f16  f32  f64  c64  c128 -    -    -
i64  i64  i64  i64  i64  i64  i64  f16  f32  f64  c64  c128 -    -    -
f16  f16  f16  f16  f16  f16  f16  f16  f32  f64  c64  c128 f16  f16  f16
f32  f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128 f32  f32  f32
f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 f64  f64  f64
c64  c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128 -    -    -
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 -    -    -
u16  -    -    -    -    -    -    f16  f32  f64  -    -    u16  -    -
u32  -    -    -    -    -    -    f16  f32  f64  -    -    -    u32  -
u64  -    -    -    -    -    -    f16  f32  f64  -    -    -    -    u64
"""

# Rows: an array with dimensions; columns: a 0-d array. NumPy has no complex type of half precision: c64
# is where PyTorch has c32.
WITH_ZERO_DIM = """
.    b8   u8   i8   i16  i32  i64  f16  f32  f64  c64  c128 u16  u32  u64
b8   b8   u8   i8   i16  i32  i64  f16  f32  f64  c64  c128 -    -    -
u8   u8   u8   u8   u8   u8   u8   f16  f32  f64  c64  c128 u8   u8   u8
i8   i8   i8   i8   i8   i8   i8   f16  f32  f64  c64  c128 i8   i8   i8
i16  i16  i16  i16  i16  i16  i16  f16  f32  f64  c64  c128 i16  i16  i16
i32  i32  i32  i32  i32  i32  i32  f16  f32  f64  c64  c128 i32  i32  i32
i64  i64  i64  i64  i64  i64  i64  f16  f32  f64  c64  c128 i64  i64  i64
f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  c64  c64  f16  f16  f16
f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  c64  c64  f32  f32  f32
f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 f64  f64  f64
c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64
c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
u16  u16  u16  u16  u16  u16  u16  f16  f32  f64  c64  c128 u16  u16  u16
u32  u32  u32  u32  u32  u32  u32  f16  f32  f64  c64  c128 u32  u32  u32
u64  u64  u64  u64  u64  u64  u64  f16  f32  f64  c64  c128 u64  u64  u64
"""

WITH_NUMBER_32 = """
.    bool int  float complex
b8   b8   i64  f32  c64
u8   u8   u8   f32  c64
i8   i8   i8   f32  c64
i16  i16  i16  f32  c64
i32  i32  i32  f32  c64
i64  i64  i64  f32  c64
f16  f16  f16  f16  c64
f32  f32  f32  f32  c64
f64  f64  f64  f64  c128
c64  c64  c64  c64  c64
c128 c128 c128 c128 c128
u16  u16  u16  f32  c64
u32  u32  u32  f32  c64
u64  u64  u64  f32  c64
"""

WITH_NUMBER_64 = """
.    bool int  float complex
b8   b8   i64  f64  c128
u8   u8   u8   f64  c128
i8   i8   i8   f64  c128
i16  i16  i16  f64  c128
i32  i32  i32  f64  c128
i64  i64  i64  f64  c128
f16  f16  f16  f16  c64
f32  f32  f32  f32  c64
f64  f64  f64  f64  c128
c64  c64  c64  c64  c64
c128 c128 c128 c128 c128
u16  u16  u16  f64  c128
u32  u32  u32  f64  c128
u64  u64  u64  f64  c128
"""

WITH_NUMBER_16 = """
.    bool int  float complex
b8   b8   i64  f16  c64
u8   u8   u8   f16  c64
i8   i8   i8   f16  c64
i16  i16  i16  f16  c64
i32  i32  i32  f16  c64
i64  i64  i64  f16  c64
f16  f16  f16  f16  c64
f32  f32  f32  f32  c64
f64  f64  f64  f64  c128
c64  c64  c64  c64  c64
c128 c128 c128 c128 c128
u16  u16  u16  f16  c64
u32  u32  u32  f16  c64
u64  u64  u64  f16  c64
"""


def table(text: str) -> list[tuple[str, str, str]]:
    """The rows, columns and entries of a table."""
    head, *rows = (line.split() for line in text.strip().splitlines())
    return [(row[0], column, entry) for row in rows for column, entry in zip(head[1:], row[1:], strict=True)]


def of(name: str) -> dtypes.dtype:
    return next(each for each in ALL if each.abbr == name)


def outcome(compute: Callable[[], dtypes.dtype]) -> str:
    try:
        return compute().abbr
    except RuntimeError as error:
        assert "Promotion for uint16" in str(error)
        return "-"


ALL = list(dict.fromkeys(dtypes.NAMESPACE.values()))


@pytest.fixture(autouse=True)
def _defaults() -> Iterator[None]:
    yield
    dtypes.set_default_dtype(dtypes.float32)


# ---- one dtype ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", ALL, ids=str)
def test_numpy_takes_a_dtype_for_its_own(each: dtypes.dtype) -> None:
    assert np.zeros(3, dtype=each).dtype == each.dtype
    assert np.ones(2).astype(each).dtype == each.dtype
    assert np.dtype(each) == each and each == each.dtype and each == each.dtype.type
    assert dtypes.dtype_of(np.dtype(each.dtype.name)) is each


@pytest.mark.parametrize("each", ALL, ids=str)
def test_there_is_one_object_of_each(each: dtypes.dtype) -> None:
    assert pickle.loads(pickle.dumps(each)) is each
    assert copy.copy(each) is each and copy.deepcopy([each])[0] is each
    assert hash(each) == hash(each.dtype)


def test_no_dtype_can_be_made() -> None:
    with pytest.raises(TypeError, match="cannot create"):
        dtypes.dtype("float32")


def test_unequal_to_others() -> None:
    assert dtypes.float32 != dtypes.float64 and dtypes.float32 != np.float64
    assert dtypes.float32 != "float32" and dtypes.float32 != 3


def test_aliases_and_text() -> None:
    names = {
        "half": "float16",
        "float": "float32",
        "double": "float64",
        "short": "int16",
        "int": "int32",
        "long": "int64",
        "cfloat": "complex64",
        "cdouble": "complex128",
        "bool": "bool",
    }
    assert {alias: repr(dtypes.NAMESPACE[alias]) for alias in names} == {
        alias: f"torch.{name}" for alias, name in names.items()
    }


def test_attributes() -> None:
    assert [each.abbr for each in ALL if each.is_floating_point] == ["f16", "f32", "f64"]
    assert [each.abbr for each in ALL if each.is_complex] == ["c64", "c128"]
    assert [each.abbr for each in ALL if not each.is_signed] == ["u8", "u16", "u32", "u64", "b8"]
    assert [each.itemsize for each in ALL] == [2, 4, 8, 8, 16, 1, 2, 4, 8, 1, 2, 4, 8, 1]


def test_real_and_complex_counterparts() -> None:
    assert dtypes.complex64.to_real() is dtypes.float32 and dtypes.complex128.to_real() is dtypes.float64
    assert dtypes.int8.to_real() is dtypes.int8 and dtypes.float16.to_real() is dtypes.float16
    assert dtypes.float64.to_complex() is dtypes.complex128 and dtypes.cfloat.to_complex() is dtypes.cfloat
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Long"):
        dtypes.int64.to_complex()


@pytest.mark.parametrize("given", ["U1", "O", "S3", "M8[s]", np.longdouble])
def test_types_that_tensors_do_not_have(given: Any) -> None:
    with pytest.raises(TypeError, match="supported types are: float16"):
        dtypes.dtype_of(np.dtype(given))


def test_foreign_byte_order_says_what_to_do() -> None:
    with pytest.raises(TypeError, match=r"astype\('float32'\)"):
        dtypes.dtype_of(np.dtype(np.float32).newbyteorder())


def test_as_numpy() -> None:
    given = [dtypes.float16, np.dtype("i4"), np.uint8, "float32", float, int, bool, complex]
    names = ["float16", "int32", "uint8", "float32", "float64", "int64", "bool", "complex128"]
    assert [dtypes.as_numpy(each).name for each in given] == names


@pytest.mark.parametrize("given", [None, 3, object, list, 1.5])
def test_as_numpy_refuses_what_is_no_dtype(given: object) -> None:
    with pytest.raises(TypeError, match="must be torch.dtype"):
        dtypes.as_numpy(given)


def test_names_in_messages() -> None:
    single, long = np.dtype("float32"), np.dtype("int64")
    assert (
        dtypes.legacy_name(single) == "torch.FloatTensor" and dtypes.legacy_name(long) == "torch.LongTensor"
    )
    assert dtypes.scalar_name(np.dtype("complex64")) == "ComplexFloat" and dtypes.scalar_name(long) == "Long"
    assert dtypes.cpp_name(single) == "float" and dtypes.cpp_name(np.dtype("float16")) == "c10::Half"


# ---- limits ---------------------------------------------------------------------------------------------


def test_finfo() -> None:
    assert repr(dtypes.finfo(dtypes.float16)) == (
        "finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, "
        "smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float16)"
    )
    info = dtypes.finfo(dtypes.float64)
    assert (info.bits, info.eps, info.tiny, info.resolution) == (64, 2.0**-52, 2.0**-1022, 1e-15)
    assert dtypes.finfo() == dtypes.finfo(dtypes.complex64) == dtypes.finfo(dtypes.float32)
    assert type(info.eps) is float and info.dtype == "float64"


def test_iinfo() -> None:
    assert repr(dtypes.iinfo(dtypes.int32)) == "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)"
    assert (dtypes.iinfo(dtypes.int64).max, dtypes.iinfo(dtypes.int8).bits) == (2**63 - 1, 8)


@pytest.mark.parametrize(
    "info, given",
    [
        (dtypes.finfo, dtypes.int32),
        (dtypes.finfo, 3),
        (dtypes.finfo, dtypes.bool_),
        (dtypes.iinfo, dtypes.float32),
        (dtypes.iinfo, dtypes.bool_),
    ],
)
def test_limits_of_other_types(info: Any, given: object) -> None:
    with pytest.raises(TypeError):
        info(given)


# ---- promotion ------------------------------------------------------------------------------------------


def test_every_pair_is_promoted_as_in_pytorch() -> None:
    wrong = [
        (a, b, entry)
        for a, b, entry in table(PROMOTED)
        if outcome(lambda a=a, b=b: dtypes.promote_types(of(a), of(b))) != entry
    ]
    assert not wrong


def test_zero_dim_arrays_count_only_if_of_a_higher_kind() -> None:
    wrong = []
    for a, b, entry in table(WITH_ZERO_DIM):
        array, point = np.ones(2, of(a).dtype), np.ones((), of(b).dtype)
        found = {
            outcome(lambda x=x, y=y: dtypes.result_type(x, y)) for x, y in ((array, point), (point, array))
        }
        if found != {entry}:
            wrong.append((a, b, entry, found))
    assert not wrong


@pytest.mark.parametrize(
    "default, text",
    [("float32", WITH_NUMBER_32), ("float64", WITH_NUMBER_64), ("float16", WITH_NUMBER_16)],
)
def test_numbers_count_as_the_default_dtype(default: str, text: str) -> None:
    dtypes.set_default_dtype(dtypes.NAMESPACE[default])
    numbers: dict[str, Any] = {"bool": True, "int": 3, "float": 2.5, "complex": 2j}
    for name, column, entry in table(text):
        for shape in ((2,), ()):
            array = np.ones(shape, of(name).dtype)
            if (name, shape) != ("b8", ()) or column != "int":
                assert dtypes.result_type(array, numbers[column]).abbr == entry, (name, column, shape)


def test_numpy_scalars_count_as_numbers() -> None:
    array = np.ones(2, np.float32)
    assert dtypes.result_dtype(array, np.float64(2)) == np.float32
    assert dtypes.result_dtype(np.ones(2, np.int8), np.int64(2)) == np.int8
    assert dtypes.result_dtype(np.ones(2, bool), np.True_) == np.bool_
    assert dtypes.result_dtype(array, np.complex128(2j)) == np.complex64


def test_more_than_two_operands() -> None:
    operands = (np.ones(2, np.int8), np.ones((), np.float64), 2j, np.ones((1, 1), np.uint8))
    assert dtypes.result_dtype(*operands) == np.complex128
    assert dtypes.result_dtype(True, 2) == np.int64


def test_what_is_no_operand() -> None:
    with pytest.raises(TypeError, match="not str"):
        dtypes.result_dtype(np.ones(2), "a")
    with pytest.raises(TypeError, match="at least one"):
        dtypes.result_dtype()


def test_can_cast() -> None:
    order = ["b8", "i64", "f16", "c64"]
    allowed = [(a, b) for a in order for b in order if dtypes.can_cast(of(a), of(b))]
    assert allowed == [(a, b) for i, a in enumerate(order) for b in order[i:]]
    assert dtypes.can_cast(dtypes.int64, dtypes.uint8)


@pytest.mark.parametrize("given", [dtypes.int32, dtypes.complex64, float, None, np.float64])
def test_default_must_be_a_floating_dtype(given: Any) -> None:
    with pytest.raises(TypeError, match="only floating-point types"):
        dtypes.set_default_dtype(given)
    assert dtypes.get_default_dtype() is dtypes.float32
