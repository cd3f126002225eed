"""Classes that a function defines itself: what their methods see, what they hold, who shares it."""

import dataclasses

import numpy as np

from .harness import program

FOUR = np.array([0.4, -0.9, 1.3, 0.7])
factor = 3.0


class Outside:
    scale = 2.0

    def __init__(self, value):
        self.value = value

    def twice(self):
        return self.value * self.scale

    @property
    def half(self):
        return self.value / 2


@program(FOUR, 2, later=[(FOUR, 3)])
def holder_in_a_loop(x, n):
    class Sum:
        def __init__(self, start):
            self.total = start
            self.count = 0

        def add(self, value):
            self.total = self.total + value * value
            self.count += 1
            return self

    s = Sum(0.0)
    for i in range(n):
        s.add(x[i]).add(np.sin(x[i]))
    return s.total * s.count


@program(FOUR, 2)
def entered_and_left(x, n):
    class Scope:
        def __init__(self, value):
            self.value = value
            self.left = 0

        def __enter__(self):
            self.value = self.value * 2.0
            return self

        def __exit__(self, kind, error, trace):
            self.left += 1
            self.value = self.value + self.left
            return True

    s = Scope(x[0])
    for i in range(n):
        with s as inner:
            if x[i] > 1.0:
                break
            inner.value = inner.value * x[i]
    return s.value * s.left


@program(FOUR)
def body_does_not_see_methods_do_not_see(x):
    factor = x[1]

    class Uses:
        factor = x[0]
        doubled = factor * 2.0
        items = [factor * k for k in range(2)]  # the function's, not the class's

        def both(self):
            return factor * self.factor

    return Uses().both() + Uses.doubled + Uses.items[1]


@program(FOUR, compiled=False)
def own_name_of_the_body_is_looked_for_outside(x):
    factor = x[1]

    def run():
        class Odd:
            if x[0] > 5.0:
                factor = 1.0
            got = factor  # bound in the body: the global, not the function's

        return Odd.got

    return run() * factor


@program(FOUR, 3)
def class_attribute_is_shared(x, n):
    class Counter:
        total = 0.0
        seen = []

        def add(self, v):
            Counter.total = Counter.total + v
            self.seen.append(v)
            self.mine = self.total * 2.0

    a, b = Counter(), Counter()
    for i in range(n):
        a.add(x[i])
        b.add(x[i] * 2)
    a.total = 7.0
    return Counter.total * len(b.seen) + a.total * b.total + sum(a.seen) + b.mine


@program(FOUR)
def class_array_written_through_instance(x):
    class Holds:
        buffer = x.copy()

        def put(self, i, v):
            self.buffer[i] = v

    one, other = Holds(), Holds()
    one.put(0, x[1] * 3.0)
    other.buffer *= 2.0
    return np.sum(Holds.buffer * x) + one.buffer[0]


@program(FOUR)
def derives_from_outside(x):
    class Inner(Outside):
        scale = x[1]

        def __init__(self, value):
            super().__init__(value)
            self.more = value * 2

        def twice(self):
            return super().twice() + self.more

    a = Inner(x[0])
    return a.twice() * a.half + isinstance(a, Outside)


@program(FOUR)
def derives_from_inner(x):
    class Base:
        def run(self, v):
            return self.step(v) + 1.0

        def step(self, v):
            return v

    class Deeper(Base):
        def step(self, v):
            return super().step(v) * x[0]

    class Deepest(Deeper):
        run = Base.run

        def step(self, v):
            return Deeper.step(self, v) * x[1]

    return Deepest().run(x[2]) + Deeper().run(x[3]) * Base().run(1.0)


@program(FOUR)
def properties_and_kinds_of_methods(x):
    class Kinds:
        count = 1

        def __init__(self):
            self.kept = x[0]

        @property
        def value(self):
            return self.kept * self.count

        @value.setter
        def value(self, v):
            self.kept = v * 2.0

        @staticmethod
        def square(v):
            return v * v

        @classmethod
        def make(cls, n):
            found = cls()
            cls.count = n
            found.value = x[n]
            return found

    k = Kinds.make(2)
    k.value = k.value * k.square(x[3])
    return k.value + Kinds().value + Kinds.square(x[1])


@program(FOUR)
def operators(x):
    class Dual:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, other):
            return Dual(self.a + other.a, self.b + other.b)

        def __mul__(self, other):
            return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

        def __call__(self, v):
            return self.a * v

        def __getitem__(self, k):
            return self.b if k else self.a

        def __len__(self):
            return 2

    p = Dual(x[0], 1.0) * Dual(x[1], x[2]) + Dual(x[3], 0.5)
    return p[0] + p[1] * p(2.0) * len(p)


@program(FOUR, 2, later=[(FOUR, 0)])
def defined_in_each_pass(x, n):
    total = x[0]
    for i in range(n):

        class Step:
            size = x[i]

            def go(self, v):
                return v * self.size + i

        total = Step().go(total)
    return total


@program(FOUR, 3)
def instances_carried_between_definitions(x, n):
    last = None
    total = 0.0
    for i in range(n):

        class Step:
            size = x[i]

        if last is not None:
            total += last.size * (type(last) is Step) + last.size
        last = Step()
    return total


