"""Views and copies: everything that NumPy may return of an array, written through on either side."""

from __future__ import annotations

from ..author import Author
from ..probe import Seen
from .holders import change
from .registry import production

OF_ANY = (
    "{v}[::-1]",
    "{v}[1:]",
    "{v}[:-1]",
    "{v}[:]",
    "{v}[...]",
    "{v}.T",
    "{v}.ravel()",
    "{v}.reshape(-1)",
    "{v}[None]",
    "{v}[..., None]",
    "np.transpose({v})",
    "np.ravel({v})",
    "np.reshape({v}, -1)",
    "{v}.conj()",
    "np.conj({v})",
    "{v}.real",
    "np.real({v})",
    "{v}.astype(float, copy=False)",
    "{v}.astype(float)",
    "np.asarray({v})",
    "np.asanyarray({v})",
    "np.array({v}, copy=False)",
    "np.array({v})",
    "np.array({v}, copy=None)",
    "np.ascontiguousarray({v})",
    "np.asfortranarray({v})",
    "np.asarray({v}, order='F')",
    "np.nan_to_num({v}, copy=False)",
    "np.nan_to_num({v})",
    "np.squeeze({v}[:1])",
    "np.squeeze({v})",
    "np.atleast_1d({v})",
    "np.atleast_2d({v})",
    "np.atleast_3d({v})",
    "np.expand_dims({v}, 0)",
    "np.flip({v})",
    "np.flip({v}, 0)",
    "{v}.view()",
    "{v}.flatten()",
    "{v}.copy()",
    "np.copy({v})",
    "np.require({v}, float)",
    "np.split({v}, [1])[1]",
    "np.array_split({v}, 2)[0]",
    "{v}[np.arange(len({v}))]",
    "np.take({v}, [0, 1], axis=0)",
    "{v}.squeeze()",
    "+{v}",
    "np.positive({v})",
    "np.broadcast_arrays({v}, 1.0)[0]",
    "np.flipud({v})",
    "np.moveaxis({v}, 0, -1)",
    "np.swapaxes({v}, 0, -1)",
    "{v}.swapaxes(0, -1)",
    "np.array_split({v}, 1)[0]",
    "np.concatenate([{v}])",
    "np.real_if_close({v})",
    "np.where(True, {v}, {v})",
    "np.asarray({v}, dtype=float)",
    "{v}[slice(0, 2)]",
    "{v}[{v} > -9.0]",
    "np.roll({v}, 0)",
    "{v}[:, ...]",
    "np.rollaxis({v}, 0)",
    "np.delete({v}, [])",
    "{v}.transpose()",
    "np.real(np.asarray({v}))",
    "np.clip({v}, -9.0, 9.0)",
    "np.asarray_chkfinite({v})",
    "{v}.reshape({v}.shape)",
    "np.stack([{v}])",
    "np.resize({v}, {v}.shape)",
    "np.repeat({v}, 1, axis=0)",
    "np.positive({v})",
)
OF_VECTOR = (
    "np.einsum('i->i', {v})",
    "{v}.reshape(1, -1)",
    "{v}[:, None]",
    "np.diag({v})",
    "np.vstack([{v}])",
    "np.meshgrid({v}, {v}, copy=False)[0]",
    "np.ix_({v}[:2], {v}[:2])[0]",
    "np.meshgrid({v}, {v})[1]",
    "np.lib.stride_tricks.sliding_window_view({v}, 2)",
    "np.broadcast_to({v}, (2, len({v})))",
    "np.diagflat({v})",
    "{v}[::2]",
    "np.trim_zeros({v})",
    "np.column_stack([{v}])",
    "np.hsplit({v}, [1])[0]",
    "{v}.reshape(-1, 1)",
)
OF_MATRIX = (
    "np.einsum('ij->ji', {v})",
    "np.einsum('ij->ij', {v})",
    "np.diagonal({v})",
    "{v}.diagonal()",
    "np.diag({v})",
    "{v}[0]",
    "{v}[:, 0]",
    "{v}[:, 1:]",
    "{v}[0, 1:]",
    "{v}.T[0]",
    "{v}.T.ravel()",
    "{v}.swapaxes(0, 1)",
    "np.moveaxis({v}, 0, 1)",
    "np.fliplr({v})",
    "np.rot90({v})",
    "np.rot90({v}, 2)",
    "np.hsplit({v}, [1])[0]",
    "np.vsplit({v}, [1])[0]",
    "np.triu({v})",
    "{v}[[0, 1]]",
    "{v}.reshape({v}.shape[::-1])",
    "np.ravel({v}, order='F')",
    "{v}.ravel('K')",
    "{v}[::-1, ::-1]",
    "{v}.T.reshape(-1)",
    "{v}.flatten('F')",
    "np.einsum('ii->i', {v}[:2, :2])",
    "{v}.T.copy()",
    "{v}[-1, ::-1]",
    "np.tril({v})",
    "np.rollaxis({v}, 1)",
    "np.split({v}, len({v}))[0]",
    "np.split({v}, 2, axis=-1)[1]",
    "np.reshape({v}, -1, order='F')",
    "np.asfortranarray({v}).ravel('F')",
    "np.broadcast_to({v}[0], {v}.shape)",
    "np.lib.stride_tricks.sliding_window_view({v}, 2, axis=0)",
    "np.linalg.diagonal({v})",
    "np.atleast_2d({v}[0], 1.0)[0]",
    "np.einsum('ij->ji', {v})[0]",
)


