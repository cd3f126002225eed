"""Code that classes have for attributes, items and operators, and modules that are imported: read anew?"""

import sys
import types

import numpy as np

from .harness import after, program

X = np.array([0.4, -0.9, 1.3])


# ----- descriptors
class Scale:
    def __get__(self, holder, owner=None):
        return 2.0


class Holder:
    scale = Scale()


HOLDER = Holder()


def reads(value):
    def change():
        Scale.__get__ = lambda self, holder, owner=None: value
        vars(HOLDER).pop("scale", None)

    return change


@program(after(reads(2.0), X), later=[after(reads(5.0), X), after(reads(3.0), X)])
def descriptor_with_other_code(x):
    return np.sum(x * x) * HOLDER.scale


@program(after(reads(2.0), X), later=[after(lambda: vars(HOLDER).update(scale=5.0), X), after(reads(3.0), X)])
def descriptor_and_what_the_object_holds(x):
    return np.sum(x * x) * HOLDER.scale


# ----- classes of classes
class Kind(type):
    asked = 0

    def __iter__(cls):
        Kind.asked += 1
        return iter((1.0, 2.0))

    def __len__(cls):
        return 3

    def __getitem__(cls, index):
        return 2.0 * index

    def __neg__(cls):
        return 4.0

    def __bool__(cls):
        return False

    def __getattr__(cls, name):
        return 3.0

    @property
    def scale(cls):
        return 2.0


class Thing(metaclass=Kind):
    pass


PLAIN = dict(vars(Kind))


def kind(**changes):
    def change():
        Kind.asked = 0
        for name in ("__len__", "__getitem__", "__neg__", "__bool__", "__getattr__", "scale"):
            setattr(Kind, name, changes.get(name, PLAIN[name]))

    return change


@program(after(kind(), X), later=[after(kind(), X)])
def class_that_is_iterated(x):
    return sum(v * x[i] for i, v in enumerate(Thing)) * Kind.asked


@program(after(kind(), X), later=[after(kind(__len__=lambda cls: 5), X), after(kind(), X)])
def class_with_a_length(x):
    return np.sum(x * x) * len(Thing)


@program(after(kind(), X), later=[after(kind(__getitem__=lambda cls, i: i + 7.0), X), after(kind(), X)])
def class_with_items(x):
    return np.sum(x * x) * Thing[2]


@program(after(kind(), X), later=[after(kind(__neg__=lambda cls: 7.0), X), after(kind(), X)])
def class_with_an_operator(x):
    return np.sum(x * x) * -Thing


@program(after(kind(), X), later=[after(kind(__bool__=lambda cls: True), X), after(kind(), X)])
def class_with_a_truth(x):
    return np.sum(x * x) if Thing else np.sum(x)


@program(after(kind(), X), later=[after(kind(scale=property(lambda cls: 7.0)), X), after(kind(), X)])
def class_with_a_property(x):
    return np.sum(x * x) * Thing.scale


@program(after(kind(), X), later=[after(kind(__getattr__=lambda cls, name: 7.0), X), after(kind(), X)])
def class_that_is_asked_for_what_it_lacks(x):
    return np.sum(x * x) * Thing.other


# ----- modules that a function imports
NAME = "settings_of_a_soundness_test"


def settings(scale, anew=False):
    def change():
        if anew or NAME not in sys.modules:
            sys.modules[NAME] = types.ModuleType(NAME)
        sys.modules[NAME].scale = scale

    return change


@program(
    after(settings(2.0, True), X),
    later=[after(settings(3.0), X), after(settings(X), X), after(settings(5, True), X)],
)
def name_from_an_imported_module(x):
    from settings_of_a_soundness_test import scale

    return np.sum(x * x * scale)


@program(
    after(settings(2.0, True), X),
    later=[after(settings(3.0), X), after(settings(X), X), after(settings(5, True), X)],
)
def imported_module(x):
    import settings_of_a_soundness_test as module

    return np.sum(x * x * module.scale)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
