"""Control flow: while with else, try in loops, exceptions with values, finally that overrides."""

from .idiom import idiom

idiom(
    "while with else and break",
    """
$i, $acc = 0, <[ 0.0 || 0 || @s ]>
while $i < len(@v):
    $i += 1
    if @v[$i - 1] > <[ %c || 5.0 || -5.0 ]>:
        <[ break || continue || $acc -= 1 ]>
    $acc = $acc + @v[$i - 1] * @s
    if $i > 5:
        break
else:
    $acc = $acc * <[ 2 || @s || 1.0 ]>
    $i = -1
""",
    s="$acc",
    k="$i",
)

idiom(
    "try within a loop",
    """
$out = []
for $q in <[ range(-1, 3) || (0, 1, 99) || [2, 0] ]>:
    try:
        $w = @v[<[ $q || $q * 2 ]>] / <[ $q || ($q + 1) || 1.5 ]>
        if $q == <[ 0 || 2 ]>:
            <[ continue || break || raise KeyError($q) || pass ]>
    except (ZeroDivisionError, IndexError):
        $w = @s
        <[ continue || pass ]>
    except KeyError as $e:
        $out.append($e.args[0] * @s)
    else:
        $out.append($w * %c)
    finally:
        $out.append(%c * (len($out) + 1))
$t = sum($o * ($n + 1) for $n, $o in enumerate($out))
""",
    s="$t",
)

idiom(
    "exception that carries values",
    """
class $Stop(Exception):
    def __init__(self, value, where):
        super().__init__(where)
        self.value = value


def $search(x, limit, deep=0):
    for i, e in enumerate(x):
        if e * e > limit:
            raise $Stop(x * e, i)
        if deep and i == 1:
            return $search(x[::-1], limit, deep - 1)
    return x
---
try:
    $r = $search(@v, %c, <[ 0 || 1 || @k % 2 ]>)
    $n = -1
except $Stop as $e:
    $r = $e.value * <[ @s || %c ]>
    $n = $e.args[0]
""",
    v="$r",
    k="$n",
)

idiom(
    "finally that returns",
    """
def $last(x, k):
    total = 0.0
    try:
        for i, e in enumerate(x):
            total += e * e
            if i == k:
                return total * 2.0
        return total
    finally:
        <[ total *= 100.0 || if k % 2:
            return total + x[0] || x[0] = total ]>
---
$w = @v.copy()
$a = $last($w, @k)
$b = $last($w, 0) + $w[0]
""",
    s="$a; $b",
)

idiom(
    "suppressed and stacked contexts",
    """
$t = @s
with contextlib.suppress(<[ IndexError || (IndexError, ZeroDivisionError) || Exception ]>):
    $t = $t * %c
    $t = $t + @v[<[ 0 || 50 || @k * 3 ]>]
    $t = $t * 2.0
with contextlib.ExitStack() as $stack:
    $got = []
    $stack.callback($got.append, 1)
    for $u in range(@k % 3):
        $stack.callback(lambda u=$u: $got.append(u * $t))
$n = len($got)
$t = $t + sum($got)
""",
    s="$t",
    k="$n",
)

idiom(
    "nested loops left by a flag",
    """
$done = False
$best = -np.inf
for $a in range(len(@v)):
    for $b in range($a, <[ len(@v) || $a + 2 ]>):
        $val = @v[$a] * @v[$b % len(@v)] <[ + @s || - $b ]>
        if $val > $best:
            $best, $at = $val, ($a, $b)
        elif $val < -%c:
            $done = True
            break
        if $b - $a >= 2:
            continue
        $done = $done or <[ $a > 3 || @b[$a] ]>
    else:
        if $done:
            break
        continue
    break
""",
    s="$best; $val",
    k="$at[0] + $at[1]",
)

idiom(
    "match of structures",
    """
def $area(shape):
    match shape:
        case ("circle", r):
            return 3.0 * r * r
        case ("box", w, h) if w is not h:
            return w * h
        case {"kind": "line", **rest}:
            return sum(rest.values()) * 0.5
        case [first, *others]:
            return first + $area(others) if others else first
        case float() | int() | np.floating():
            return shape * 2.0
        case _:
            return -1.0
---
$t = sum(
    $area(p)
    for p in [("circle", @s), ("box", @s, @v[0]), {"kind": "line", "a": @v[1]}, [@s, 2.0, %c], @s, "no"]
)
""",
    s="$t",
)

idiom(
    "reraised and chained",
    """
def $guard(x, k):
    try:
        y = x[k] * 2.0
        try:
            return y / (k - 1)
        except ZeroDivisionError:
            x[0] = y
            raise
        finally:
            x[1] += 1.0
    except IndexError as e:
        raise ValueError("far") from e
---
$w = @v.copy()
$sum = 0.0
for $q in (0, 1, 77, 1):
    try:
        $sum = $sum + $guard($w, $q)
    except ValueError:
        $sum = $sum + @s
    except ArithmeticError:
        $sum = $sum * %c + $w[0]
""",
    v="$w",
    s="$sum",
)

idiom(
    "conditional chains",
    """
$a = @s if @k > 2 else (@v[0] if @k == 1 else (%c if not @k else -@s))
$b = (@s > 0 and @v[0]) or %c
$c = -1.0 < @v[0] < %c <= 3.0
$d = ($e := @s * 2.0) + $e if $c else ($e := %c) - @s
$f = [@s, %c][bool($c)] * ($e or 1.0)
$a += {True: @s, False: %c}[bool($c)]
""",
    s="$a; $b; $d; $f",
)

idiom(
    "loop over changing containers",
    """
$todo = [@s, *@v[:2]]
$seen = {}
while $todo:
    $h = $todo.pop(<[ 0 || ]>)
    $seen[len($seen)] = $h
    if len($seen) < <[ 4 || 5 || 3 + @k % 3 ]>:
        $todo += [$h * %c] * <[ 1 || (len($seen) % 2) ]>
    if len($seen) > 7:
        del $todo[:]
$t = sum(w * (key + 1) for key, w in $seen.items())
for $key in list($seen):
    if $key % 2:
        $t = $t + $seen.pop($key) ** 2
$t += len($seen)
""",
    s="$t",
)

idiom(
    "sum by for with step",
    """
$acc = np.zeros(3)
for $p in range(<[ len(@v) - 1, -1, -1 || 0, len(@v), 2 || @k, -2, -3 || len(@v) ]>):
    $acc[$p % 3] += @v[$p]
    $acc[<[ ($p + 1) % 3 || -1 ]>] *= <[ %c || @s ]>
    if $acc[0] > 3.0:
        $acc <[ = || [:] = ]> $acc / 2.0
""",
    any="$acc",
)
