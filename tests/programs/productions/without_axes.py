"""Names that hold an array without axes, a number, integers, a vector or None, and who asks which."""

from __future__ import annotations

from ..author import Author
from .names import count
from .registry import production

VIEWS = (
    "{u}",
    "np.ravel({u})",
    "np.reshape({u}, -1)",
    "np.asarray({u})",
    "np.atleast_1d({u})",
    "np.squeeze({u})",
)
READS = (
    "np.sum({u})",
    "np.sum({u} ** 2)",
    "np.average({u})",
    "np.max(np.abs({u}))",
    "np.ravel({u})[-1]",
    "np.sum(np.transpose({u}) * {f})",
    "np.sum(np.expand_dims({u}, 0))",
    "np.sum(np.copy({u}))",
    "np.sum(np.outer({u}, {u}))",
    "np.sum(np.tile({u}, 2))",
    "np.sum({u} if isinstance({u}, float) else {u} * 3)",
    "np.sum({u} * {f} if isinstance({u}, np.ndarray) else {u})",
    "np.sum({u}) * (3 if hasattr({u}, '__setitem__') else 2)",
    "np.sum({u}) * (2 if np.isscalar({u}) else 5)",
    "(float({u}) if np.ndim({u}) == 0 else {f})",
    "np.sum(np.nan_to_num({u}))",
)


def value(a: Author) -> str:
    """A number, or an array of few axes."""
    made = [
        "{f}",
        "np.array({f})",
        "np.array({f})",
        "np.float64({f})",
        "{v}",
        "np.arange(3)",
        "2",
        "np.zeros(()) + {f}",
    ]
    return a.pick(made).format(f=a.float(1), v=a.vector(None, 1))


def read(a: Author, name: str) -> None:
    a.line(f"{a.fresh('a r b')} = {a.pick(READS).format(u=name, f=a.float(0))}")


@production(2.2)
def without_axes(a: Author) -> None:
    """One of several kinds, perhaps changed in place, under another name or as a view."""
    u = a.fresh("u z c")
    with a.suite(f"if {a.condition()}:"):
        a.line(f"{u} = {value(a)}")
    if a.chance(0.4):
        with a.suite(f"elif {a.condition()}:"):
            a.line(f"{u} = {value(a)}")
    with a.suite("else:"):
        a.line(f"{u} = {value(a)}")
    if a.chance(0.5):
        a.line(f"{u} {a.pick(['+=', '*=', '-='])} {a.float(1)}")
    if a.chance(0.6):
        v = a.fresh("v w")
        a.line(f"{v} = {a.pick(VIEWS).format(u=u)}")
        if a.chance(0.5):
            a.line(f"{u} {a.pick(['+=', '*='])} {a.float(1)}")
        read(a, v)
    read(a, u)


@production(1.4)
def missing_at_first(a: Author) -> None:
    """None, until a branch or a loop has something."""
    t, u = a.fresh("t best"), a.fresh("u got")
    if a.chance(0.5):
        a.line(f"{t} = {value(a)} if {a.condition()} else None")
        a.line(f"{u} = {a.float(1)} if {t} is None else {t}")
    else:
        a.line(f"{u} = None")
        with a.suite(f"for {a.fresh('i j')} in range({count(a)}):", loop=True):
            with a.suite(f"if {u} is None or {a.condition()}:"):
                a.line(f"{u} = {value(a)}")
        with a.suite(f"if {u} is None:"):
            a.line(f"{u} = {value(a)}")
    read(a, u)
