"""Classes that say themselves what is of them: is what they say asked for anew?"""

import abc
import numbers
import typing

import numpy as np

from .harness import after, program

X = np.array([0.4, -0.9, 1.3])
STATE = {}


class Answering(type):
    """Its classes answer what stands outside, and count how often they are asked."""

    def __instancecheck__(cls, value):
        STATE["asked"] += 1
        return STATE["answer"]

    def __subclasscheck__(cls, other):
        return STATE["answer"]


class Told(metaclass=Answering):
    pass


class Thing:
    scale = 2.0


THING = Thing()


def anew():
    """An abstract class that knows of no other one."""

    class Abstract(abc.ABC):  # noqa: B024
        pass

    globals()["Abstract"] = Abstract
    STATE.update(answer=True, asked=0)


def learns(*classes):
    return lambda: [Abstract.register(cls) for cls in classes]


def answers(answer):
    return lambda: STATE.update(answer=answer, asked=0)


@program(after(anew, X), later=[after(learns(np.ndarray), X), (X,)])
def abstract_of_an_array(x):
    return np.sum(x * x) if isinstance(x, Abstract) else np.sum(x)


@program(after(anew, X), later=[after(learns(np.float64), X), (X,)])
def abstract_of_a_number(x):
    return sum(v * v if isinstance(v, (str, Abstract)) else v for v in x)


@program(after(anew, X), later=[after(learns(Thing), X), (X,)])
def abstract_of_an_object(x):
    return np.sum(x * x) if isinstance(THING, Abstract) else np.sum(x)


@program(after(anew, X), later=[after(learns(Thing), X), (X,)])
def abstract_of_an_object_made_within(x):
    return np.sum(x * x) * Thing().scale if isinstance(Thing(), Abstract) else np.sum(x)


@program(after(anew, X), later=[after(learns(Thing), X), (X,)])
def abstract_of_a_class(x):
    return np.sum(x * x) if issubclass(Thing, Abstract) else np.sum(x)


@program(after(anew, X), later=[after(learns(list), X), (X,)])
def abstract_of_a_list(x):
    return np.sum(x * x) if isinstance([x], Abstract | str) else np.sum(x)


@program(after(anew, X), later=[after(learns(np.ndarray), X), (X,)])
def abstract_in_a_pattern(x):
    match x:
        case Abstract():
            return np.sum(x * x)
        case _:
            return np.sum(x)


@program(after(anew, X), later=[after(answers(False), X), after(answers(True), X)])
def told_of_an_array(x):
    return np.sum(x * x) if isinstance(x, Told) else np.sum(x)


@program(after(anew, X), later=[after(answers(False), X), after(answers(True), X)])
def told_of_an_object(x):
    return np.sum(x * x) if isinstance(THING, (str, Told)) else np.sum(x)


@program(after(anew, X), later=[after(answers(False), X), after(answers(True), X)])
def told_of_a_class(x):
    return np.sum(x * x) if issubclass(Thing, Told) else np.sum(x)


@program(after(anew, X), later=[after(answers(True), X), after(answers(True), X)])
def told_and_counted(x):
    return np.sum(x * x) * STATE["asked"] if isinstance(x, Told) else np.sum(x)


@typing.runtime_checkable
class Scaled(typing.Protocol):
    scale: float


@program(
    after(lambda: setattr(Thing, "scale", 2.0), X),
    later=[after(lambda: vars(Thing).get("scale") and delattr(Thing, "scale"), X)],
    compiled=False,
)
def has_what_a_protocol_asks_for(x):
    return np.sum(x * x) if isinstance(THING, Scaled) else np.sum(x)


@program(X)
def what_the_library_knows(x):
    known = isinstance(x[0], numbers.Real) and isinstance([x], typing.Sequence)
    return np.sum(x * x) if known and not isinstance(x, numbers.Number) else np.sum(x)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