@program(FOUR, later=[(-FOUR,)], compiled=False)
def defined_on_one_path(x):
    if x[0] > 0:

        class Rule:
            scale = x[1] * 2

            def run(self, v):
                return v * self.scale

    else:

        class Rule:
            def run(self, v):
                return np.sin(v) * x[2]

    return Rule().run(x[3])


@program(FOUR, later=[(-FOUR,)], compiled=False)
def defined_or_raises(x):
    def make(a):
        b = a * 2.0

        class Rule:
            scale = b * a

            def run(self, v):
                def inner():
                    return v * b

                return inner() * self.scale

        return Rule()

    if x[0] > 0:
        r = make(x[1])
    else:
        raise ValueError("no rule")
    return r.run(x[3])


@program(FOUR)
def an_instance_is_returned_within_a_result(x):
    class Box:
        def __init__(self, v):
            self.v = v

    def value(b):
        return b.v

    return value(Box(np.sum(x))) * len([Box])


@program(FOUR)
def private_names(x):
    class Safe:
        __scale = 2.0

        def __init__(self, v):
            self.__v = v

        def __twice(self):
            return self.__v * self.__scale

        def run(self):
            return self.__twice() + self._Safe__v

    class Other(Safe):
        def __twice(self):
            return 100.0

    return Other(x[0]).run() + Safe(x[1])._Safe__twice()


@program(FOUR)
def nonlocal_through_a_class(x):
    total = x[0]

    class Adds:
        total = 5.0

        def add(self, v):
            nonlocal total
            total = total + v * self.total

    a = Adds()
    a.add(x[1])
    a.add(x[2] * total)
    return total * Adds.total


@program(FOUR, compiled=False)
def decorated_class(x):
    @dataclasses.dataclass
    class Pair:
        a: float
        b: float = 2.0

        def product(self):
            return self.a * self.b

    return Pair(x[0]).product() + Pair(x[1], x[2]).product()


@program(FOUR, compiled=False)
def own_exceptions(x):
    class Stop(Exception):
        pass

    total = 0.0
    try:
        for v in x:
            total = total + v * v
            if total > 1.0:
                raise Stop
    except Stop:
        total = total * 3.0
    return total


@program(FOUR, compiled=False)
def slots_and_hooks(x):
    class Slotted:
        __slots__ = ("v",)

        def __init__(self, v):
            self.v = v

    class Hooked:
        def __getattr__(self, name):
            return x[1] if name == "w" else 2.0

        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2)

    h = Hooked()
    h.u = x[2]
    return Slotted(x[0]).v * h.w * h.u * h.missing


@program(FOUR)
def bound_methods_kept(x):
    class Acc:
        def __init__(self):
            self.items = []

        def push(self, v):
            self.items.append(v)
            return len(self.items)

    a = Acc()
    push = a.push
    for v in x:
        push(v * v)
    pushes = [a.push, Acc().push]
    n = pushes[0](x[0]) + pushes[1](x[1])
    return sum(a.items) * n


@program(FOUR, 2, compiled=False)
def two_names_for_an_instance(x, n):
    class Cell:
        def __init__(self, v):
            self.v = v

    a = Cell(x[0])
    b = a
    cells = [a, Cell(x[1]), b]
    for i in range(n):
        cells[i].v = cells[i].v * 2.0
        b.v = b.v + x[i]
    return a.v * cells[1].v + cells[2].v


@program(FOUR, 1.5, later=[(FOUR, -1.5)])
def instance_that_a_path_chooses(x, c):
    class Cell:
        def __init__(self, v):
            self.v = v

        def grow(self):
            self.v = self.v * 2.0
            return self

    a, b = Cell(x[0]), Cell(x[1])
    chosen = a if np.sum(x) * c > 0 else b
    return chosen.grow().v


@program(FOUR)
def the_class_is_asked(x):
    class Base:
        pass

    class Made(Base):
        known = 1

    m = Made()
    m.own = 1
    asked = [
        isinstance(m, Base),
        issubclass(Made, Base),
        hasattr(m, "known"),
        hasattr(m, "own"),
        hasattr(m, "no"),
    ]
    asked += [type(m) is Made, m.__class__ is Base, getattr(m, "no", 1), callable(Made)]
    return x[0] * sum(asked) + len(Made.__name__)


class Steps:
    """An iterator of its own: whoever asks it begins anew."""

    def __init__(self, x):
        self.x, self.i = x, 0

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        if self.i >= len(self.x):
            raise StopIteration
        self.i += 1
        return self.x[self.i - 1] * self.i


class Walk:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return Steps(self.x)


@program(np.array([0.4, -0.9, 1.3]), 0.5, later=[(np.array([0.7, 0.2]), 2.0)], compiled=False)
def an_object_that_is_its_own_iterator(x, s):
    steps, total = Steps(x), 0.0
    for v in steps:
        total = total * s + v
    return total * steps.i + sum(steps)


@program(np.array([0.4, -0.9, 1.3]), 0.5, later=[(np.array([0.7, 0.2]), 2.0)], compiled=False)
def an_object_that_makes_an_iterator(x, s):
    walk = Walk(x)
    return sum(u * v for u, v in zip(walk, walk)) * s + max([*walk])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
