"""Views: written through, seen by other names, with steps, transposed, split, without axes."""

from .idiom import idiom

idiom(
    "slices with steps",
    """
$w = @v * %c
$w[<[ ::2 || ::-2 || -2:: || :0:-1 || 1:-1 || ::3 ]>] *= @s
$w[<[ ::-1 || 1: || :-1 || -1:0:-1 ]>] += $w[<[ ::-1 || 1: || :-1 || -1:0:-1 ]>].sum() * 0.1
$w[-1:0:-1] = $w[1:] * <[ 1 || %c ]>
$u = $w[::-1][<[ ::2 || 1:: || ::-1 || -2: ]>]
$u -= <[ @s || $w[0] || $u[::-1].copy() ]>
$w[:2][::-1][0] = $w[-1] * 2
""",
    v="$w",
    any="$u",
)

idiom(
    "one row of a view of a view",
    """
$a = @m * <[ 1.0 || %c ]>
$t = $a<[ .T || .swapaxes(0, 1) || .transpose() || [:, ::-1].T || [::-1].T ]>
$r = $t[<[ 0 || -1 || 1 ]>]
$r <[ *= || += || -= ]> <[ @s || $r || $a[:, 0] ]>
$t[:, 0] = <[ @v || $t[:, -1] * 2 || @s ]>
$x = $a[<[ 0, ... || ..., 0 || -1 || :, -1 || [0] || [True] + [False] * ($a.shape[0] - 1) ]>]
$x += 1.0
$d = $a.ravel(<[ || "F" || "K" || "A" ]>)
$d[<[ ::$a.shape[1] + 1 || 0 || -3: ]>] = %c
""",
    m="$a",
    any="$t; $x; $d",
)

idiom(
    "splits and stacks",
    """
$a = @v.copy()
$p, $q = np.<[ split($a, [1]) || array_split($a, 2) || hsplit($a, [2]) ]>
$p *= @s
$q[-1:] = $p[:1] <[ + || * ]> %c
$st = np.stack([$a, @v2], axis=<[ 0 || 1 || -1 ]>)
$st[<[ 0 || -1 ]>] += $p[0]
$rows = list($st)
$rows[0][...] = $rows[-1] * %c
$u1, *_ = $st.T
$u1 /= 2.0
""",
    v="$a",
    any="$st; $q",
)

idiom(
    "view without axes",
    """
$a = @v.copy()
$z = $a[<[ 0, ... || ..., -1 ]>]
$before = $z + 0.0
$z <[ += || *= ]> <[ @s || %c ]>
$a[1] = $z * 2
<[ $z[...] = @s * $a[2 % len($a)] || $z[()] = @s || np.add($z, 1.0, out=$z) || $z.fill(%c) ]>
$n = $a[0]
$n += 5.0
$y = np.array(@s)
$y2 = $y
$y += %c
$y2 *= 2
""",
    v="$a",
    any="$z; $before; $n; $y; $y2",
)

idiom(
    "diagonals",
    """
$a = np.outer(@v, @v2) + %c
$d = np.einsum("ii->i", $a)
$d *= <[ @s || @v ]>
$e = <[ $a.diagonal() || np.diagonal($a, 1) || np.diag($a) || $a.diagonal(-1) ]>
$a.flat[:: len($a) + 1] <[ += @s || = @v ]>
$a[np.arange(len($a)), np.arange(len($a))[::-1]] *= %c
$f = $a.reshape(-1)[:: len($a) + 1]
$f[0] = $e[0] * 2
np.fill_diagonal($a<[ || .T || [:, ::-1] ]>, <[ @s || @v ]>)
$tr = np.trace($a, <[ 0 || 1 ]>)
""",
    any="$a; $d; $e; $f",
    s="$tr",
)

idiom(
    "windows",
    """
$w = np.lib.stride_tricks.sliding_window_view(@v, 2)
$a = $w @ np.array([1.0, @s])
$b = @v.copy()
$c = np.lib.stride_tricks.as_strided($b, (len($b) - 1, 2), (8, 8)) if $b.strides == (8,) else $w
$b[1] = @s
$t = np.sum($c * $c) + $w[0, 1]
""",
    any="$a",
    v="$b",
    s="$t",
)

idiom(
    "shape is set",
    """
$a = np.concatenate([@v, @v2])
$b = $a
<[ $a.shape = (2, -1) || $a = $a.reshape(2, -1) || $a = $a.reshape((-1, 2), order="F")
    || $a.resize((2, len(@v)), refcheck=False) ]>
$a[0] *= @s
$b[-1] = %c
$c = $a[None, ..., None]
$c[0, 0, 0] += 3.0
$e = np.expand_dims($a, (0, 2)).squeeze()
$e[-1] *= $e[0]
""",
    any="$a; $b; $c; $e",
)

idiom(
    "arguments through helpers that return views",
    """
def $window(a, lo, *, step=1):
    return a[lo::step]


def $bump(a, by=%c):
    a += by
    return a


class $View:
    def __init__(self, a):
        self.a = a
        self.t = a.T

    @property
    def last(self):
        return self.a[-1:]
---
$a = <[ @v || @v.copy() || @m || @m * 1.0 ]>
$w = $bump($window($a, <[ 1 || -2 ]>, step=<[ 1 || -1 || 2 ]>))
$o = $View($a)
$o.t[...] = $o.t * %c
$o.last[...] <[ = @s || += 1 || *= @s ]>
$o.a = $bump($a * 1.0)
$o.last[0] = $w[0]
""",
    any="$a; $w; $o.a; $o.t",
)

idiom(
    "swapped rows",
    """
$a = np.array([@v, @v2, @v * @s])
$a[[0, 2]] = $a[[2, 0]]
$a[0], $a[1] = $a[1]<[ || .copy() ]>, $a[0].copy()
$r0, $r1, $r2 = $a
$r0 += $r1
$r1[:] = $r2 * %c
$a[1:] -= $a[:-1]
$a[:, <[ [0, 0] || [-1, 0] || @j ]>] *= %c
$t = $a[::-1, ::-1].T[<[ 0 || -1 || 1: ]>]
$t += @s
""",
    any="$a; $r0; $t",
)

idiom(
    "broadcast and in place",
    """
$a = @m * 1.0
$a += @v
$a[...] *= @v[None, :]
$a -= $a[:1]
$a[:, 0] += $a.sum(axis=1) * 0.1
$a /= 2.0 + np.abs($a).max(axis=<[ 0 || 1 || None ]>, keepdims=True)
$a[..., -1:] = <[ $a[..., :1] || @s || 1 || $a.mean(axis=1, keepdims=True) ]>
$b = np.broadcast_to(@v, $a.shape) + $a[0]
$c, $d = np.broadcast_arrays(@v, $a)
$e = np.sum($c * $d)
""",
    m="$a; $b",
    s="$e",
)

idiom(
    "real and imaginary views",
    """
$z = @v + 1j * @v2
$z.real <[ *= @s || += 1.0 || [0] = @s || [::2] = %c ]>
$z.imag[<[ 0 || -1 || 1: || ... ]>] = <[ @s || %c ]>
$y = $z<[ .conj() || .T || [::-1] || * 1j || .real ]>
$y *= <[ 2 || @s ]>
$u = np.array([@v, @v2]).T.copy().view(complex)
$u[0] *= 1j
$r = abs($z).sum() + np.sum(np.abs($y) ** 2) + np.sum($u.real * %c) + np.sum($u.imag)
$z += @v
$r = $r + ($z * $z.conj()).real.sum()
""",
    s="$r",
)
