"""How are numbers, arrays, lengths and conditions computed? Also the plainest statements."""

from __future__ import annotations

from ..author import Author, Impossible
from ..probe import Seen
from .registry import form, production

POINTWISE = (
    "np.sin({})",
    "np.cos({})",
    "np.tanh({})",
    "np.arctan({})",
    "np.exp(-({}) ** 2)",
    "np.log1p(({}) ** 2)",
    "np.sqrt(1.0 + ({}) ** 2)",
    "1.0 / (1.0 + ({}) ** 2)",
    "np.square(np.tanh({}))",
    "-({})",
    "np.logaddexp({}, 0.0)",
    "abs({})",
    "(np.tanh({})) ** 3",
    "({}) / 2",
)
SCALAR = (*POINTWISE, "math.sin({})", "math.tanh({})", "math.exp(-({}) ** 2)", "float({})", "math.atan({})")
BINARY = ("({} + {})", "({} - {})", "({} * {})", "({} * {})", "({}) / (2.0 + np.cos({}))")
REDUCTIONS = (
    "np.sum({})",
    "np.mean({})",
    "({}).sum()",
    "({}).mean()",
    "np.max({})",
    "np.min({})",
    "np.std({})",
    "np.var({})",
    "np.linalg.norm({})",
    "np.prod(np.cos({}))",
    "np.median({})",
    "np.ptp({})",
    "({}).max()",
)


# ----- floats -----


@form("float", 2)
def pointwise(a: Author, depth: int) -> str:
    return a.pick(SCALAR).format(a.float(depth - 1))


@form("float", 3)
def binary(a: Author, depth: int) -> str:
    return a.pick(BINARY).format(a.float(depth - 1), a.float(depth - 1))


@form("float", 3)
def reduction(a: Author, depth: int) -> str:
    return a.pick(REDUCTIONS).format(a.vector(a.array(least=1), depth - 1))


@form("float")
def product_of_vectors(a: Author, depth: int) -> str:
    seen = a.array(1)
    text = a.pick(["np.dot({}, {})", "({} @ {})", "np.vdot({}, {})", "np.inner({}, {})"])
    return text.format(a.vector(seen, depth - 1), a.vector(seen, depth - 1))


@form("float")
def python_reduction(a: Author, depth: int) -> str:
    seen = a.array(1, least=1)
    ways = [
        "sum({})",
        "sum([t * t for t in {}])",
        "sum(t * {c} for t in {})",
        "max({})",
        "min({})",
        "max([abs(t) for t in {}])",
        "sum(t for t in {} if t > {c})",
        "sum(map(math.sin, {}))",
        "sum(t * i for i, t in enumerate({}))",
        "sorted({})[0]",
        "math.fsum({})",
    ]
    return a.pick(ways).format(a.vector(seen, depth - 1), c=a.number())


@form("float")
def int_times_float(a: Author, depth: int) -> str:
    return f"({a.pick(['{} * {}', '{} + {}', '{1} / (1 + ({0}) % 5)', '{1} - {0}'])})".format(
        a.length(1), a.float(depth - 1)
    )


@form("float")
def conditional_float(a: Author, depth: int) -> str:
    return f"({a.float(depth - 1)} if {a.condition()} else {a.float(depth - 1)})"


@form("float", 0.7)
def cast_in_float(a: Author, depth: int) -> str:
    inner, other = a.float(depth - 1), a.float(depth - 1)
    ways = [
        "(int({} * 3.0) * {})",
        "(bool({} > 0.1) * {})",
        "(float({}) * {})",
        "(round({}) + {})",
        "(float({} > 0) * {})",
        "(np.floor({}) * {})",
        "(np.sign({}) * {})",
        "(({}) // 0.7 + {})",
        "(({}) % 0.9 * {})",
    ]
    return a.pick(ways).format(inner, other)


@form("float", 0.7)
def extreme_of_floats(a: Author, depth: int) -> str:
    left, right = a.float(depth - 1), a.float(depth - 1)
    return a.pick(
        [
            "max({}, {})",
            "min({}, {})",
            "np.maximum({}, {})",
            "np.where({0} > 0.2, {0}, {1})",
            "np.clip({}, -0.8, 0.9) * {}",
            "sum([{}, {}])",
            "math.hypot({}, 1.0 + abs({}))",
            "np.array([{}, {}]).sum()",
            "max(0, {}) + {}",
        ]
    ).format(left, right)


@form("float", 1.2)
def of_container(a: Author, depth: int) -> str:
    found = [s for s in a.scope.of("list", "tuple", "dict")]
    return a.read(a.pick(found))


