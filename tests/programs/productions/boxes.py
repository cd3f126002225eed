"""Containers whose structure is known at run time only: lists in lists, stacks, dicts, orders, contexts."""

from __future__ import annotations

from ..author import Author
from .names import leave
from .registry import production


def numbers(a: Author) -> tuple[str, str]:
    """A vector, and a number of turns that does not exceed its length."""
    vector = a.array(rank=1, least=2).name
    return vector, a.pick([f"len({vector})", "2", f"min(len({vector}), 3)", f"len({vector}) - 1"])


def total(a: Author, text: str) -> None:
    a.line(f"{a.fresh('a r b')} = {text}")


@production(3.2)
def inner_lists(a: Author) -> None:
    """A list of lists that are filled by position, with second names and without."""
    v, n = numbers(a)
    rows, r, i, j = a.fresh("rows near bins"), a.fresh("r row inner"), a.fresh("i k"), a.fresh("j m")
    starts = ["[[] for _ in range({n})]", "[[{f}] for _ in range({n})]", "[[{v}[0]] * 2 for _ in range({n})]"]
    starts += ["[[]] * ({n})", "[[0, 1] for _ in range({n})]"]
    a.line(f"{rows} = {a.pick(starts).format(n=n, v=v, f=a.float(0))}")
    if a.chance(0.25):
        a.line(f"{r} = {rows}[0]")
    writes = [
        "{rows}[{i}].append({v}[{i}] * {d})",
        "{rows}[{i} - 1].append({i})",
        "{r} = {rows}[{i}]\n{r}.append({d})\n{rows}[{i}][0] = {r}[-1] * 0.5",
        "{rows}[{i}] += [{d}, {v}[{i}]]",
        "for {j} in range(2):\n    {rows}[({i} + {j}) % len({rows})].append({v}[{i}] + {j})",
        "{rows}[{i}] = [{v}[{i}]]\n{rows}[-1].append({d})",
        "if {rows}[{i}]:\n    {rows}[{i}].pop()\n{rows}[{i}].append({v}[{i}])",
        "if {v}[{i}] > 0:\n    {rows}[{i}].append({v}[{i}])\nelse:\n    {rows}[0].append({d})",
        "{r} = [{d}]\n{rows}.append({r})\n{r}.append({v}[{i}])",
    ]
    with a.suite(f"for {i} in range({n}):", loop=True):
        a.line(a.pick(writes).format(rows=rows, r=r, i=i, j=j, v=v, d=a.damped(0)))
        if a.chance(0.15):
            leave(a)
    later = ["{r} = {rows}[-1]\n{rows}[0].append({d})", "{rows}[0] = {rows}[1]\n{rows}[1].append({d})"]
    later += ["{r} = {rows}[1:]\n{r}[0].append({d})", "{rows} = [list({r}) for {r} in {rows}]", "pass"]
    if a.chance(0.4):
        a.line(a.pick(later).format(rows=rows, r=r, d=a.damped(0)))
    reads = [
        "sum(sum(q) * len(q) for q in {rows})",
        "sum(sum(q) for q in {rows}) + sum({rows}[0])",
        "sum(q[-1] if q else 0.5 for q in {rows})",
        "sum(w * k for k, q in enumerate({rows}) for w in q)",
        "{rows}[0][0] * {rows}[-1][-1]",
        "sum(1.5 if p is q else 0.5 * len(q) for p in {rows} for q in {rows})",
        "sum({rows}[0]) * (2.0 if {rows}[0] is {rows}[-1] else 3.0)",
    ]
    total(a, a.pick(reads).format(rows=rows))


@production(3.0)
def stack(a: Author) -> None:
    """A stack or queue of numbers or tuples, whose length differs from turn to turn."""
    v, _ = numbers(a)
    todo, w, s, k = a.fresh("todo stack"), a.fresh("w e"), a.fresh("s acc"), a.fresh("k level")
    pop = a.pick(["pop()", "pop()", "pop(0)", "pop(-1)"])
    grow = ["{t}.append(({w} * {d}, {k} + 1))", "{t}.insert(0, ({w} - {d}, {k} + 1))"]
    grow += ["{t} += [({w} * 0.5, {k} + 1)]", "{t}.extend([({d}, {k} + 1)])"]
    first, second = (a.pick(grow).format(t=todo, w=w, d=a.damped(0), k=k) for _ in range(2))
    a.line(f"{todo} = [({v}[0], 0)]\n{s} = {a.pick(['0.0', '0'])}")
    lines = [f"{w}, {k} = {todo}.{pop}", f"{s} = {s} * 0.9 + {w} * {w}"]
    lines += [
        f"if {k} < 3:",
        f"    {first}",
        f"    if {a.pick([f'{k} % 2', f'{w} > 0.1'])}:",
        f"        {second}",
    ]
    a.line(f"while {a.pick([todo, f'len({todo}) > 0'])}:\n    " + "\n    ".join(lines))


