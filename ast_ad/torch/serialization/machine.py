"""How is the description of a checkpoint read? By a machine for the few instructions it is written in.

The description is a pickle: a program for a machine with a stack and a memory. Python's machine can call
anything; this one can make plain data and the tensors of ``allowed``.
"""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from . import opcodes as op
from .allowed import Maker, named
from .data import check_data, check_key
from .limits import MAX_NAME, MAX_OBJECTS, MAX_PICKLE, MAX_STEPS, MAX_TUPLE_KEYS
from .problems import CONVERT, damaged, refused
from .storages import Storages

DICTS = (dict, OrderedDict, Counter)


class Machine:
    """Runs one description.

    Args:
        program: the pickle.
        storages: what its persistent ids name.
    """

    def __init__(self, program: bytes, storages: Storages) -> None:
        if len(program) > MAX_PICKLE:
            raise refused(f"a description of {len(program)} bytes", f"at most {MAX_PICKLE} are read")
        self.program, self.at, self.storages = program, 0, storages
        self.stack: list[Any] = []
        self.below: list[list[Any]] = []  # the stacks under the marks
        self.memo: dict[int, Any] = {}
        self.made = self.tuple_keys = 0

    def run(self) -> Any:
        """What the program describes; FileFormatError if it does anything else."""
        if self._bytes(2) != bytes([op.PROTO, 2]):
            raise refused(
                "the file has another pickle protocol than 2",
                "PyTorch reads and writes weights with protocol 2",
                "save it again without pickle_protocol=",
            )
        program, length = self.program, len(self.program)
        for _ in range(MAX_STEPS):
            if self.at >= length:
                raise damaged("the description of the tensors ends early")
            code = program[self.at]
            self.at += 1
            if code == op.STOP:
                return self._result()
            step = STEPS.get(code)
            if step is None:
                raise self._unknown(code)
            step(self)
        raise refused(
            f"the description has more than {MAX_STEPS} instructions", "no checkpoint needs so many"
        )

    def _result(self) -> Any:
        if len(self.stack) != 1 or self.below or self.at != len(self.program):
            raise damaged("the description of the tensors goes on after its end")
        check_data(self.stack[0])
        return self.stack[0]

    def _unknown(self, code: int) -> Exception:
        name = op.REFUSED.get(code)
        if name is None:
            return damaged(f"the description of the tensors has an instruction {code:#x}, which there isn't")
        return refused(
            f"the description of the tensors uses the instruction {name}",
            "PyTorch's own weights don't, and it could make more than data",
            CONVERT,
        )

    # ----- the program and the stack
    def _bytes(self, length: int) -> bytes:
        end = self.at + length
        if end > len(self.program):
            raise damaged("the description of the tensors ends early")
        found = self.program[self.at : end]
        self.at = end
        return found

    def _unsigned(self, length: int) -> int:
        return int.from_bytes(self._bytes(length), "little")

    def _line(self) -> str:
        end = self.program.find(b"\n", self.at, self.at + MAX_NAME)
        if end < 0:
            raise damaged("a name in the description of the tensors has no end")
        try:
            return self._bytes(end - self.at + 1)[:-1].decode()
        except UnicodeDecodeError:
            raise damaged("a name in the description of the tensors is not UTF-8") from None

    def pop(self) -> Any:
        if not self.stack:
            raise damaged("the description of the tensors takes what isn't there")
        return self.stack.pop()

    def top(self) -> Any:
        if not self.stack:
            raise damaged("the description of the tensors takes what isn't there")
        return self.stack[-1]

    def since_mark(self) -> list[Any]:
        if not self.below:
            raise damaged("the description of the tensors takes what isn't there")
        items, self.stack = self.stack, self.below.pop()
        return items

    def push_new(self, made: Any) -> None:
        self._count(1)
        self.stack.append(made)

    def _count(self, made: int) -> None:
        self.made += made
        if self.made > MAX_OBJECTS:
            raise refused(
                f"the description makes more than {MAX_OBJECTS} containers", "no checkpoint needs them"
            )

    # ----- instructions
    def mark(self) -> None:
        self._count(1)  # a stack is a container
        self.below.append(self.stack)
        self.stack = []

    def put(self, length: int) -> None:
        if len(self.memo) >= MAX_OBJECTS:
            raise refused(
                f"the description keeps more than {MAX_OBJECTS} objects", "no checkpoint needs them"
            )
        self.memo[self._unsigned(length)] = self.top()

    def get(self, length: int) -> None:
        index = self._unsigned(length)
        if index not in self.memo:
            raise damaged("the description of the tensors refers to an object that it didn't make")
        self.stack.append(self.memo[index])

    def tuple_of(self, count: int) -> None:
        items = [self.pop() for _ in range(count)]
        self.push_new(tuple(reversed(items)))

    def extend(self, items: list[Any]) -> None:
        target = self.top()
        if type(target) is not list:
            raise damaged(f"the description appends to a {type(target).__name__}")
        target.extend(items)

    def update(self, items: list[Any]) -> None:
        target = self.top()
        if type(target) not in DICTS or len(items) % 2:
            raise damaged(f"the description sets items of a {type(target).__name__}")
        self._count_tuples(items[::2])
        for key, value in zip(items[::2], items[1::2], strict=True):
            check_key(key)
            target[key] = value

    def string(self) -> None:
        text = self._bytes(self._unsigned(4))
        try:
            self.stack.append(text.decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            raise damaged("a text in the description of the tensors is not UTF-8") from None

    def name(self) -> None:
        module, name = self._line(), self._line()
        self.stack.append(named(module, name))

    def reduce(self) -> None:
        args, make = self.pop(), self.pop()
        if type(make) is not Maker:
            raise damaged(f"the description calls a {type(make).__name__}")
        if type(args) is tuple and args:
            self._count(_copied(args[0]))  # it could be copied again and again
            if type(args[0]) is list:
                self._count_tuples(args[0])  # the elements of a set
        self.push_new(make(args))

    def _count_tuples(self, keys: list[Any]) -> None:
        self.tuple_keys += sum(isinstance(key, tuple) for key in keys)
        if self.tuple_keys > MAX_TUPLE_KEYS:
            raise refused(f"more than {MAX_TUPLE_KEYS} keys are tuples", "no checkpoint needs so many")

    def build(self) -> None:
        """The versions of the layers, which a state dict of PyTorch carries as an attribute."""
        state, target = self.pop(), self.top()
        if type(target) is not OrderedDict or type(state) is not dict or set(state) != {"_metadata"}:
            raise refused(
                f"the description sets the state of a {type(target).__name__}",
                "only a state dict has one, its _metadata",
            )
        if type(state["_metadata"]) not in DICTS:
            raise damaged("the _metadata of a state dict is no dict")
        target._metadata = state["_metadata"]  # type: ignore[attr-defined]

    def persistent(self) -> None:
        self.stack.append(self.storages.named(self.pop()))


def _copied(given: Any) -> int:
    """What the argument of a call costs, counted in containers."""
    if type(given) in (str, bytes):
        return len(given) // 64
    return len(given) if type(given) in (list, tuple, dict) else 0


def _push(value: Any) -> Callable[[Machine], None]:
    return lambda m: m.stack.append(value)


def _set_one(m: Machine) -> None:
    value, key = m.pop(), m.pop()
    m.update([key, value])


STEPS: dict[int, Callable[[Machine], None]] = {
    op.MARK: Machine.mark,
    op.NONE: _push(None),
    op.NEWTRUE: _push(True),
    op.NEWFALSE: _push(False),
    op.BININT: lambda m: m.stack.append(int.from_bytes(m._bytes(4), "little", signed=True)),
    op.BININT1: lambda m: m.stack.append(m._unsigned(1)),
    op.BININT2: lambda m: m.stack.append(m._unsigned(2)),
    op.LONG1: lambda m: m.stack.append(int.from_bytes(m._bytes(m._unsigned(1)), "little", signed=True)),
    op.BINFLOAT: lambda m: m.stack.append(struct.unpack(">d", m._bytes(8))[0]),
    op.BINUNICODE: Machine.string,
    op.EMPTY_TUPLE: _push(()),
    op.TUPLE1: lambda m: m.tuple_of(1),
    op.TUPLE2: lambda m: m.tuple_of(2),
    op.TUPLE3: lambda m: m.tuple_of(3),
    op.TUPLE: lambda m: m.push_new(tuple(m.since_mark())),
    op.EMPTY_LIST: lambda m: m.push_new([]),
    op.APPEND: lambda m: m.extend([m.pop()]),
    op.APPENDS: lambda m: m.extend(m.since_mark()),
    op.EMPTY_DICT: lambda m: m.push_new({}),
    op.SETITEM: _set_one,
    op.SETITEMS: lambda m: m.update(m.since_mark()),
    op.GLOBAL: Machine.name,
    op.REDUCE: Machine.reduce,
    op.BUILD: Machine.build,
    op.BINPERSID: Machine.persistent,
    op.BINPUT: lambda m: m.put(1),
    op.LONG_BINPUT: lambda m: m.put(4),
    op.BINGET: lambda m: m.get(1),
    op.LONG_BINGET: lambda m: m.get(4),
}
