"""Generators and itertools: state between items, finally, delegation, accumulation."""

from .idiom import idiom

idiom(
    "generator with state",
    """
def $smooth(x, rate, start=None):
    state = x[0] if start is None else start
    for i, e in enumerate(x):
        if i % 3 == 2:
            continue
        state = state * rate + e
        yield state, i
        if state > 50:
            return
---
$a = 0.0
for $e, $i in $smooth(@v, @s <[ || , %c || , start=@v2[0] ]>):
    $a += $e * ($i + 1)
    if $i > <[ 3 || 1 ]>:
        break
else:
    $a = $a * 2
$l = list($smooth(@v[::-1], %c))
$b = $l[-1][0] + len($l)
""",
    s="$a; $b",
)

idiom(
    "yield from and finally",
    """
def $parts(x, log):
    try:
        yield x[0]
        yield from (e * 2 for e in x[1:3])
        log.append(len(log))
        yield from $tail(x)
    finally:
        log.append(10)


def $tail(x):
    yield x[-1] * 3
    return 7
---
$log = []
$a = sum($parts(@v, $log))
$b = max($parts(@v2, $log)) * len($log) + sum($log)
""",
    s="$a; $b",
)

idiom(
    "sent values",
    """
def $average():
    total, n = 0.0, 0
    value = yield
    while value is not None:
        total, n = total + value, n + 1
        value = yield total / n
---
$gen = $average()
next($gen)
$s1 = [$gen.send(e) for e in @v]
$r = $s1[-1] * len($s1) + $s1[0]
""",
    s="$r",
)

idiom(
    "itertools",
    """
$acc = list(itertools.accumulate(@v <[ || , lambda a, b: a * %c + b || , operator.mul || , max ]>))
$pairs = [a * b for a, b in <[ itertools.pairwise(@v) || itertools.combinations(@v[:3], 2)
    || itertools.product(@v[:2], @v2[:2]) || itertools.zip_longest(@v, @v2[:1], fillvalue=@s)
    || zip(@v, itertools.cycle([1.0, @s])) || zip(@v, itertools.repeat(@s)) ]>]
$chain = list(itertools.chain([@s], @v[:1], *[@v2[:2]] * (@k % 2)))
$take = sum(itertools.islice(itertools.count(@s, %c), <[ 3
    || 1 + @k ]>)) + sum(itertools.compress(@v, @b)) + sum(itertools.takewhile(lambda e: e < 1.0, @v))
$grp = {key: sum(g) for key, g in itertools.groupby(@v, key=lambda e: e > 0)}
$t = sum($acc) + sum($pairs) + sum($chain) + $take + sum($grp.values())
""",
    s="$t; $acc[-1]",
)

idiom(
    "iterator class",
    """
class $Newton:
    def __init__(self, a, n):
        self.x, self.a, self.n = 1.0 + 0.0 * a, a, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        self.x = 0.5 * (self.x + self.a / self.x)
        return self.x
---
$r = None
$it = $Newton(2.0 + <[ @s || @v ]> ** 2, <[ 4 || 1 + @k % 4 ]>)
for $k, $r in enumerate($it):
    if $k == 1:
        $r = $r * %c
$n = $it.n + $k
""",
    any="$r; $it.x",
    k="$n",
)

idiom(
    "map, filter, zip, sorted",
    """
$a = list(map(lambda p, q: p * q + @s, @v, @v2))
$b = list(filter(lambda e: e > %c, $a)) or [@s]
$c = sorted(@v, key=lambda e: (e > 0, -e), reverse=<[ True || @k % 2 == 0 ]>)
$d = [i for i, _ in sorted(enumerate(@v), key=lambda p: p[1])]
$e = max(zip(@v, range(9)), key=lambda p: p[0])
$t = sum($b) + $c[0] * 2 + $c[-1] + $a[$d[0]] + $e[0] * $e[1] + min($a, key=abs) + any($a) + all($b)
$o = collections.OrderedDict(zip("abc", @v))
$o.move_to_end("a")
$t += sum(w * i for i, w in enumerate($o.values()))
""",
    s="$t",
)

idiom(
    "deque and counter",
    """
$q = collections.deque([@s], maxlen=<[ 3 || 2 ]>)
$c = collections.Counter()
$dd = collections.defaultdict(<[ float || int || lambda: @s ]>)
for $i, $e in enumerate(@v):
    <[ $q.append || $q.appendleft ]>($e * $q[<[ -1 || 0 ]>] + %c)
    $c[$i % 3] += 1
    $dd[<[ $i % 2 || $e > 0 ]>] += $e
    if $i == 2:
        $q.rotate(1)
$t = sum(w * (i + 1) for i, w in enumerate($q)) + sum($dd.values()) * len($dd) + $c.most_common(1)[0][1]
""",
    s="$t",
)

idiom(
    "reduce with a tuple",
    """
$lo, $hi, $n = functools.reduce(lambda a, e: (min(a[0], e), max(a[1], e), a[2] + 1), @v, (@s, @s, 0))
$poly = functools.reduce(lambda a, c: a * @s + c, @v<[ || [::-1] || [1:] ]>)
""",
    s="$lo; $hi; $poly",
    k="$n",
)
