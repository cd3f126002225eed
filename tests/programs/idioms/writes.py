"""Writes: ufuncs with out and where, methods of ufuncs, masks, repeated places, functions that write."""

from .idiom import idiom

idiom(
    "ufuncs with out and where",
    """
$a = @v.copy()
$o = <[ np.zeros_like($a) || np.full(len($a), @s) || @v2 * 1.0 || np.ones(len($a)) ]>
np.<[ multiply || add || subtract ]>($a, <[ @s || @v2 ]>, out=$o, where=<[ @b || $a > 0 || True || ~@b ]>)
$r = np.<[ exp || sin || tanh ]>($a, $o<[ || [::-1] ]>, where=$a < %c)
np.add($a[1:], $a[:-1], out=$a[<[ 1: || :-1 ]>])
$r <[ *= || += ]> @s
np.sqrt($a * $a + 1.0, out=$a, where=@b)
""",
    v="$a; $o",
    any="$r",
)

idiom(
    "two results with out",
    """
$a = @v * 3.0 + 0.123
$i, $f = np.empty(len($a)), np.empty(len($a))
np.<[ modf($a, out=($f, $i)) || modf($a, $f, $i) || divmod($a, 0.7, out=($i, $f)) ]>
$q, $r = <[ divmod($a, %c) || np.divmod($a, %c) || (np.floor_divide($a, 0.9), np.remainder($a, 0.9)) ]>
$m, $e = np.frexp($a)
""",
    v="$f; $r; $m",
    any="$i; $q; $e",
)

idiom(
    "methods of ufuncs",
    """
$a = np.<[ add || multiply || maximum || minimum || logaddexp || hypot ]>.reduce(<[ @v || @m ]><[
    || , axis=-1 || , axis=0 || , keepdims=True || , axis=None || , initial=%c ]>)
$b = np.<[ add || multiply || maximum || minimum ]>.accumulate(<[ @v || @v2[::-1] ]>)
$c = np.<[ subtract || multiply || add || maximum || arctan2 ]>.outer(@v, @v2 + 0.01)
$d = np.add.reduceat(@v, <[ [0, 1] || [1, 0] || [0, 0, 1] ]>)
$e = np.add.reduce(@m, where=<[ @b || @m > 0 ]>, axis=<[ 0 || 1 || None ]>)
np.<[ add || subtract || multiply ]>.at($b, <[ [0, 0, 1] || @j || (np.array([0, -1]),) ]>, <[ @s || 2.0 ]>)
""",
    any="$a; $c; $d; $e",
    v="$b",
)

idiom(
    "masks",
    """
$a = @v.copy()
$k = <[ @b || $a > @v2 || np.isfinite($a) || $a == $a.max() || ~@b & ($a < 1) || np.zeros(len($a), bool) ]>
$a[$k] <[ *= @s || = @s || += @v2[$k] || -= $a[$k].sum() || = @v2[: $k.sum()] ]>
$a[~$k] = -$a[~$k]
$g = $a[$k]
$g += 1.0
$w = np.where($k, <[ $a || @s || 1 ]>, <[ @v2 || np.sqrt(np.abs($a) + 1) || 0 ]>)
$i = np.flatnonzero($k)
$w[$i] = $w[$i[::-1]] * 2
$b = @m.copy()
$b[<[ :, $k || $b > 0 || 0, $k || ..., ~$k ]>] *= %c
$n = np.count_nonzero($k) + int($k.any())
""",
    v="$a; $w",
    any="$g",
    m="$b",
    k="$n",
)

idiom(
    "places with repeats",
    """
$a = @v.copy()
$a[@j] <[ += @v2 || = @v2 || *= @s || += 1 ]>
$g = $a[@j[:, None] % len($a)]
$g[0] = @s
$h = $a[[0, -1, 0]] * [1.0, @s, 2]
$a[[0, 0, 1]] = $h
$m2 = @m[<[ :, @j || [0, -1, 0] || [0, 0], [1, -1] || @j % len(@m), @j ]>]
$m2 <[ *= 2 || += @s ]>
$t = np.take($a, @j<[ || , mode="wrap" || , axis=0 ]>) + np.take(@m, @j, axis=1)[0]
np.put($a, [1, 1], [@s, %c])
np.add.at($a, @j, <[ @v2 || @s ]>)
$bc = np.bincount(@j % len($a), weights=$a, minlength=len($a))
""",
    v="$a; $t; $bc",
    any="$g; $h; $m2",
)

