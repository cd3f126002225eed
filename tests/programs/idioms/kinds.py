"""Kinds of numbers and lengths: single precision, ints, bools, complex, arrays of nothing or of one."""

from .idiom import idiom

idiom(
    "single precision",
    """
$f = @v.astype(np.float32)
$g = $f * <[ %c || np.float64(%c) || np.float32(%c) || @s || 2 || np.array([%c]) || np.array(%c) ]>
$f += @v2
$f[0] = @s
$h = $f.sum() <[ + 1.0 || * np.float64(2) || ** 2 || / 3 ]>
$i = np.<[ concatenate([$f, @v]) || where(@b, $f, 1.0) || where(@b, $f, @v) || maximum($f, 0.1)
    || dot($f, @v) || hypot($f, 1) ]>
$d = float($g.dtype.itemsize + $f.dtype.itemsize + $h.dtype.itemsize + $i.dtype.itemsize)
$z = $f.astype(float) * $d
""",
    v="$z",
    s="$d",
)

idiom(
    "ints beside floats",
    """
$n = np.arange(len(@v))
$q = $n <[ // 2 || % 3 || ** 2 || * 0.5 || / 2 || > 1 || & 1 || << 1 || * True ]>
$a = @v * $q + $n
$c = np.zeros(len(@v), dtype=<[ int || np.int8 || np.uint8 || bool || np.float32 ]>)
$c[<[ 0 || -1 || 1: ]>] = <[ @k || 3 || True ]>
$c <[ += 1 || |= True || *= 2 || += @b ]>
$s1 = @v @ $c + $c.sum() * @s
$m1 = np.mean($n) + $n.max() / (1 + @k) + divmod(@k, 2)[1] * @s
$p = @v ** $n[1] + 2.0 ** $q + (-1) ** $n
$e = np.array([1, @s, True])
$l = np.array([@k, 2]) * @s + [1, True]
""",
    v="$a; $p",
    s="$s1; $m1",
    any="$e; $l; $c",
)

idiom(
    "bools as numbers",
    """
$c = @v > <[ 0 || @s ]>
$a = $c * @v + ($c & @b) * @s + ~$c
$d = $c.sum() * @s + $c.mean() + np.sum(@v[$c]) + ($c | @b).any() + ($c ^ @b).all()
$e = (@s > 0) + (@s > 0.5) * @s + (not @k) * 2.0
$g = np.cumsum($c) * @v
$h = @v[$c.argmax()] + True
""",
    v="$a; $g",
    s="$d; $e; $h",
)

idiom(
    "complex numbers",
    """
$z = <[ @v * 1j + @s || np.exp(1j * @v) || np.array(@v, dtype=complex) || complex(@s, %c) * @v ]>
$z[0] = <[ @s || 1j || %c ]>
$z[1:] *= <[ $z[:-1] || 1j || @s || (1 + 2j) ]>
$w = $z<[ ** 2 || .conj() || / (2 + 1j) || * $z.conj() || [::-1] ]>
$r = $w.real * %c + <[ $w.imag || np.angle($z + 3) || np.abs($z + 2) ]>
$c = complex(@s, @v[0]) * (%c - 2j)
$m1 = np.vdot($z, $w).real + abs($c) + $c.imag + (@s * 1j * $c).real
$f = np.fft.<[ fft(@v).real || ifft($z).real || rfft(@v).imag || irfft(np.fft.rfft(@v), len(@v))
    || fft(@v, axis=0).imag ]>
""",
    v="$r",
    s="$m1",
    any="$f",
)

idiom(
    "arrays of nothing",
    """
$e = @v[<[ 5:2 || len(@v): || :0 || np.zeros(len(@v), bool) || [] || @v > 1e9 ]>]
$a = $e.sum() + np.prod($e) * @s + len($e)
$e += 1.0
$c = np.concatenate([$e, @v, $e * 2])
$d = sum($e, @s) + sum(np.append($e, @s))
for $w in $e:
    $d = $d * $w
$f = np.max($e, initial=@s) + np.sum(@m[:0] @ @v) + np.sum(@m[:, :0].sum(axis=1))
$g = (np.zeros((0, len(@v))) * @v).sum(axis=0) + @v
$h = np.stack([$e, $e]).T.reshape(-1) if $e.size else np.zeros(2) + @s
""",
    v="$c; $g",
    s="$a; $d; $f",
    any="$h",
)