def seen_as(a: Author, seen: Seen) -> str:
    ways = OF_ANY + OF_VECTOR * (seen.rank == 1) * 2 + OF_MATRIX * (seen.rank == 2) * 2
    return a.pick(ways).format(v=seen.name)


@production(3, simple=True)
def view(a: Author) -> None:
    """A view or copy; it or its base is written; both are read."""
    seen, w = a.array(least=1, writeable=True), a.fresh("w s0 vw")
    a.line(f"{w} = {seen_as(a, seen)}")
    before = a.chance(0.3)
    if before:
        a.line(f"{a.fresh('a r')} = np.sum({w} * {a.float(0)})")
    for _ in range(a.random.randint(1, 2)):
        a.line(change(a, a.pick([w, w, seen.name])))
    a.line(f"{a.fresh('a r')} = np.sum({w} * {a.float(0)}) + np.sum({seen.name} * {seen.name})")


MADE_IN_ORDER = (
    "np.outer({v}, {v})",
    "np.zeros((2, len({v})), order='F') + {v}",
    "np.zeros((2, len({v})), order='F')",
    "np.full((2, len({v})), {f})",
    "np.full((2, len({v})), {v}, order='F')",
    "np.array([{v}, {v} * {f}]).T",
    "np.array([{v}, {v} * {f}]).T.copy()",
    "np.copy(np.array([{v}, {v} * {f}]).T)",
    "np.array(np.outer({v}, {v}), order='F')",
    "np.asfortranarray(np.outer({v}, {v} * {f}))",
    "np.stack([{v}, {v} * {f}], axis=1)",
    "np.concatenate([np.array([{v}, {v}]).T] * 2, axis=1)",
    "np.zeros_like(np.outer({v}, {v}).T)",
    "np.ones_like(np.array([{v}, {v}]).T, order='C')",
    "np.matmul(np.array([{v}, {v}]).T, np.ones((2, 2)))",
    "np.dot(np.array([{v}, {v}]).T, np.array([{v}, {v}]))",
    "np.hstack([np.outer({v}, {v}).T, {v}[:, None]])",
    "np.array([{v}, {v}]).T + {v}[:, None]",
    "np.array([{v}, {v}]).T * np.outer({v}, {v})[:, :2]",
    "np.where(np.outer({v}, {v}) > 0, np.outer({v}, {v}).T, {f})",
    "np.zeros((len({v}), 1)) + {v}",
    "-np.outer({v}, {v}).T",
    "np.clip(np.array([{v}, {v}]).T, -2.0, 2.0)",
    "np.vander({v}, 3)",
)
SEEN_IN_ORDER = (
    "{m}.ravel()",
    "{m}.ravel('F')",
    "np.ravel({m}, order='F')",
    "np.reshape({m}, -1, order='F')",
    "{m}.reshape(-1)",
    "{m}.reshape({m}.shape[::-1])",
    "{m}.reshape({m}.shape[::-1], order='F')",
    "{m}.T.ravel()",
    "{m}.T.reshape(-1)",
    "np.asfortranarray({m})",
    "np.ascontiguousarray({m})",
    "np.asarray({m}, order='F')",
    "np.asarray({m}, order='C')",
    "{m}[0].ravel()",
    "{m}[:, 0].ravel()",
    "{m}[1:].reshape(-1)",
    "{m}[:, 1:].ravel()",
    "{m}.copy().ravel()",
    "np.copy({m}).ravel()",
    "{m}.flatten()",
    "np.asfortranarray({m}).ravel('F')",
    "np.ascontiguousarray({m}.T).ravel()",
    "np.ascontiguousarray({m}[:, 0])",
    "np.require({m}, float, ['C'])",
    "np.squeeze({m}[None]).ravel()",
    "np.vsplit({m}, [1])[0].ravel()",
    "np.hsplit({m}, [1])[0].ravel()",
    "np.rollaxis({m}, 1).ravel()",
    "np.flip({m}, 0).ravel()",
)