idiom(
    "functions that write",
    """
$a = @v.copy()
np.<[ copyto($a, @v2, where=@b) || putmask($a, @b, [@s, %c]) || place($a, @b, [@s, %c])
    || put_along_axis($a, np.argsort(@v2), @s * @v2, 0) || copyto($a[::-1], @v2) ]>
$a.<[ sort() || partition(1) || fill(@s) || put([0, 1], @s) || clip(-0.5, %c, out=$a) || cumsum(out=$a)
    || round(1, out=$a) ]>
$b = np.<[ nan_to_num($a, copy=False) || clip($a, None, @s, out=$a) || maximum($a, @s, out=$a)
    || cumprod($a, out=$a) || take(@v2, @j, out=$a, mode="clip") || multiply.accumulate($a, out=$a) ]>
$b[0] += %c
""",
    v="$a; $b",
)

idiom(
    "augmented operators",
    """
$a, $b = @v.copy(), <[ @v || @v2 || 2 || @s ]>
$al = $a
$a <[ **= 2 || **= 3 || //= 0.7 || %= 0.9 || @= np.eye(len($a)) * @s ]>
$a = $a * 1.0
$a += $al
$c = @s
$cl = $c
$c <[ **= 2 || //= 0.3 || %= 0.7 || -= $b ]>
$d = [@v, @s]
$d[0] <[ += 1 || *= $b ]>
$d[1] += 1
$t = (@v * 1.0,)
$t[0][...] *= 2.0
$e = {"a": $a}
$e["a"] -= 1
""",
    v="$a; $al; $t[0]",
    any="$c; $cl; $d[0]; $d[1]",
)

idiom(
    "order statistics",
    """
$o = np.argsort(@v)
$s1 = @v[$o]
$r = np.empty_like($s1)
$r[$o] = np.arange(len($o)) * @s + @v2
$q = np.<[ sort(@m, axis=0) || sort(@m) || partition(@m, 1, axis=1) || flip(@m, 1)
    || roll(@m, (1, -2), (0, 1)) || take_along_axis(@m, np.argsort(@m, axis=1), 1) ]>
$u = np.<[ unique(@j) || searchsorted($s1, @v2) || digitize(@v2, $s1) || lexsort((@v2, @v)) ]>
$e = np.<[ median(@v) || percentile(@v, 30) || quantile(@m, %c / 2) || ptp(@v) || interp(@s, $s1, @v2) ]>
$w = np.<[ select([@v > 1, @b], [@v, @s * @v2], %c) || choose(@j % 2, [@v, @v2])
    || piecewise(@v, [@v < 0, @v >= 0.5], [lambda t: t * @s, %c, np.sin]) || where(@b, @v, @s) ]>
""",
    v="$s1; $r; $w",
    m="$q",
    s="$e",
    any="$u",
)

idiom(
    "branches that give nan",
    """
with np.errstate(all="ignore"):
    $a = np.where(@v > 0, np.<[ log(@v) || sqrt(@v) || power(@v, @s * 0 + 0.3)
    || log1p(-1 - @v) ]>, @s * @v)
    $b = np.where(np.isnan(np.sqrt(@v2)), @s, np.sqrt(np.abs(@v2) + 0.1))
    $x = @v * 1.0
    $x[@b] = np.nan
    $c = np.<[ nansum($x) || nanmean(np.append($x, @s)) || nanmax(np.append($x, @s))
    || sum($x[~np.isnan($x)]) || nansum($x * @v2) || nanstd(np.append($x, [@s, 0.2])) ]>
    $d = np.sum($x, where=~@b) + np.nan_to_num($x).sum()
    $e = np.where($x == $x, $x, 1.0)
""",
    v="$a; $b; $e",
    s="$c; $d",
)
