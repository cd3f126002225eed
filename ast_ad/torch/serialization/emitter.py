"""How is an object described in a checkpoint? In the instructions that PyTorch's reader of weights knows.

The objects may be tensors and plain data; for anything else the error names its place.
"""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from typing import Any, NoReturn

from ...eager.dtypes import dtype
from ...eager.metadata import Size, device, layout
from ...eager.tensor import Tensor
from ...errors import UnsavableError
from . import opcodes as op
from .data import attribute_problem, attributes, is_key
from .limits import MAX_DEPTH, MAX_OBJECTS, MAX_TUPLE_KEYS
from .memory import Memory
from .storages import TYPED

BATCH = 1000  # items that are put on the stack at once
FEWER = "put long lists of numbers into tensors"
_STORAGES = {of: name for name, of in TYPED.items()}


class Emitter:
    """Describes one object.

    Attributes:
        out: the pickle.
        memory: the tensors' memory.
    """

    def __init__(self) -> None:
        self.out = bytearray([op.PROTO, 2])
        self.memory = Memory()
        self._memo: dict[Any, int] = {}  # texts and names by themselves, objects by their ids
        self._alive: list[Any] = []
        self._open: set[int] = set()  # the containers that are being written
        self._made = self._tuple_keys = 0  # what the reader will have to make, at most
        self._place: list[str] = ["obj"]

    def describe(self, given: Any) -> bytes:
        """The pickle that describes an object; UnsavableError if it isn't data."""
        self._any(given)
        self.out.append(op.STOP)
        return bytes(self.out)

    def _fail(self, what: str, why: str = "", fix: str = "") -> NoReturn:
        place = "".join(self._place)
        raise UnsavableError(
            f"{place} is {what}", why=why or "only tensors and plain data are saved", fix=fix
        )

    # ----- everything by its type
    def _any(self, given: Any) -> None:
        kind = type(given)
        if id(given) in self._open:
            self._fail("a container that contains itself", "checkpoints are trees")
        if self._recalled(id(given)):
            return
        if isinstance(given, Tensor):
            self._tensor(given)
        elif (write := _WRITERS.get(kind)) is not None:
            write(self, given)
        else:
            self._fail(f"of type {kind.__module__}.{kind.__qualname__}", fix=_advice(given))

    def _costs(self, objects: int) -> None:
        self._made += objects
        if max(self._made, len(self._memo)) > MAX_OBJECTS:
            self._fail("one object too many", f"at most {MAX_OBJECTS} could be read again", FEWER)

    def _recalled(self, key: Any) -> bool:
        """Refer to what was written before, if it was."""
        index = self._memo.get(key)
        if index is None:
            return False
        self.out += bytes([op.BINGET, index]) if index < 256 else struct.pack("<BI", op.LONG_BINGET, index)
        return True

    def _remember(self, key: Any, alive: Any = None) -> None:
        index = self._memo[key] = len(self._memo)
        self._costs(0)
        self._alive.append(alive)
        self.out += bytes([op.BINPUT, index]) if index < 256 else struct.pack("<BI", op.LONG_BINPUT, index)

    # ----- numbers and text
    def _none(self, given: None) -> None:
        self.out.append(op.NONE)

    def _bool(self, given: bool) -> None:
        self.out.append(op.NEWTRUE if given else op.NEWFALSE)

    def _int(self, given: int) -> None:
        if 0 <= given < 256:
            self.out += bytes([op.BININT1, given])
        elif 0 <= given < 1 << 16:
            self.out += struct.pack("<BH", op.BININT2, given)
        elif -(1 << 31) <= given < 1 << 31:
            self.out += struct.pack("<Bi", op.BININT, given)
        else:
            length = given.bit_length() // 8 + 1
            if length > 255:
                self._fail("an integer of more than 255 bytes", "PyTorch can't read it")
            self.out += bytes([op.LONG1, length]) + given.to_bytes(length, "little", signed=True)

    def _float(self, given: float) -> None:
        self.out += struct.pack(">Bd", op.BINFLOAT, given)

    def _complex(self, given: complex) -> None:
        self._global("__builtin__", "complex")
        self._float(given.real)
        self._float(given.imag)
        self.out += bytes([op.TUPLE2, op.REDUCE])

    def _str(self, given: str) -> None:
        if not self._recalled(given):
            text = given.encode("utf-8", "surrogatepass")
            self.out += struct.pack("<BI", op.BINUNICODE, len(text)) + text
            self._remember(given)

    def _bytes(self, given: bytes) -> None:
        self._costs(4 + len(given) // 64)
        self._global("_codecs", "encode")
        self._str(given.decode("latin1"))
        self._str("latin1")
        self.out += bytes([op.TUPLE2, op.REDUCE])

    def _bytearray(self, given: bytearray) -> None:
        self._global("__builtin__", "bytearray")
        self._bytes(bytes(given))
        self.out += bytes([op.TUPLE1, op.REDUCE])
        self._remember(id(given), given)

    def _global(self, module: str, name: str) -> None:
        if not self._recalled((module, name)):
            self.out += bytes([op.GLOBAL]) + f"{module}\n{name}\n".encode()
            self._remember((module, name))

    # ----- PyTorch's descriptions
    def _dtype(self, given: dtype) -> None:
        self._global("torch", repr(given)[6:])

    def _device(self, given: device) -> None:
        self._global("torch", "device")
        self._str(given.type)
        if given.index is None:
            self.out.append(op.TUPLE1)
        else:
            self._int(given.index)
            self.out.append(op.TUPLE2)
        self.out.append(op.REDUCE)

    def _layout(self, given: layout) -> None:
        self._global("torch.serialization", "_get_layout")
        self._str(repr(given))
        self.out += bytes([op.TUPLE1, op.REDUCE])

    def _size(self, given: Size) -> None:
        self._costs(4 + len(given))
        self._global("torch", "Size")
        self._numbers(given)
        self.out += bytes([op.TUPLE1, op.REDUCE])

    def _numbers(self, given: tuple[int, ...]) -> None:
        if len(given) > 3:
            self.out.append(op.MARK)
        for each in given:
            self._int(each)
        self._end_tuple(len(given))

    def _end_tuple(self, length: int) -> None:
        short = (op.EMPTY_TUPLE, op.TUPLE1, op.TUPLE2, op.TUPLE3)
        self.out.append(short[length] if length < len(short) else op.TUPLE)

    # ----- containers
    def _enter(self, given: Any) -> None:
        self._costs(4 + len(given) // (BATCH // 2))
        if len(self._open) >= MAX_DEPTH:
            self._fail(f"in more than {MAX_DEPTH} containers", "they could not be read again")
        self._open.add(id(given))

    def _part(self, place: str, given: Any) -> None:
        self._place.append(place)
        self._any(given)
        self._place.pop()

    def _list(self, given: list[Any]) -> None:
        self._enter(given)
        self.out.append(op.EMPTY_LIST)
        self._remember(id(given), given)
        for start in range(0, len(given), BATCH):
            self.out.append(op.MARK)
            for i, each in enumerate(given[start : start + BATCH], start):
                self._part(f"[{i}]", each)
            self.out.append(op.APPENDS)
        self._open.discard(id(given))

    def _tuple(self, given: tuple[Any, ...]) -> None:
        self._enter(given)
        if len(given) > 3:
            self.out.append(op.MARK)
        for i, each in enumerate(given):
            self._part(f"[{i}]", each)
        self._end_tuple(len(given))
        if given:
            self._remember(id(given), given)
        self._open.discard(id(given))

    def _dict(self, given: dict[Any, Any]) -> None:
        self.out.append(op.EMPTY_DICT)
        self._remember(id(given), given)
        self._items(given)

    def _ordered_dict(self, given: OrderedDict[Any, Any]) -> None:
        self._new_ordered_dict()
        self._remember(id(given), given)
        self._items(given)
        state = given.__dict__
        if not state:
            return
        if set(state) != {"_metadata"} or type(state["_metadata"]) not in (dict, OrderedDict):
            self._fail(
                "an OrderedDict with attributes", "only the _metadata of state dicts is saved", "use a dict"
            )
        self._part(".__dict__", dict(state))
        self.out.append(op.BUILD)

    def _new_ordered_dict(self) -> None:
        self._global("collections", "OrderedDict")
        self.out += bytes([op.EMPTY_TUPLE, op.REDUCE])

    def _items(self, given: dict[Any, Any]) -> None:
        self._enter(given)
        items = list(given.items())
        for start in range(0, len(items), BATCH):
            self.out.append(op.MARK)
            for key, value in items[start : start + BATCH]:
                self._key(key)
                self._part(f"[{key!r}]", value)
            self.out.append(op.SETITEMS)
        self._open.discard(id(given))

    def _key(self, key: Any) -> None:
        if not is_key(key):
            kind = type(key).__name__
            self._fail(
                f"a container with a key of type {kind}", "keys are text, small numbers, or tuples of them"
            )
        self._tuple_keys += isinstance(key, tuple)
        if self._tuple_keys > MAX_TUPLE_KEYS:
            self._fail(
                "a container with one tuple too many as key", f"at most {MAX_TUPLE_KEYS} could be read again"
            )
        self._any(key)

    def _counter(self, given: Counter[Any]) -> None:
        for key, value in given.items():
            if type(value) not in (int, float):
                self._fail(f"a Counter with a value that is no number, for {key!r}", fix="save dict(...)")
        self._costs(4 + len(given))
        self._global("collections", "Counter")
        self._dict(dict(given))
        self.out += bytes([op.TUPLE1, op.REDUCE])
        self._remember(id(given), given)

    def _set(self, given: set[Any]) -> None:
        self._global("__builtin__", "set")
        self._costs(4 + len(given))
        for each in given:
            if not is_key(each):
                self._fail(f"a set with an element of type {type(each).__name__}")
            self._tuple_keys += 2 * isinstance(each, tuple)  # the reader counts the list and the set
        if self._tuple_keys > MAX_TUPLE_KEYS:
            self._fail("a set with one tuple too many", f"at most {MAX_TUPLE_KEYS} could be read again")
        self._list(list(given))
        self.out += bytes([op.TUPLE1, op.REDUCE])
        self._remember(id(given), given)

    # ----- tensors
    def _tensor(self, given: Any) -> None:
        self._costs(24)
        own = attributes(given)
        for name, value in own.items():
            problem = attribute_problem(type(given), name, value)
            if problem:
                self._fail(f"a tensor with an attribute {name!r}", problem, "delete the attribute")
        if type(given) is Tensor:
            if own:
                self._global("torch._tensor", "_rebuild_from_type_v2")
                self.out.append(op.MARK)
                make = self._make(given)
                self._global("torch", "Tensor")
                self._elements(given, given.requires_grad, make)
                self._attributes(own)
                self.out += bytes([op.TUPLE, op.REDUCE])
            else:
                self._elements(given, given.requires_grad, self._make(given))
                self.out.append(op.REDUCE)
        else:
            self._parameter(given, own)
        self._remember(id(given), given)

    def _parameter(self, given: Any, own: dict[str, Any]) -> None:
        from ..nn.parameter import Parameter

        if type(given) is not Parameter:
            self._fail(f"a tensor of the class {type(given).__qualname__}", fix="save tensor.detach()")
        self._global("torch._utils", "_rebuild_parameter_with_state" if own else "_rebuild_parameter")
        self.out.append(op.MARK)
        self._elements(given, False, self._make(given))
        self.out.append(op.REDUCE)
        self._bool(given.requires_grad)
        self._new_ordered_dict()
        if own:
            self._attributes(own)
        self.out += bytes([op.TUPLE, op.REDUCE])

    def _attributes(self, own: dict[str, Any]) -> None:
        self._part(".__dict__", dict(own))

    def _make(self, given: Any) -> bool:
        """Name the function that makes a tensor of such elements; whether its storage has a type."""
        typed = given.dtype in _STORAGES
        self._global("torch._utils", "_rebuild_tensor_v2" if typed else "_rebuild_tensor_v3")
        return typed

    def _elements(self, given: Any, requires_grad: bool, typed: bool) -> None:
        """The arguments of that function, as a tuple."""
        array = given._array
        try:
            place = self.memory.place(array)
        except ValueError as error:
            self._fail(
                "a tensor that shares memory with one of another type", str(error), "save tensor.clone()"
            )
        self.out.append(op.MARK)
        self._storage(place.key, _STORAGES[given.dtype] if typed else None, array.itemsize)
        self._int(place.offset)
        self._numbers(array.shape)
        self._numbers(place.strides)
        self._bool(requires_grad)
        self._new_ordered_dict()
        if not typed:
            self._dtype(given.dtype)
        self.out.append(op.TUPLE)

    def _storage(self, key: int, name: str | None, itemsize: int) -> None:
        self.out.append(op.MARK)
        self._str("storage")
        self._global(*("torch", name) if name else ("torch.storage", "UntypedStorage"))
        self._str(str(key))
        self._str("cpu")
        self._int(len(self.memory.records[key]) // (itemsize if name else 1))
        self.out += bytes([op.TUPLE, op.BINPERSID])


def _advice(given: Any) -> str:
    """How to save something else."""
    if hasattr(given, "state_dict"):
        return "save its state_dict()"
    name = f"{type(given).__module__}.{type(given).__name__}"
    advice = {
        "numpy.ndarray": "save ast_ad.from_numpy(array)",
        "builtins.frozenset": "save set(...)",
        "collections.defaultdict": "save dict(...)",
        "builtins.range": "save list(...)",
    }
    if name in advice:
        return advice[name]
    if type(given).__module__ == "numpy":
        return "save number.item()"
    for base in (dict, tuple, list, str, int, float):
        if isinstance(given, base):
            return f"save {base.__name__}(...)"
    return ""


_WRITERS: dict[type, Any] = {
    type(None): Emitter._none, bool: Emitter._bool, int: Emitter._int, float: Emitter._float,
    complex: Emitter._complex, str: Emitter._str, bytes: Emitter._bytes, bytearray: Emitter._bytearray,
    dtype: Emitter._dtype, device: Emitter._device, layout: Emitter._layout, Size: Emitter._size,
    list: Emitter._list, tuple: Emitter._tuple, dict: Emitter._dict, set: Emitter._set,
    OrderedDict: Emitter._ordered_dict, Counter: Emitter._counter,
}  # fmt: skip