@production(3, simple=True)
def order_in_memory(a: Author) -> None:
    """An array that lies by rows or by columns; what may be a view of it therefore is written, or it is."""
    seen, m, w = a.array(rank=1, least=2), a.fresh("m mat"), a.fresh("w s0 vw")
    a.line(f"{m} = {a.pick(MADE_IN_ORDER).format(v=seen.name, f=a.float(0))}")
    if a.chance(0.3):
        a.line(f"{m}[0] = {a.float(0)}")
    a.line(f"{w} = {a.pick(SEEN_IN_ORDER).format(m=m)}")
    for _ in range(a.random.randint(1, 2)):
        a.line(change(a, a.pick([w, w, m])))
    a.line(f"{a.fresh('a r')} = np.sum({w} * {a.float(0)}) + np.sum({m} * {m})")


@production(2.6, simple=True)
def view_of_view(a: Author) -> None:
    seen, w, z = a.array(least=2, writeable=True), a.fresh("w s0 vw"), a.fresh("z s1 vz")
    a.line(f"{w} = {seen_as(a, seen)}\n{z} = {a.pick(OF_ANY).format(v=w)}")
    a.line(change(a, a.pick([z, w, seen.name])))
    if a.chance(0.4):
        a.line(f"{w} = {w} * {a.damped()}")
        a.line(change(a, a.pick([z, seen.name])))
    a.line(f"{a.fresh('a r')} = np.sum({w}) * {a.float(0)} + np.sum({z} * {z})")


@production(1.9)
def view_in_loop(a: Author) -> None:
    """A view is taken before or in a loop that writes to its base."""
    seen, w, i = a.array(least=2), a.fresh("w s0 vw"), a.fresh("i k")
    base = seen.name
    if a.chance(0.6):
        base = a.fresh("buf g h")
        text = a.pick(["{}.copy()", "np.zeros_like({})", "{} * 2.0"]).format(seen.name)
        a.line(f"{base} = {text}")
    text = a.pick(
        ["{v}[1:]", "{v}[::-1]", "{v}[:-1]", "{v}.T", "{v}.reshape(-1)", "{v}[0:1]", "{v}", "{v}.copy()"]
    ).format(v=base)
    outside = a.chance(0.5)
    if outside:
        a.line(f"{w} = {text}")
    with a.suite(f"for {i} in range({a.random.randint(1, 3)}):", loop=True):
        if not outside:
            a.line(f"{w} = {text}")
        if a.chance(0.4):
            with a.suite(f"if {a.condition()}:"):
                ways = ["{b}[{i} % 2:]", "{b} * {f}", "{b}", "{w} * 0.5"]
                a.line(f"{w} = {a.pick(ways).format(b=base, i=i, f=a.float(0), w=w)}")
        a.line(change(a, a.pick([w, base])))
        if a.chance(0.3):
            a.statements(1)
    a.line(f"{a.fresh('a r')} = np.sum({w} * {w}) + np.sum({base}) * {a.float(0)}")