@form("float", 0.7)
def matrix_number(a: Author, depth: int) -> str:
    text = a.vector(a.array(2, least=1), depth - 1)
    return a.pick(
        [
            "np.trace({})",
            "np.sum({}, axis=0)[-1]",
            "np.einsum('ij,ij->', {0}, {0})",
            "({}).mean(axis=1).sum()",
            "np.max({}, axis=0)[0]",
            "np.sum({}, axis=1, keepdims=True)[0, 0]",
        ]
    ).format(text)


@form("float", 9.9)
def called(a: Author, depth: int) -> str:
    """A helper that is there, with floats."""
    known = [(n, p) for n, p in a.callables if all(seen.all("float") for seen in p)]
    name, params = a.pick(known)
    return f"{name}({', '.join(a.float(0) for _ in params)})"


# ----- arrays like another one -----


@form("array", 3)
def array_pointwise(a: Author, seen: Seen, depth: int) -> str:
    ways = (
        *POINTWISE,
        "np.clip({}, -0.9, 0.9)",
        "np.expm1(np.tanh({}))",
        "np.maximum({}, 0.1)",
        "np.abs({})",
    )
    return a.pick(ways).format(a.vector(seen, depth - 1))


@form("array", 2)
def array_binary(a: Author, seen: Seen, depth: int) -> str:
    return a.pick(BINARY).format(a.vector(seen, depth - 1), a.vector(seen, depth - 1))


@form("array", 3)
def array_with_float(a: Author, seen: Seen, depth: int) -> str:
    first, second = a.vector(seen, depth - 1), a.float(depth - 1)
    if a.chance(0.5):
        first, second = second, first
    return a.pick(BINARY).format(first, second)


@form("array")
def array_where(a: Author, seen: Seen, depth: int) -> str:
    first, second = a.vector(seen, depth - 1), a.vector(seen, 0)
    return a.pick(
        [
            "np.where({} > {c}, {}, {f})",
            "np.where({} < {f}, {c}, {})",
            "np.maximum({}, {})",
            "np.minimum({}, {f}) * {}",
        ]
    ).format(first, second, c=a.number(), f=a.float(0))


@form("array")
def array_made_anew(a: Author, seen: Seen, depth: int) -> str:
    text = a.pick(
        [
            "np.zeros_like({})",
            "np.ones_like({})",
            "{}.copy()",
            "np.full_like({}, {f})",
            "np.array({})",
            "np.zeros({}.shape)",
            "np.full({}.shape, {f})",
            "+{}",
            "np.copy({})",
        ]
    )
    return text.format(seen.name, f=a.float(0))


@form("array")
def array_moved(a: Author, seen: Seen, depth: int) -> str:
    text = a.pick(
        [
            "np.cumsum({}, axis=0)",
            "np.roll({}, 1)",
            "{}[::-1]",
            "np.flip({})",
            "np.sort({})",
            "np.roll({}, {k}, axis=0)",
            "np.cumsum({}[::-1], axis=0)",
            "np.take({}, np.argsort({n}.ravel()), mode='clip').reshape({n}.shape)",
        ]
    )
    return text.format(a.vector(seen, depth - 1), k=a.length(0), n=seen.name)


@form("array")
def array_with_ints(a: Author, seen: Seen, depth: int) -> str:
    text = a.pick(
        [
            "({v} * ({w} > {c}))",
            "(({w} > {c}).astype(int) * {v})",
            "({v} + {k})",
            "({v} * {k})",
            "({v} * np.sign({w}))",
            "({v} / (1 + abs({k})))",
            "({v} * ({w} > 0).astype(float))",
            "({v} + ({w} * 3).astype(int))",
        ]
    )
    return text.format(v=a.vector(seen, depth - 1), w=a.vector(seen, 0), c=a.number(), k=a.length(1))


@form("array")
def array_from_elements(a: Author, seen: Seen, depth: int) -> str:
    if seen.rank != 1 or not seen.smallest:
        raise Impossible
    c = a.float(0)
    text = a.pick(
        [
            "np.array([t * {c} for t in {v}])",
            "np.array([{c} + t ** 2 for t in {v}])",
            "np.array(list(map(lambda t: t * {c}, {v})))",
            "np.array([{c} if t > 0 else t for t in {v}])",
            "np.array([{v}[k] * k for k in range(len({v}))])",
            "np.fromiter((t * 0.5 for t in {v}), float)",
            "np.array([float(t) * {c} for t in {v}])",
        ]
    )
    return text.format(v=seen.name, c=c)


