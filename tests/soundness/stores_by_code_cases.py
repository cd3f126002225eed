"""Stores that code of a class does, or that a context manager surrounds: more cases of ``stores_cases``."""

import contextlib
import functools
import types

import numpy as np

from .stores_cases import NUMBERS, THREE, Box, case, vector

# ----- ``__setattr__``, slots, descriptors


@case
def setattr_of_the_class_that_logs():
    class Model:
        def __init__(self):
            object.__setattr__(self, "log", [])
            self.n = 0.0

        def __setattr__(self, name, value):
            self.log.append(name)
            super().__setattr__(name, value)

    model = Model()

    def f(x):
        for v in x:
            model.n += v * v
        return model.n * x[0]

    return f, THREE, lambda: model


@case
def setattr_of_the_class_that_fills_its_dict():
    class Model:
        def __setattr__(self, name, value):
            self.__dict__[name] = value
            self.__dict__.update(last=name)

    model = Model()

    def f(x):
        model.n = x * 2.0
        return vars(model)["n"] * x if "n" in model.__dict__ else x

    return f, NUMBERS, lambda: model


@case
def setattr_of_a_proxy():
    class Proxy:
        def __init__(self, target):
            object.__setattr__(self, "target", target)

        def __getattr__(self, name):
            return getattr(self.target, name)

        def __setattr__(self, name, value):
            setattr(self.target, name, value)

    box = Box(n=1.0)
    proxy = Proxy(box)

    def f(x):
        proxy.n = proxy.n * x
        return proxy.n * box.n

    return f, NUMBERS, lambda: box


@case
def setattr_that_refuses():
    class Model:
        def __setattr__(self, name, value):
            if value < 0:
                raise ValueError(name)
            object.__setattr__(self, name, value * 2.0)

    model = Model()

    def f(x):
        model.n = x
        return model.n * x

    return f, [(0.7,), (-0.3,), (0.2,)], lambda: model


@case
def slots_that_are_set_and_not():
    class Slots:
        __slots__ = "a", "b"

    slots = Slots()

    def f(x):
        slots.a = slots.a + 1.0 if hasattr(slots, "a") else x
        try:
            before = slots.b
        except AttributeError:
            before = 2.0
        slots.b = before * x
        return slots.a * slots.b

    return f, NUMBERS, lambda: (slots.a, slots.b)


@case
def slots_beside_a_dict():
    class Base:
        __slots__ = ("a", "array")

    class Sub(Base):
        pass

    sub = Sub()
    sub.a, sub.array = 1.0, np.zeros(3)

    def f(x):
        sub.a = sub.new = np.sum(x) * sub.a
        if x[0] > 0.3:
            sub.array[0] += x[0]
        return sub.a * sub.new + sub.array[0]

    return f, THREE, lambda: (sub.a, sub.array, vars(sub))


@case
def descriptor_that_validates():
    class Positive:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, instance, owner=None):
            return self if instance is None else getattr(instance, self.name)

        def __set__(self, instance, value):
            if value < 0:
                raise ValueError("negative")
            instance.count = instance.count + 1
            setattr(instance, self.name, value)

    class Model:
        w = Positive()
        count = 0

        def f(self, x):
            self.w = x * 2.0
            for _ in range(3):
                self.w = self.w * x
            return self.w * x

    model = Model()
    return model.f, [(0.7,), (-0.3,), (0.4,)], lambda: model


@case
def property_over_an_item_of_the_dict():
    class Model:
        @property
        def v(self):
            return self.__dict__["v"]

        @v.setter
        def v(self, value):
            self.__dict__["v"] = value * 2.0

    model = Model()
    model.v = 0.5

    def f(x):
        model.v = model.v * x
        model.v += 1.0
        return model.v * x

    return f, NUMBERS, lambda: model.__dict__


