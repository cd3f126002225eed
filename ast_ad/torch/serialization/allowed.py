"""Which names may a checkpoint use? The few that tensors and plain data are made with, in this table.

Nothing is looked up in modules: a name stands for a function of this module, which checks what it is given,
or for a value. Names that are not in the table are refused, whoever asks.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager import dtypes, metadata
from ...eager.operations.creation import rebuilt
from ...eager.tensor import Tensor
from ...errors import FileFormatError
from .data import attribute_problem, check_key
from .problems import damaged, refused
from .storages import BFLOAT16, KINDS, UNTYPED, Kind, Storage, tensor_array

Args = tuple[Any, ...]


class Maker:
    """What a name that can be called stands for.

    Args:
        name: the name in the file.
        make: takes the tuple of the arguments.
    """

    def __init__(self, name: str, make: Callable[[Args], Any]) -> None:
        self.name, self.make = name, make

    def __call__(self, args: object) -> Any:
        if type(args) is not tuple:
            raise damaged(f"{self.name} is called with something that is no tuple")
        return self.make(args)


def _fits(args: Args, *types: type) -> bool:
    return len(args) == len(types) and all(type(a) is t for a, t in zip(args, types, strict=True))


def _expect(fits: bool, name: str) -> None:
    if not fits:
        raise damaged(f"{name} is called with arguments that it doesn't have")


# ----- plain data


def _ordered_dict(args: Args) -> Any:
    _expect(args == (), "OrderedDict")
    return OrderedDict()


def _counter(args: Args) -> Any:
    _expect(args == () or _fits(args, dict), "Counter")
    made: Counter[Any] = Counter()
    for key, value in args[0].items() if args else ():
        _expect(type(value) in (int, float), "Counter")
        made[key] = value
    return made


def _set(args: Args) -> Any:
    _expect(_fits(args, list), "set")
    for key in args[0]:
        check_key(key)
    return set(args[0])


def _complex(args: Args) -> Any:
    _expect(_fits(args, float, float), "complex")
    return complex(*args)


def _encode(args: Args) -> Any:
    _expect(_fits(args, str, str) and args[1] == "latin1", "_codecs.encode")
    try:
        return args[0].encode("latin1")
    except UnicodeEncodeError:
        raise damaged("bytes are described by characters that are none") from None


def _bytes(args: Args) -> Any:
    _expect(args == (), "bytes")  # others are made by _codecs.encode
    return b""


def _bytearray(args: Args) -> Any:
    _expect(args == () or _fits(args, bytes), "bytearray")
    return bytearray(*args)


def _size(args: Args) -> Any:
    _expect(_fits(args, tuple) and all(type(n) is int for n in args[0]), "torch.Size")
    return metadata.Size(args[0])


def _device(args: Args) -> Any:
    _expect(_fits(args, str) or _fits(args, str, int), "torch.device")
    return metadata.device(*args) if args[0] == "cpu" and args[1:] in ((), (0,)) else metadata.device("cpu")


def _layout(args: Args) -> Any:
    if not _fits(args, str) or args[0] != "torch.strided":
        raise refused("the file names a layout that is not torch.strided", "sparse tensors are not supported")
    return metadata.strided


# ----- tensors


def _check_hooks(requires_grad: object, hooks: object) -> None:
    if type(requires_grad) is not bool or not (hooks is None or type(hooks) is OrderedDict and not hooks):
        raise damaged("a tensor comes with hooks, or requires_grad is not a bool")


def _check_differentiable(array: np.ndarray, requires_grad: bool) -> None:
    if requires_grad and array.dtype.kind not in "fc":
        raise damaged("a tensor that is not of floating point numbers requires a gradient")


def _flags(flags: Args) -> dict[str, bool]:
    """What is still to be done to the numbers: ``conj``, ``neg``, where PyTorch puts it off."""
    if not flags or flags[0] is None:
        return {}
    if type(flags[0]) is not dict:
        raise damaged("the flags of a tensor are no dict")
    for flag, value in flags[0].items():
        if flag not in ("conj", "neg") or type(value) is not bool:
            raise refused(f"a tensor has the flag {str(flag)[:50]!r}", "only 'conj' and 'neg' are known")
    return flags[0]


def _tensor(args: Args, stored: Any, flags: Args) -> Any:
    storage, offset, size, stride, requires_grad, hooks = args
    _check_hooks(requires_grad, hooks)
    array = tensor_array(storage.array(stored, **_flags(flags)), offset, size, stride)
    _check_differentiable(array, requires_grad)
    return rebuilt(Tensor, array, requires_grad)


def _tensor_v2(args: Args) -> Any:
    _expect(len(args) in (6, 7) and type(args[0]) is Storage, "_rebuild_tensor_v2")
    if args[0].kind is UNTYPED:
        raise damaged("a tensor without a type")
    return _tensor(args[:6], None, args[6:])


def _tensor_v3(args: Args) -> Any:
    _expect(len(args) in (7, 8) and type(args[0]) is Storage, "_rebuild_tensor_v3")
    if args[0].kind is not UNTYPED or not (isinstance(args[6], dtypes.dtype) or args[6] is BFLOAT16):
        raise damaged("a tensor has two types, or none")
    return _tensor(args[:6], args[6], args[7:])


def _parameter(args: Args) -> Any:
    from ..nn.parameter import Parameter

    _expect(len(args) == 3 and type(args[0]) is Tensor, "_rebuild_parameter")
    data, requires_grad, hooks = args
    _check_hooks(requires_grad, hooks)
    _check_differentiable(data._array, requires_grad)
    return Parameter(data, requires_grad)


def _parameter_with_state(args: Args) -> Any:
    _expect(len(args) == 4, "_rebuild_parameter_with_state")
    return _with_attributes(_parameter(args[:3]), args[3])


def _from_type(args: Args) -> Any:
    _expect(len(args) == 4 and type(args[0]) is Maker and args[1] is TENSOR, "_rebuild_from_type_v2")
    make, _, inner, state = args
    if make.make not in (_tensor_v2, _tensor_v3):
        raise damaged("a tensor with attributes is made of something that is no tensor")
    return _with_attributes(make(inner), state)


def _with_attributes(tensor: Any, state: object) -> Any:
    """The tensor with attributes that users gave it: plain values, under names that mean nothing here."""
    if type(state) is tuple and len(state) == 2 and not state[1]:
        state = state[0]
    if type(state) is not dict:
        raise damaged("the attributes of a tensor are no dict")
    for name, value in state.items():
        problem = attribute_problem(type(tensor), name, value)
        if problem:
            raise refused(f"a tensor has an attribute {str(name)[:50]!r}", problem)
        setattr(tensor, name, value)
    return tensor


TENSOR = Kind("torch.Tensor", None, 0)  # the class, as an argument only


def _table() -> dict[tuple[str, str], Any]:
    makers = {
        ("collections", "OrderedDict"): _ordered_dict,
        ("collections", "Counter"): _counter,
        ("_codecs", "encode"): _encode,
        ("torch", "Size"): _size,
        ("torch", "device"): _device,
        ("torch.serialization", "_get_layout"): _layout,
        ("torch._utils", "_rebuild_tensor_v2"): _tensor_v2,
        ("torch._utils", "_rebuild_tensor_v3"): _tensor_v3,
        ("torch._utils", "_rebuild_parameter"): _parameter,
        ("torch._utils", "_rebuild_parameter_with_state"): _parameter_with_state,
        ("torch._tensor", "_rebuild_from_type_v2"): _from_type,
    }
    for builtins in ("builtins", "__builtin__"):
        own = {"set": _set, "complex": _complex, "bytes": _bytes, "bytearray": _bytearray}
        makers |= {(builtins, name): make for name, make in own.items()}
    table: dict[tuple[str, str], Any] = {name: Maker(".".join(name), make) for name, make in makers.items()}
    table |= {("torch", name): kind for name, kind in KINDS.items()}
    table |= {("torch.storage", "UntypedStorage"): UNTYPED, ("torch", "UntypedStorage"): UNTYPED}
    table |= {("torch", repr(each)[6:]): each for each in dtypes.NAMESPACE.values()}
    return table | {("torch", "bfloat16"): BFLOAT16, ("torch", "Tensor"): TENSOR}


ALLOWED = _table()

# What to do about some names that are not in the table.
_HINTS = {
    "_rebuild_sparse_tensor": ("sparse tensors are not supported", "save tensor.to_dense()"),
    "_rebuild_qtensor": ("quantised tensors are not supported", "save tensor.dequantize()"),
    "_rebuild_nested_tensor": ("nested tensors are not supported", "save tensor.unbind(), a list of tensors"),
    "_rebuild_meta_tensor_no_storage": ("a tensor on the device 'meta' has no elements", "save a real one"),
    "QInt8Storage": ("quantised tensors are not supported", "save tensor.dequantize()"),
    "QUInt8Storage": ("quantised tensors are not supported", "save tensor.dequantize()"),
    "QInt32Storage": ("quantised tensors are not supported", "save tensor.dequantize()"),
    "_reconstruct": ("NumPy arrays are not read from checkpoints", "save torch.from_numpy(array)"),
    "scalar": ("NumPy numbers are not read from checkpoints", "save float(number) or int(number)"),
}


def named(module: str, name: str) -> Any:
    """What a name of the file stands for; FileFormatError if it is not in the table."""
    found = ALLOWED.get((module, name))
    if found is None:
        raise _unknown(module, name)
    return found


def _unknown(module: str, name: str) -> FileFormatError:
    given = f"{module}.{name}"
    if module.startswith(("torch", "numpy")):
        if name in _HINTS:
            return refused(f"the file names {given}", *_HINTS[name])
        if module == "torch" and name.startswith(
            ("float8", "float4", "quint", "qint", "int", "uint", "bits")
        ):
            return refused(
                f"the file names {given}", "NumPy has no such type", "save tensor.to(torch.float32)"
            )
    return refused(f"the file names {given}", "that is neither a tensor nor plain data, and is not looked up")