idiom(
    "arrays of one",
    """
$o = @v[<[ :1 || -1: || [0] || None, 0 ]>]
$a = @v * $o
$b = $o + @m
$o <[ *= 2 || += @s || [0] = @s ]>
$c = np.squeeze($o) * $o + $o.item() + float($o[0])
$d = @m[:1] * @v[:, None][:1] + @m[:, :1]
$e = np.ones((1, 1)) * @s
$e[0] += @v[0]
$f = $e.sum() + $e[0, 0] + np.atleast_2d(@s)[0, 0]
""",
    v="$a",
    m="$b",
    any="$c; $d; $e",
    s="$f",
)

idiom(
    "arrays without axes",
    """
$z = np.<[ array(@s) || asarray(@s) || sum(@v, keepdims=True)[0] || array(@v[0]) || zeros(()) + @s ]>
$a = $z * 2 + $z[()] <[ + $z.item() || * float($z) || + $z.sum() || - $z.T ]>
$w = np.array(@s)
$w[...] = $w * %c
$w <[ += || *= ]> @s
$q = np.full((), %c)
$q += @v[0]
$t = isinstance($a, np.ndarray) + 2 * isinstance($w, np.ndarray) + $w.ndim + np.ndim($q)
$u = @v * $w + $q
""",
    v="$u",
    any="$a; $w; $q",
    s="$t * @s",
)

idiom(
    "conversions",
    """
$i = int(@s * 10) + int(@v[0] > 0) + round(@s)
$a = float(@v[0]) * @s + float(@k) + abs(-@s) + round(@s, 1)
$l = @v.tolist()
$l[0] *= 2
$b = np.asarray($l) * $i + np.array(tuple($l)) + np.array([*$l])
$c = np.fromiter((e * @s for e in @v), float) + np.array(list(map(float, @v)))
$d = @v.astype(int).astype(float) + @v.astype(<[ np.float32 || complex || float ]>).real
$t = np.float64(@s) * 2 + np.int64(@k) * @s + bool(@s) + @v.dtype.itemsize + np.result_type(@v, @j).itemsize
$h = np.hypot(*@v[:2]) + math.hypot(@s, %c) + math.fsum(@v) + math.prod([@s, 2, %c]) + np.linalg.norm(@v)
""",
    v="$b; $c; $d",
    s="$a; $t; $h",
)

idiom(
    "matrices",
    """
$g = @m @ @m.T + np.eye(len(@m)) * 3.0
$x = np.linalg.<[ solve($g, @m @ @v) || inv($g)[0] || cholesky($g)[:, 0] || eigvalsh($g)
    || lstsq($g, @m[:, 0], rcond=None)[0] || svd(@m, compute_uv=False) ]>
$x[0] <[ *= || += ]> @s
$d = np.linalg.<[ det($g) || slogdet($g)[1] || norm($g) || norm($g, axis=0).sum() || cond($g) ]>
$k = np.einsum(<[ "ij,j->i" || "ij,j->j" || "ij,j" || "ji,i->j" ]>, @m, @v) if True else 0
$t = np.tensordot(@m, @v, <[ 1 || ([1], [0]) ]>) + (@m * @v).sum(-1)
$o = np.kron(@v[:2], [1.0, @s]) + np.cross([@s, 1, 2], @m[0][:3])[0] if len(@v) > 2 else @v[:1]
$p = np.triu($g, 1) + np.tril($g)[::-1] - np.diag(np.diag($g))
""",
    s="$d",
    any="$x; $k; $t; $o; $p",
)

idiom(
    "cumulative and shifted",
    """
$a = np.<[ cumsum(@v) || cumprod(@v) || diff(@v, prepend=@s) || ediff1d(@v, to_end=@s) || gradient(@v)
    || roll(@v, @k) || convolve(@v, [1, @s, %c], "same") || flip(@v) || pad(@v, 1, mode="edge")[:-2]
    || tile(@v, 2)[: len(@v)] || repeat(@v, 2)[::2] || insert(@v, 1, @s)[:-1] || append(@v[1:], @s)
    || delete(np.append(@v, @s), 0) || polyval([@s, 1, %c], @v) || trapezoid(@m, axis=0)
    || cov(@m, rowvar=False)[0] || correlate(@v, @v2, "same") || interp(@v, [-2, 0, 2], [@s, 1, @s])
    || vander(@v, 3)[:, 0] || outer(@v, @v2).T[0] || resize(@v2, len(@v))
    || average(@m, axis=0, weights=np.arange(1, len(@m) + 1.0)) || rot90(@m, 2)[0]
    || meshgrid(@v, @v2)[0][-1] || atleast_2d(@v)[0] || apply_along_axis(np.cumsum, 0, @v)
    || vectorize(lambda t: t * @s)(@v) || unwrap(@v) || sinc(@v) || heaviside(@v, 0.5) * @v ]>
$a = $a * <[ 1.0 || @s ]>
$a[-1] += %c
""",
    v="$a",
)
