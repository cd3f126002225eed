"""Classes that change between calls, and classes whose code is run by a read."""

from __future__ import annotations

from ..author import Author
from .outside import change_later, outer, use
from .registry import production

CHANGES = (
    ("{o}.order", "{k}.order = {c}"),
    ("{o}.order", "{b}.order = {c}"),
    ("{o}.order", "{o}.order = {c}"),
    ("{o}.scale({f})", "{k}.scale = lambda self, a: a * self.order"),
    ("{o}.scale({f})", "{b}.scale = lambda self, a: a - self.rate"),
    ("{o}.scale({f})", "{o}.__class__ = {b}"),
    ("{o}.scale({f})", "del {k}.scale"),
    ("{o}.twice", "{k}.twice = property(lambda self: self.rate * 3.0)"),
    ("{o}.twice", "{k}.twice = {c}"),
    ("{o}.of({f})", "{b}.of = classmethod(lambda cls, a: a * 0.5)"),
    ("{o}.table['w']", "{b}.table['w'] = {c}"),
    ("{o}.table['w']", "{k}.table = {{'w': {c}}}"),
    ("{o}({f})", "{k}.__call__ = lambda self, a: a + self.order"),
    ("({o} * {f})", "{k}.__mul__ = lambda self, a: a * self.order"),
    ("{o}[0]", "{b}.__getitem__ = lambda self, i: self.rate + i"),
    ("len({o})", "{b}.__len__ = lambda self: 4"),
    ("(0.5 if {o} else 2.0)", "{b}.__bool__ = lambda self: False"),
    ("(0.5 if isinstance({o}, {k}) else 2.0)", "{o}.__class__ = {b}"),
)


@production(2.4)
def changed_class(a: Author) -> None:
    cls, base, obj = a.fresh("Wave Spring Layer"), a.fresh("Base Root"), a.fresh("WAVE SPRING LAYER")
    outer(
        a,
        (
            f"class {base}:\n    order = 2\n    table = {{'w': {a.number()}}}\n"
            f"    def scale(self, a):\n        return a * 0.25\n"
            f"    @classmethod\n    def of(cls, a):\n        return a * cls.order\n"
            f"    def __call__(self, a):\n        return a * self.rate\n"
            f"    def __mul__(self, a):\n        return a * 1.5\n"
            f"    def __getitem__(self, i):\n        return self.rate * (i + 1)\n"
            f"    def __len__(self):\n        return 3\n"
            f"class {cls}({base}):\n    def __init__(self):\n        self.rate = {a.number()}\n"
            f"    def scale(self, a):\n        return a * self.rate\n"
            f"    @property\n    def twice(self):\n        return 2.0 * self.rate\n"
            f"{obj} = {cls}()"
        ),
    )
    for _ in range(a.random.randint(1, 2)):
        read, changed = a.pick(CHANGES)
        change_later(a, changed.format(o=obj, k=cls, b=base, c=a.number()))
        use(a, read.format(o=obj, f=a.float(1)) if "{k}" not in read else read.format(o=obj, k=cls))


READ_BY_CODE = (
    (
        "dict",
        "def __getitem__(self, key):\n        {c}.asked += 1\n        return dict.get(self, key) * {c}.asked",
    ),
    ("dict", "def __contains__(self, key):\n        {c}.asked += 1\n        return {c}.asked < 3"),
    ("dict", "def __missing__(self, key):\n        {c}.asked += 1\n        return float({c}.asked)"),
    ("dict", "def __getattr__(self, name):\n        {c}.asked += 1\n        return self[name]"),
)


@production(0.8)
def read_by_code(a: Author) -> None:
    cls, obj = a.fresh("Counted Asked"), a.fresh("COUNTED ASKED")
    base, code = a.pick(READ_BY_CODE)
    outer(a, f"class {cls}({base}):\n    asked = 0\n    {code.format(c=cls)}\n{obj} = {cls}(w={a.number()})")
    a.stateful = True
    reads = "{o}['w']", "({o}['w'] if 'w' in {o} else 0.5)", "{o}.get('w', 0.25)", "sum({o}.values())"
    read = a.pick(
        ["{o}.w"] if "__getattr__" in code else [*reads, "{o}['z']"] if "miss" in code else [*reads]
    )
    change_later(a, f"dict.__setitem__({obj}, 'w', {a.number()})")
    a.line(f"{a.fresh('a r b')} = {read.format(o=obj)} * {a.float(1)}")