@case
def property_that_computes_late():
    class Model:
        def __init__(self):
            self._v, self.dirty, self._norm = np.ones(3), False, 1.0

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, value):
            self._v, self.dirty = np.asarray(value) * 1.0, True

        @property
        def norm(self):
            if self.dirty:
                self._norm, self.dirty = np.sqrt(np.sum(self._v**2)), False
            return self._norm

    model = Model()

    def f(x):
        before = model.norm
        model.v = x * before
        model.v[0] = 5.0
        model.v *= 2.0
        return model.norm * model.norm + np.sum(model.v * x)

    return f, THREE, lambda: model


@case
def property_without_a_setter():
    class Model:
        @property
        def v(self):
            return 2.0

    model, box = Model(), Box(n=0)

    def f(x):
        try:
            model.v = x
        except AttributeError:
            box.n += 10
        return x * x * model.v * box.n

    return f, NUMBERS, lambda: box


@case
def cached_property_of_what_was_stored():
    class Model:
        def __init__(self):
            self.w, self.made = 2.0, 0

        @functools.cached_property
        def square(self):
            self.made += 1
            return self.w * self.w

    model = Model()

    def f(x):
        model.w = model.w * x
        return model.square * x + model.square

    return f, NUMBERS, lambda: model


@case
def cached_property_of_an_object_of_the_call():
    box = Box(n=0)

    class Model:
        def __init__(self, w):
            self.w = w

        @functools.cached_property
        def square(self):
            box.n += 1
            return self.w * self.w

    def f(x):
        model = Model(x)
        return model.square * model.square

    return f, NUMBERS, lambda: box


@case
def code_of_an_object_of_the_call():
    box = Box(log=[])

    class Model:
        def __init__(self, w):
            self.w = w

        def __setattr__(self, name, value):
            box.log.append(name)
            object.__setattr__(self, name, value * 2.0)

    def f(x):
        model = Model(x)
        model.w = model.w * x
        return model.w

    return f, NUMBERS, lambda: box


@case
def items_by_code():
    class Table:
        def __init__(self):
            self.data, self.sets = {"a": 1.0}, 0

        def __getitem__(self, key):
            return self.data[key]

        def __setitem__(self, key, value):
            self.data[key] = value
            self.sets += 1

        def __delitem__(self, key):
            del self.data[key]

        def __contains__(self, key):
            return key in self.data

        def __len__(self):
            return len(self.data)

    table = Table()

    def f(x):
        table["a"] = table["a"] * x
        if "b" in table:
            del table["b"]
        else:
            table["b"] = 1.0
        table["a"] += 1.0
        return table["a"] * x * len(table)

    return f, NUMBERS, lambda: table


@case
def namespace_and_module():
    space, module = types.SimpleNamespace(n=0), types.ModuleType("settings")
    module.scale = 1.0

    def f(x):
        space.n += 1
        module.scale = module.scale * x
        return module.scale * space.n

    return f, NUMBERS, lambda: (vars(space), module.scale)


@case
def frozen_that_is_written_by_force():
    class Settings:
        def __init__(self):
            object.__setattr__(self, "n", 1.0)

        def __setattr__(self, name, value):
            raise TypeError(name)

    settings = Settings()

    def f(x):
        object.__setattr__(settings, "n", settings.n + x)
        return x * settings.n

    return f, NUMBERS, lambda: settings


@case(compiled=False)
def dict_of_an_object_as_a_whole():
    box = Box(n=1.0, k=2.0)

    def f(x):
        before = dict(box.__dict__)
        box.n = x
        found = sum(v for v in box.__dict__.values()) * before["n"]
        box.__dict__.update(before)
        return found * x

    return f, NUMBERS, lambda: box


@case(compiled=False)
def subclass_of_dict():
    class Counted(dict):
        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            self.n = getattr(self, "n", 0) + 1

    counted = Counted()

    def f(x):
        counted["a"] = x * 2.0
        return counted["a"] * x

    return f, NUMBERS, lambda: (dict(counted), counted.n)


# ----- what is read by code that stores
@case
def reads_that_are_counted():
    class Counted:
        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            instance.__dict__["reads"] += 1
            return 2.0

    class Model:
        v = Counted()

        def __init__(self):
            self.reads = 0

        def __getattr__(self, name):
            if name.startswith("_"):
                raise AttributeError(name)
            self.reads += 10
            return 3.0

        def __getitem__(self, key):
            self.reads += 100
            return 0.5

    model = Model()

    def f(x):
        return model.v * x * model.w + model[0] * x

    return f, NUMBERS, lambda: model