@production(1.5, simple=True)
def output_argument(a: Author) -> None:
    seen, w = a.array(writeable=True, least=1), a.fresh("w o res")
    ways = [
        "{w} = np.sin({v}, out={v})",
        "{w} = np.empty_like({v})\nnp.multiply({v}, {f}, out={w})",
        "{w} = np.add({v}, {f}, {v})",
        "{w} = {v}.copy()\nnp.cumsum({v}, axis=0, out={w})",
        "{w} = {v}.copy()\nnp.copyto({w}, {v} * {f})",
        "{w} = {v}.copy()\n{w}.sort(axis=0)",
        "{w} = {v}.copy()\nnp.put({w}, [0], {f})",
        "{w} = {v}.copy()\nnp.add.at({w}, [0, 0], {f})",
        "{w} = {v}.copy()\nnp.fill_diagonal({w}, {f})",
        "{w} = {v}.copy()\nnp.copyto({w}, {f}, where={v} > 0)",
        "{w} = {v}.copy()\n{w}.itemset(0, {f})",
        "{w} = np.tanh({v})\nnp.negative({w}, out={w})",
        "{w} = np.exp({v} * 0.1, out=np.ones_like({v}), where={v} > 0)",
        "{w} = {v}.copy()\nnp.place({w}, {w} > 0, [{f}])",
        "{w} = {v}.copy()\nnp.putmask({w}, {w} > 0, {w} * {f})",
        "{w} = {v}\n{w}.flat[0] = {f}",
        "{w} = np.clip({v}, -0.5, 0.5, out={v})",
        "{w} = np.maximum({v}, {f}, out={v})",
        "{w} = {v}.copy()\nnp.subtract({w}[1:], {w}[:-1], out={w}[1:])",
    ]
    a.line(a.pick(ways).format(w=w, v=seen.name, f=a.damped()))
    a.line(f"{a.fresh('a r')} = np.sum({w}) + np.sum({seen.name} * {seen.name})")


@production(2, simple=True)
def overlapping_write(a: Author) -> None:
    v = a.array(least=2, writeable=True).name
    ways = [
        "{v}[1:] = {v}[:-1]",
        "{v}[:-1] += {v}[1:]",
        "{v}[::-1] = {v} * {f}",
        "{v}[:] = {v}[::-1]",
        "{v}[1:] *= {v}[:-1]",
        "{v} += {v}[::-1]",
        "{v}[1:], {v}[:-1] = {v}[:-1].copy(), {v}[1:].copy()",
        "{v}[0], {v}[1] = {v}[1], {v}[0]",
        "{v}[[0, 1]] = {v}[[1, 0]]",
        "{v}[0] = {v}[-1]",
        "{v} *= {v}",
        "{v}[:1], {v}[1:2] = {v}[1:2], {v}[:1]",
        "{v}[[0, 0]] = {f}",
        "{v}[1:] = {v}[:-1] * {f} + {v}[1:]",
        "{v} -= np.mean({v})",
        "{v}[:] = {v}.T.T[::-1]",
        "{v} /= 2.0 + {v}[0] ** 2",
    ]
    a.line(a.pick(ways).format(v=v, f=a.damped()))