@production(3.0)
def list_slices(a: Author) -> None:
    """Slices of a list that has grown, read, replaced and deleted."""
    v, n = numbers(a)
    hist, i, part = a.fresh("hist log past"), a.fresh("i k"), a.fresh("part tail")
    a.line(f"{hist} = [{a.pick([v + '[0]', '0', a.float(0)])}]")
    with a.suite(f"for {i} in range({n}):", loop=True):
        lines = ["{h}.append({v}[{i}] * 0.5 + sum({h}[-2:]) * 0.3)", "{h}.append({v}[{i}])\ndel {h}[:-3]"]
        lines += ["{h}[1:1] = [{v}[{i}], {d}]", "{h}.append({h}[0] * {d})\n{h}[:1] = [{v}[{i}]]"]
        a.line(a.pick(lines).format(h=hist, v=v, i=i, d=a.damped(0)))
    a.line(f"{part} = {hist}[{a.pick(['1:', '-3:', '::2', '::-1', ':-1', ':'])}]")
    if a.chance(0.4):
        changes = [
            "{p}.append({d})",
            "{h}[0] = {d}",
            "{h}[:1] = {p}",
            "del {p}[0]",
            "{p}.sort()",
            "{h}.reverse()",
        ]
        a.line(a.pick(changes).format(h=hist, p=part, d=a.damped(0)))
    total(a, f"sum({part}) + sum({hist}) * len({part})")


@production(3.2)
def computed_keys(a: Author) -> None:
    """A dict whose keys are computed: sums, groups, other names, changes while it is run over."""
    v, n = numbers(a)
    d, e, i, k, w = (
        a.fresh("d table seen"),
        a.fresh("e other"),
        a.fresh("i j"),
        a.fresh("k key"),
        a.fresh("w q"),
    )
    keys = [
        "{i} % 2",
        "({i} * {i}) % 3",
        "{i}",
        "({i} % 2, {i})",
        "int({v}[{i}] > 0)",
        "'a' if {i} % 2 else 'b'",
    ]
    key = a.pick(keys).format(i=i, v=v)
    a.line(f"{d} = {{}}" + (f"\n{e} = {d}" if a.chance(0.2) else ""))
    lists = a.chance(0.35)
    adds = [
        "{d}[{k}] = {d}.get({k}, 0.0) + {v}[{i}]",
        "{d}[{k}] = {v}[{i}] * {f}",
        "if {k} not in {d}:\n    {d}[{k}] = 0\n{d}[{k}] += {v}[{i}]",
        "{d}[{k}] = {d}.pop({k}, {f}) * {v}[{i}]",
        "{w} = {d}.get({k})\n{d}[{k}] = {v}[{i}] if {w} is None else {w} * {f}",
        "{d}.setdefault({k}, {v}[0])\n{d}[{k}] *= {f}",
    ]
    if lists:
        adds = ["{d}.setdefault({k}, []).append({v}[{i}] * {f})"]
        adds += ["if {k} not in {d}:\n    {d}[{k}] = []\n{d}[{k}].append({v}[{i}])"]
        adds += ["{d}[{k}] = {d}.get({k}, []) + [{v}[{i}]]"]
    with a.suite(f"for {i} in range({n}):", loop=True):
        a.line(f"{k} = {key}\n" + a.pick(adds).format(d=d, k=k, v=v, i=i, w=w, f=a.damped(0)))
    value = f"sum({w})" if lists else w
    s = a.fresh("s acc")
    a.line(f"{s} = {a.pick(['0.0', a.float(0)])}")
    change = (
        a.pick(["", "", "", f"\n    {d}[{k}] = {d}[{k}] * 0.5", f"\n    {d}[7] = {w}"]) if not lists else ""
    )
    order = a.pick(
        [f"{d}.items()", f"{d}.items()", f"list({d}.items())", f"sorted({d}.items(), reverse=True)"]
    )
    a.line(f"for {k}, {w} in {order}:\n    {s} = {s} * 0.7 + {value}{change}")
    total(a, f"{s} + len({d})")


