"""Names: closures that rebind, defaults, comprehension scopes, forwarded arguments, decorators."""

from .idiom import idiom

idiom(
    "counter by nonlocal",
    """
$n, $total = 0, <[ 0.0 || @s ]>


def $step(e, *, by=@s):
    nonlocal $n, $total
    $n += 1
    if $n > 2:
        by = by * 0.5
    $total = $total * by + e
    return $total


$seen = [$step(e) for e in @v[:4]] + [$step(1.0, by=%c)]
$r = $total * $n + sum($seen)
""",
    s="$r",
    k="$n",
)

idiom(
    "nonlocal array",
    """
def $accumulate(x, times):
    buf = x * 1.0
    old = buf

    def push(e):
        nonlocal buf
        <[ buf = buf + e || buf += e || buf, e = buf * e, buf ]>
        buf[0] = e if np.ndim(e) == 0 else e[0]
        return push if times else None

    for i in range(times + 1):
        push(x[-1 - i])
    return buf, old
---
$p, $q = $accumulate(@v, <[ 0 || 2 || @k % 3 ]>)
""",
    v="$p; $q",
)

idiom(
    "late and early binding",
    """
$late = [lambda t: t * i + @s for i in range(3)]
$early = [lambda t, i=i: t**i + @s for i in range(3)]
$x = @s
$get = lambda: $x * 2.0
$x = $x + <[ %c || @v[0] ]>
$a = sum(g(@v[0]) for g in $late) + sum(g(%c) for g in $early) + $get()
for $x in @v[:2]:
    $a += $get()
""",
    s="$a",
)

idiom(
    "default that is kept",
    """
def $memo(e, cache={}, log=[]):
    log.append(len(log))
    key = len(cache) % 2
    if key not in cache:
        cache[key] = 0
    cache[key] += 1
    return e * cache[key] + len(log)
---
$a = $memo(@s) + $memo(@v[0], {}) + $memo(@s)
""",
    s="$a",
)

idiom(
    "comprehension scopes",
    """
$i = %c
$grid = [[a * b + $i for $i in (1.0, @s)] for a in @v[:2] for b in @v2 if b > -50]
$flat = [q for row in $grid for q in row if q != 0]
$d = {j: (last := e * @s) for j, e in enumerate(@v)}
$set = {int(j) % 3 for j in range(@k + 1)}
$t = sum($flat) * $i + sum($d.values()) + last + sum($set)
$u = sum(x * y for x, y in zip(@v, (e + $i for e in @v[::-1])))
""",
    s="$t; $u",
)

idiom(
    "forwarded arguments",
    """
def $base(a, b=2.0, /, *args, c, d=%c, **kw):
    return a * c + b * d + sum(args) + sum(v * (i + 1) for i, v in enumerate(kw.values()))


def $outer(*args, **kw):
    kw = {"c": 1.5, **kw}
    head, *tail = args
    return $base(head, *tail, **kw)
---
$opts = dict(d=@s) | {"e": @v[0]}
$a = $outer(@s, c=@v[-1], **$opts)
$b = $outer(*@v[:2], @s, **{"z": %c, "y": @s}) + functools.partial($outer, @s, c=%c)(%c, q=@v[1])
$opts["d"] = %c
$a += $outer(%c, <[ @s || @v[1] ]>, **$opts)
""",
    s="$a; $b",
)

idiom(
    "decorators",
    """
def $counted(by):
    def decorate(f):
        @functools.wraps(f)
        def inner(*a, **k):
            inner.calls += 1
            return f(*a, **k) * by + inner.calls * 0.1

        inner.calls = 0
        return inner

    return decorate


@$counted(%c)
@$counted(2)
def $g(x, p=1):
    return np.sin(x) ** p
---
$a = $g(@v) + $g(@s, p=2)
$b = $g.calls
$g.calls = 0
$g.__wrapped__.calls = 0
""",
    v="$a",
    k="$b",
)

idiom(
    "recursive closure",
    """
def $halve(x, depth, visit=None):
    visits = []

    def go(a, d):
        visits.append(d)
        if d == 0 or len(a) < 2:
            return np.sum(a) * <[ 1.0 || len(visits) ]>
        mid = len(a) // 2
        return go(a[:mid], d - 1) * go(a[mid:], d - 1) + a[0]

    return go(x, depth), len(visits)
---
$a, $b = $halve(@v, <[ 2 || @k % 3 ]>)
""",
    s="$a",
    k="$b",
)

idiom(
    "globals that change",
    """
$COUNT = 0
$LAST = []


def $note(v):
    global $COUNT
    $COUNT += 1
    $LAST.append(np.sum(v) if $COUNT % 2 else 0.0)
    return v * (1 + $COUNT % 2)
---
$a = $note(@v)
$b = $note(@s)
""",
    v="$a",
    s="$b",
)

idiom(
    "composed functions",
    """
def $compose(*fs):
    return functools.reduce(lambda f, g: lambda t: g(f(t)), fs, lambda t: t)
---
$f = $compose(np.sin, lambda t: t * @s, *[lambda t, c=c: t + c for c in (@v[0], %c)][: @k % 3])
$table = {"f": $f, "g": operator.neg, 2: operator.itemgetter(0)}
$a = $table["f"](@v) + $table["g"](@v2)
$b = $table[2]($a)
""",
    v="$a",
    s="$b",
)

idiom(
    "unpacking",
    """
($a, ($b, *$c)), $d = (@s, [@v[0], %c, @v[1]]), (1, 2)
[$e, $f] = $c
$g, *$h = @v
*$p, $q = zip(@v, @v2)
$a, $b = $b, $a
$h[0], $h[-1] = $h[-1], $h[0] * 2
$t = $a * 2 + $b + sum($h) + $q[0] * $q[1] + sum(l * r for l, r in $p) * $d[1]
$x = $y = [@s]
$x += [$e]
$y[0] *= 3
""",
    s="$t; $f; sum($x)",
)

idiom(
    "aliased lists",
    """
$rows = [[0.0] * 2] * 2 + [[@s, %c]]
$rows[0][1] = @v[0]
$rows[-1][<[ 0 || -1 ]>] += 1
$cp = <[ list($rows) || $rows[:] || copy.deepcopy($rows) || $rows || [r[:] for r in $rows] ]>
$cp[1][0] = @s * 2
$cp[0] = [%c, @s]
$tup = (@v, [@s])
$tup[1].append(%c)
$tup[1][0] *= 2.0
$t = sum(sum(r) * (i + 1) for i, r in enumerate($rows)) + sum(map(sum, $cp)) + sum($tup[1])
""",
    s="$t",
)

idiom(
    "dict of state",
    """
$p = {"w": @v, "b": @s, "n": {"k": %c, "l": [1, @s]}}
$q = <[ dict($p) || $p.copy() || copy.deepcopy($p) || $p | {} || {**$p} ]>
$q["b"] = $q["b"] * 2
$q["n"]["k"] += @s
$q["n"]["l"][0] = @v[0]
$p["w"] = $p["w"] + $p.pop("b")
$r = $p.setdefault("c", @s * 3) + $p.get("b", %c) + len($p)
$q.update(w=@v2, z=%c)
$r += sum(np.sum(v) for k, v in sorted($q.items()) if k != "n") + $p["n"]["k"] + sum($p["n"]["l"])
for $k, $key in enumerate($p):
    $r += $k * (key_ := len($key))
""",
    v='$p["w"]; $q["w"]',
    s="$r",
)