@case
def operators_that_are_counted():
    class Model:
        def __init__(self):
            self.n = 0

        def __len__(self):
            self.n += 1
            return self.n - 1

        def __add__(self, other):
            self.n += 10
            return other + 2.0

        def __rmul__(self, other):
            self.n += 100
            return other * 2.0

    model = Model()

    def f(x):
        y = x * 2.0 if model else x * 3.0
        return (model + y) * (x * model)

    return f, NUMBERS, lambda: model


@case(compiled=False)
def truth_of_a_set():
    seen = set()

    def f(x, k):
        y = x * 2.0 if seen else x * 3.0
        seen.add(k)
        return y * x

    return f, [(0.7, 1), (0.3, 2), (0.2, 2)], lambda: sorted(seen)


# ----- what is missing at first
@case
def missing_attribute_in_a_handler():
    box = Box(d={})

    def f(x):
        try:
            k = box.k
        except AttributeError:
            k = 2.0
        try:
            v = box.d["v"]
        except KeyError:
            v = 3.0
        box.k, box.d["v"] = x * k, x * v
        return box.k * box.d["v"]

    return f, NUMBERS, lambda: box


# ----- the same array under several names
@case(compiled=False)
def history_of_what_is_stored_too():
    box = Box(history=[], x=np.zeros(3))

    def f(x):
        for _ in range(len(x)):
            box.x = box.x * 0.5 + x
            box.history.append(box.x)
        return np.sum(box.x * x)

    return f, THREE, lambda: box


@case(compiled=False)
def two_histories():
    box = Box(one=[], two=[])

    def f(x):
        y = x * 1.0
        for _ in range(len(x)):
            y = y * 0.5 + x
            box.one.append(y)
            box.two.append(y)
        return np.sum(y * x)

    return f, THREE, lambda: box


@case(compiled=False)
def last_of_a_history():
    box = Box(history=[], last=None)

    def f(x):
        y = x * 1.0
        box.history = []
        for _ in range(len(x)):
            y = y * 0.5 + x
            box.history.append(y)
        box.last = box.history[-1]
        return np.sum(y * x)

    return f, THREE, lambda: box


@case
def history_of_copies():
    box = Box(history=[], last=None)

    def f(x):
        y = x * 1.0
        for _ in range(len(x)):
            y = y * 0.5 + x
            box.history.append(y.copy())
        box.last = y
        return np.sum(y * x)

    return f, THREE, lambda: box


@case
def array_under_three_names():
    array = np.zeros(3)
    box = Box(array=array, rows=[array, np.ones(3)], d={"array": array})

    def f(x):
        box.array[0] += x[0]
        box.rows[0][1] = x[1] * 2.0
        box.d["array"] *= 0.5
        box.rows[1][0] = 5.0
        return np.sum(box.array * x) + np.sum(box.rows[1])

    return f, THREE, lambda: (box, array)


@case
def array_that_gets_a_name_of_its_own():
    array = np.zeros(3)
    box = Box(one=array, other=array)

    def f(x, k):
        if k == 1:
            box.other = np.ones(3)
        box.one[0] += x[0]
        box.other[1] = 2.0
        return np.sum(box.one * x)

    return f, [(vector(), 0), (vector(), 1), (vector(), 2)], lambda: (box, array)


@case
def dict_of_two_objects():
    shared = {"n": 1.0}
    one, other = Box(d=shared), Box(d=shared)

    def f(x):
        one.d["n"] = one.d["n"] * x
        other.d["last"] = x
        return other.d["n"] * one.d["last"]

    return f, NUMBERS, lambda: (one, other)


@case
def list_by_self_and_by_name():
    log = []

    class Model:
        def __init__(self):
            self.log = log

        def note(self, value):
            self.log.append(float(value))

    model = Model()

    def f(x):
        model.note(x)
        log.append(2.0)
        return x * x * len(model.log)

    return f, NUMBERS, lambda: (model, log)