@form("array", 2.2)
def array_broadcast(a: Author, seen: Seen, depth: int) -> str:
    if seen.rank != 2 or not seen.smallest:
        raise Impossible
    text = a.pick(
        [
            "({v} * {n}[0])",
            "({v} + {n}[:, :1])",
            "({v} - np.mean({n}, axis=0))",
            "({v} * np.sum({n}, axis=1, keepdims=True))",
            "({v} + {n}.sum(axis=1)[:, None])",
        ]
    )
    return text.format(v=a.vector(seen, depth - 1), n=seen.name)


# ----- ints -----


@form("int", 2)
def int_binary(a: Author, depth: int) -> str:
    left, right = a.length(depth - 1), a.length(depth - 1)
    ways = [
        "({} + {})",
        "({} - {})",
        "({} * {})",
        "({} + 1)",
        "({} - 1)",
        "(2 * {})",
        "({} + 2)",
        "(10 - {})",
    ]
    return a.pick(ways).format(left, right)


@form("int", 3)
def int_division(a: Author, depth: int) -> str:
    left, k = a.length(depth - 1), a.random.randint(2, 4)
    ways = [
        "({} // {})",
        "({} % {})",
        "(({} + 1) // {})",
        "(-(-{} // {}))",
        "divmod({}, {})[0]",
        "({} // 50 + {})",
    ]
    return a.pick(ways).format(left, k)


@form("int", 3)
def int_extreme(a: Author, depth: int) -> str:
    left, right = a.length(depth - 1), a.length(depth - 1)
    ways = [
        "min({}, {k})",
        "max({}, {k})",
        "min({}, {})",
        "max({}, {})",
        "max(1, {} - {k})",
        "max(0, {} - {k})",
        "min({}, {}, {k})",
        "max({}, 1)",
        "sorted([{}, {k}])[0]",
    ]
    return a.pick(ways).format(left, right, k=a.random.randint(1, 6))


@form("int", 2)
def int_power(a: Author, depth: int) -> str:
    k = f"({a.length(depth - 1)} % 3)"
    return a.pick(
        ["2 ** {}", "(1 << {})", "(8 >> {})", "2 ** (3 - {})", "{} ** 2", "(5 ^ {})", "({} | 2)"]
    ).format(k)


@form("int", 2)
def int_function(a: Author, depth: int) -> str:
    inner = a.length(depth - 1)
    ways = [
        "abs({} - 3)",
        "int({} * 0.7)",
        "int(np.ceil({} / 2))",
        "int({} / 2)",
        "math.ceil({} / 2)",
        "round({} / 3)",
        "len(range({}))",
        "int(np.sqrt({}))",
        "({} if {} > 2 else 3)",
        "math.gcd({}, 4)",
        "int({} > 2)",
        "len(range(1, {}, 2))",
        "int(np.floor({} / 2))",
        "np.arange({}).size",
        "max(range({} + 1))",
    ]
    return a.pick(ways).format(inner, inner)


@form("int")
def int_of_data(a: Author, depth: int) -> str:
    """A length that data decides."""
    v = a.array(least=1).name
    ways = [
        "int(np.sum({v} > {c}))",
        "int(np.argmax({v}))",
        "np.count_nonzero({v} > {c})",
        "len([t for t in {v}.ravel() if t > {c}])",
        "int(abs({f}) * 2)",
        "(1 if {f} > {c} else 2)",
        "int(np.argmin({v}))",
        "len({v}[{v} > {c}])",
    ]
    return a.pick(ways).format(v=v, c=a.number(), f=a.float(0))


# ----- conditions -----


@form("condition", 3)
def on_floats(a: Author) -> str:
    return a.pick(
        ["{} > {c}", "{} < {c}", "{} > {}", "not {} > {c}", "-1 < {} < {}", "abs({}) > {c}"]
    ).format(a.float(1), a.float(0), c=a.number(-0.8, 0.8))


@form("condition", 3)
def on_ints(a: Author) -> str:
    names = a.names("int", "bool")
    name = a.pick(names)
    return a.pick(["{} % 2 == {}", "{} > {}", "{} < {}", "{} == {}", "{} != {}", "{}", "not {}"]).format(
        name, a.random.randint(0, 3)
    )


@form("condition", 2.1)
def on_strings(a: Author) -> str:
    name = a.pick(a.names("str"))
    return a.pick(["{} == 'sin'", "{} != 'cos'", "{} in ('cos', 'tanh')", "{}.startswith('t')"]).format(name)