@production(3.0)
def own_context(a: Author) -> None:
    """A class that is entered by ``with``: its state, and exceptions that it swallows."""
    name, s, i = a.fresh("Scope Within"), a.fresh("s acc"), a.fresh("i k")
    swallows = a.pick(["False", "True", "kind is ZeroDivisionError", "None"])
    a.line(
        f"class {name}:\n    def __init__(self, value):\n        self.value = value\n        self.left = 0\n"
        f"    def __enter__(self):\n        self.value = self.value * {a.damped(0)}\n        return self\n"
        f"    def __exit__(self, kind, error, trace):\n        self.left += 1\n"
        f"        self.value = self.value + {a.pick(['1.0', 'self.left'])}\n        return {swallows}"
    )
    a.line(f"{s} = {name}({a.pick([a.float(0), a.array().name])})")
    if a.chance(0.5):
        with a.suite(f"for {i} in range({a.pick(['2', '3', a.length(0) + ' % 3'])}):", loop=True):
            with a.suite(f"with {s}:"):
                if a.chance(0.5):
                    leave(a)
                a.line(f"{s}.value = {s}.value * {a.damped(0)}")
    else:
        danger = a.pick(["pass", f"{i} = 1 // {a.length(0)}", f"{i} = [1.0][{a.length(0)} % 2]"])
        a.line(f"with {s} as {i}:\n    {i}.value = {i}.value + {a.float(0)}\n    {danger}")
    total(a, f"np.sum({s}.value) * {s}.left")


@production(3.0)
def ordered(a: Author) -> None:
    """``sorted``, ``sort``, ``min`` and ``max`` by keys, of numbers and tuples in lists that were grown."""
    v, n = numbers(a)
    items, i, best = a.fresh("items pairs"), a.fresh("i k"), a.fresh("best top")
    pairs = a.chance(0.5)
    item = (
        a.pick(["({v}[{i}], {i})", "({i} % 2, {v}[{i}])"]) if pairs else a.pick(["{v}[{i}]", "{v}[{i}] ** 2"])
    )
    a.line(f"{items} = []\nfor {i} in range({n}):\n    {items}.append({item.format(v=v, i=i)})")
    key = a.pick(
        ["", "key=lambda q: q[1]", "key=lambda q: -q[0]"] if pairs else ["", "key=abs", "key=lambda q: -q"]
    )
    down = a.pick(["", "reverse=True", f"reverse={n} > 2"])
    asked = ", ".join(part for part in (key, down) if part)
    if a.chance(0.5):
        a.line(f"{items}.sort({asked})")
    else:
        a.line(f"{items} = sorted({', '.join(part for part in (items, asked) if part)})")
    extreme = ", ".join(part for part in (items, key) if part)
    a.line(f"{best} = {a.pick(['min', 'max'])}({extreme})")
    one, each = (f"{best}[0] * {best}[1]", "q[0] * q[1] * p") if pairs else (best, "q * p")
    total(a, f"{one} + sum({each} for p, q in enumerate({items}))")


@production(3.0)
def uneven_arrays(a: Author) -> None:
    """A list of arrays of other lengths each, which are read, written and joined."""
    v, n = numbers(a)
    rows, i = a.fresh("rows parts"), a.fresh("i k")
    item = a.pick(["{v}[{i}:] * {d}", "{v}[: {i} + 1]", "np.zeros({i} + 1) + {v}[0]", "np.sin({v}[{i}:])"])
    a.line(f"{rows} = []\nfor {i} in range({n}):\n    {rows}.append({item.format(v=v, i=i, d=a.damped(0))})")
    writes = [
        "{r}[-1][0] = {d}",
        "{r}[0] *= {d}",
        "for {i} in range(len({r})):\n    {r}[{i}][0] = {v}[{i}]",
        "pass",
    ]
    a.line(a.pick(writes).format(r=rows, i=i, v=v, d=a.damped(0)))
    reads = ["sum(np.sum(q) * len(q) for q in {r})", "np.sum(np.concatenate({r}) ** 2)"]
    reads += [
        "np.sum({r}[0]) * {r}[-1][0]",
        "sum(np.mean(q) for q in {r}[::-1])",
        "np.sum(max({r}, key=len))",
    ]
    total(a, a.pick(reads).format(r=rows))