@case
def items_that_others_displace():
    rows = [np.zeros(3), np.ones(3), np.full(3, 2.0)]
    before = list(rows)

    def f(x):
        rows[1][0] = x[0]
        old = rows[1]
        rows[0] = rows[2]
        rows[1] = x * 2.0
        rows[1][0] = 3.0
        old[2] = 7.0
        return np.sum(rows[0] * rows[1] * old)

    return f, THREE, lambda: (rows, before)


# ----- context managers
class Deeper:
    """A context manager that notes when it is entered and left."""

    def __init__(self, box):
        self.box = box

    def __enter__(self):
        self.box.depth += 1
        return self

    def __exit__(self, kind, value, trace):
        self.box.depth -= 1
        self.box.left += 1
        return False


@case
def managers_from_outside():
    box = Box(depth=0, left=0)
    manager = Deeper(box)
    holder = Box(manager=manager)

    def f(x):
        with manager as entered, holder.manager:
            return x * x * entered.box.depth

    return f, NUMBERS, lambda: box


@case
def manager_that_is_the_object_itself():
    class Model:
        def __init__(self):
            self.depth = 0

        def __enter__(self):
            self.depth += 1
            return self

        def __exit__(self, *told):
            self.depth -= 1

        def f(self, x):
            with self:
                s = 0.0
                for v in x:
                    with self:
                        if v < 0:
                            continue
                        s = s + v * v * self.depth
                return s * self.depth

    model = Model()
    return model.f, THREE, lambda: model


@case
def manager_from_outside_that_swallows():
    class Swallow:
        def __init__(self):
            self.entered, self.swallowed = 0, 0

        def __enter__(self):
            self.entered += 1
            return self

        def __exit__(self, kind, value, trace):
            if kind is not None and issubclass(kind, ValueError):
                self.swallowed += 1
                return True
            return False

    manager = Swallow()

    def f(x):
        y = x
        with manager:
            if x < 0:
                raise ValueError("negative")
            y = x * x
        return y * 2.0

    return f, [(0.7,), (-0.3,), (0.2,)], lambda: manager


@case
def method_that_is_a_manager():
    class Options:
        def __init__(self):
            self.values = {"a": 1.0, "b": 2.0}

        @contextlib.contextmanager
        def using(self, **values):
            before = dict(self.values)
            self.values.update(values)
            try:
                yield self
            finally:
                self.values.clear()
                self.values.update(before)

    options = Options()

    def f(x):
        with options.using(a=x) as entered:
            with options.using(b=3.0):
                y = entered.values["a"] * options.values["b"]
            return y * options.values["b"]

    return f, NUMBERS, lambda: options


@case
def manager_that_is_made_before():
    box = Box(scale=1.0)

    @contextlib.contextmanager
    def scaled(by):
        before, box.scale = box.scale, by
        try:
            yield before
        finally:
            box.scale = before

    def f(x):
        manager = scaled(x)
        with manager as before:
            return x * box.scale + before

    return f, NUMBERS, lambda: box


@case
def manager_that_decorates():
    box = Box(n=0)

    @contextlib.contextmanager
    def counting():
        box.n += 1
        try:
            yield
        finally:
            box.n += 10

    @counting()
    def f(x):
        return x * x * box.n

    return f, NUMBERS, lambda: box


@case
def attribute_that_is_patched():
    box = Box(scale=2.0)

    @contextlib.contextmanager
    def patched(owner, name, value):
        before = getattr(owner, name)
        setattr(owner, name, value)
        try:
            yield
        finally:
            setattr(owner, name, before)

    def f(x):
        with patched(box, "scale", x):
            inside = box.scale * x
        return inside * box.scale

    return f, NUMBERS, lambda: box


@case
def exception_that_leaves_managers():
    box = Box(depth=0, left=0)

    def f(x, i):
        with Deeper(box), Deeper(box):
            y = x[i] * x[0]
        return y

    return f, [(vector(), 1), (vector(), 7), (vector(), 2)], lambda: box