@form("condition")
def on_arrays(a: Author) -> str:
    name = a.array(least=1).name
    return a.pick(
        [
            "np.sum({}) > {c}",
            "np.any({} > {c})",
            "np.all({} > -5.0)",
            "len({}) > {k}",
            "{}.ndim == {k}",
            "np.max(np.abs({})) > {c}",
            "{}.size % 2",
        ]
    ).format(name, c=a.number(), k=a.random.randint(1, 4))


@form("condition", 0.7)
def two_conditions(a: Author) -> str:
    return f"{a.condition()} {a.pick(['and', 'or'])} {a.condition()}"


# ----- plain statements -----


@production(1.5, simple=True)
def assign_float(a: Author) -> None:
    a.line(f"{a.fresh('a b c t r e w')} = {a.float(3)}")


@production(1.5, simple=True)
def assign_array(a: Author) -> None:
    text = a.vector(None, 2)
    a.line(f"{a.fresh('u v z h q')} = {text}")


@production(2, simple=True)
def rebind(a: Author) -> None:
    """A name gets a new value of the same kind."""
    if a.chance(0.5):
        name = a.name("float")
        a.line(f"{name} = {a.pick(['0.6 * {} + {}', '{1}', '{1}']).format(name, a.damped())}")
    else:
        seen = a.array()
        text = a.pick(["0.6 * {} + np.sin({})", "np.tanh({1})"]).format(seen.name, a.vector(seen, 1))
        a.line(f"{seen.name} = {text}")


@production(1.5, simple=True)
def augment(a: Author) -> None:
    op = a.pick(["+=", "-=", "*=", "+=", "/= 2.0 +"])
    if a.chance(0.4):
        a.line(f"{a.name('float')} {op} {a.damped()}")
    else:
        seen = a.array(writeable=True)
        value = a.damped() if a.chance(0.5) else f"np.sin({a.vector(seen, 1)})"
        a.line(f"{seen.name} {op} {value}")


@production(1.5, simple=True)
def store(a: Author) -> None:
    """An element, a row, a slice or a mask of an array is written."""
    seen = a.array(writeable=True, least=1)
    name, i, n = seen.name, a.index(seen.smallest), seen.smallest
    op = a.pick(["=", "=", "+=", "*=", "-="])
    places = [
        "{n}[{i}]",
        "{n}[...]",
        "{n}[{n} > {c}]",
        "{n}[:]",
        "{n}[1:]",
        "{n}[:-1]",
        "{n}[::2]",
        "{n}[[0, {i}]]",
        "{n}[-1:]",
        "{n}[:{k}]",
    ]
    if seen.rank == 2:
        places += ["{n}[{i}, 0]", "{n}[:, 0]", "{n}[{i}][0]", "{n}[{i}, 1:]", "{n}[:, -1]", "{n}.T[0]"] * 2
    place = a.pick(places).format(n=name, i=i, c=a.number(), k=a.random.randint(1, n))
    value = a.damped()
    if a.chance(0.4) and seen.rank == 1:
        tail = place.removeprefix(name)
        if tail != f"[{i}]":
            value = f"np.sin({a.vector(seen, 1)}){tail}"
    a.line(f"{place} {op} {value}")


@production(2.5, simple=True)
def make_matrix(a: Author) -> None:
    seen = a.array(1, least=1)
    text = a.pick(
        [
            "np.outer({}, {})",
            "{}[:, None] * {}",
            "np.stack([{}, {}])",
            "np.array([{}, {}])",
            "np.vstack(({}, {}))",
            "np.add.outer({}, {})",
            "np.diag({}) + 0.1 * {}",
            "np.tile({}, (2, 1)) * {}",
        ]
    )
    a.line(f"{a.fresh('m g y')} = {text.format(a.vector(seen, 1), a.vector(seen, 1))}")


@production(5.2, simple=True)
def reduce_matrix(a: Author) -> None:
    seen = a.array(2, least=1)
    text = a.pick(
        [
            "np.sum({}, axis=0)",
            "{}.mean(axis=1)",
            "{} @ np.ones({}.shape[1])",
            "np.max({}, axis=1)",
            "{}.T @ {}",
            "np.linalg.norm({}, axis=1)",
            "np.diag({})",
            "np.trace({}) * {}[0]",
            "np.matmul({}, {}.T)",
        ]
    )
    a.line(f"{a.fresh('v u w')} = {text.format(a.vector(seen, 1), seen.name)}")
