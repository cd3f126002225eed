"""Objects: properties, operators, inheritance, dataclasses, descriptors, what they keep between calls."""

from .idiom import idiom

idiom(
    "property with a setter",
    """
class $Tank:
    def __init__(self, level, rate=%c):
        self._level = level
        self.rate = rate
        self.sets = 0

    @property
    def level(self):
        return self._level * self.rate

    @level.setter
    def level(self, value):
        self.sets += 1
        self._level = value / self.rate + self.sets
---
$t = $Tank(@v)
$t.level = $t.level + <[ @s || @v2 || %c ]>
$t.level *= %c
$t.rate <[ = || += ]> %c
""",
    v="$t.level",
    k="$t.sets",
)

idiom(
    "called layers",
    """
class $Layer:
    count = 0

    def __init__(self, w, act=np.tanh):
        self.w, self.act = w, act
        type(self).count += 1

    def __call__(self, x, *rest, scale=1.0):
        y = self.act(self.w * x * scale)
        return y if not rest else y + sum(rest)


class $Deep($Layer):
    def __call__(self, x, *rest, **kw):
        kw.setdefault("scale", %c)
        return super().__call__(super().__call__(x, **kw), *rest, **kw)
---
$net = [$Layer(@v), $Deep(@s, <[ np.sin || np.cos || lambda t: t / (1 + t * t) ]>), $Deep(%c)]
$h = @v2
for $k, $l in enumerate($net):
    $h = $l($h, *[@s] * ($k % 2), **({"scale": %c} if $k else {}))
$c = $Layer.count + $Deep.count
$Layer.count = $Deep.count = 0
""",
    v="$h",
    k="$c",
)

idiom(
    "operators of a class",
    """
class $Dual:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, o):
        return $Dual(self.a + o.a, self.b + o.b) if isinstance(o, $Dual) else $Dual(self.a + o, self.b)

    __radd__ = __add__

    def __mul__(self, o):
        if not isinstance(o, $Dual):
            return NotImplemented if isinstance(o, str) else $Dual(self.a * o, self.b * o)
        return $Dual(self.a * o.a, self.a * o.b + self.b * o.a)

    def __rmul__(self, o):
        return self * o

    def __iadd__(self, o):
        self.a = self.a + o
        return self

    def __neg__(self):
        return $Dual(-self.a, -self.b)

    def __getitem__(self, i):
        return (self.a, self.b)[i]

    def __len__(self):
        return 2

    def __eq__(self, o):
        return self is o

    __hash__ = None
---
$d = $Dual(@s, %c)
$e = $d
$d = 2.0 * $d * $d + %c
$e += <[ @s || 1 ]>
$d += 1.5
$p, $q = -($d * $e)
$r = sum([$d, $e], $Dual(0.0, 0)).a
""",
    s="$p; $q; $r",
)

idiom(
    "container of its own",
    """
class $Ring:
    def __init__(self, items):
        self.items = list(items)
        self.reads = 0

    def __getitem__(self, i):
        self.reads += 1
        if isinstance(i, slice):
            return $Ring(self.items[i])
        return self.items[i % len(self.items)]

    def __setitem__(self, i, value):
        self.items[i % len(self.items)] = value

    def __delitem__(self, i):
        del self.items[i]

    def __len__(self):
        return len(self.items)

    def __contains__(self, v):
        return any(v is w for w in self.items)

    def __iter__(self):
        yield from self.items
---
$r = $Ring([@s, %c, *@v[:2]])
$r[@k] += <[ @v2[-1] || @s * %c || 1 ]>
$r[-1], $r[0] = $r[0] * %c, $r[7]
$a = sum($r) + $r[@k + 3]
$b = sum($r[<[ 1: || ::2 || ::-1 ]>]) * len($r) + $r.reads
del $r[0]
$c = sum($w * $w for $w in $r) + (@s in $r)
""",
    s="$a; $b; $c",
)

idiom(
    "dataclass with defaults",
    """
@dataclasses.dataclass
class $State:
    pos: object
    vel: object = 0.0
    log: list = dataclasses.field(default_factory=list)
    steps: int = 0

    def __post_init__(self):
        self.energy = np.sum(self.pos**2) + np.sum(self.vel) ** 2

    def moved(self, dt, **change):
        new = dataclasses.replace(self, pos=self.pos + dt * self.vel, steps=self.steps + 1, **change)
        new.log.append(new.energy)
        return new
---
$s0 = $State(@v, vel=<[ @v2 || @s || 0.5 ]>)
$s1 = $s0.moved(%c)
$s2 = $s1.moved(@s, vel=-$s1.pos <[ || , log=[] || , log=[@s] ]>)
$n = len($s0.log) * 10 + len($s2.log) + $s2.steps
$a = sum($s0.log) + sum($s2.log)
$s0.pos = $s2.pos
""",
    v="$s0.pos; $s1.pos",
    s="$a",
    k="$n",
)

idiom(
    "slots and class methods",
    """
class $Rot:
    __slots__ = ("c", "s")
    made = []

    def __init__(self, c, s):
        self.c, self.s = c, s

    @classmethod
    def of(cls, angle, *more):
        one = cls(np.cos(angle), np.sin(angle))
        return one if not more else one @ cls.of(*more)

    @staticmethod
    def size(a, b):
        return a * a + b * b

    def __matmul__(self, o):
        return type(self)(self.c * o.c - self.s * o.s, self.s * o.c + self.c * o.s)

    def __call__(self, x, y):
        return self.c * x - self.s * y, self.s * x + self.c * y
---
$r = $Rot.of(<[ @s || @v[0] ]>, %c, @v[-1])
$a, $b = $r(@v, @v2)
$b, $a = ($r @ $r)($a, $b)
$z = $Rot.size($r.c, %c) + $r.size(*$r(1.0, @s))
""",
    v="$a; $b",
    s="$z",
)

idiom(
    "cached property",
    """
class $Model:
    def __init__(self, w, b):
        self.w, self.b = w, b
        self.calls = 0

    @functools.cached_property
    def norm(self):
        self.calls += 1
        return np.sqrt(np.sum(self.w**2) + 1.0)

    def __getattr__(self, name):
        if name.startswith("w_"):
            return self.w[int(name[2:])]
        raise AttributeError(name)
---
$m = $Model(@v, @s)
$a = $m.norm * %c
$m.w = $m.w * 2.0
$b = $m.norm + $m.w_0 * $m.w_1
<[ del $m.norm || $m.__dict__.pop("norm", None) || $m.norm = @s ]>
$a += $m.norm * getattr($m, <[ "w_1" || "other" ]>, %c)
""",
    s="$a; $b",
    k="$m.calls",
)

idiom(
    "descriptor and setattr",
    """
class $Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else np.exp(getattr(obj, self.name))

    def __set__(self, obj, value):
        setattr(obj, self.name, np.log(value))
        obj.changes.append(self.name)


class $Gas:
    p = $Positive()
    t = $Positive()

    def __init__(self, p, t):
        self.changes = []
        self.p, self.t = p, t
---
$g = $Gas(1.0 + @s**2, 2.0 + @v[0] ** 2)
$g.p += %c
$g.t, $g.p = $g.p, $g.t * 1.5
$a = $g.p / $g.t + len($g.changes)
$b = $g._p * (2.0 if $g.changes[-1] == "_p" else 3.0)
""",
    s="$a; $b",
)

idiom(
    "named tuple with methods",
    """
class $Pair(typing.NamedTuple):
    lo: object
    hi: object = 1.0

    @property
    def mid(self):
        return 0.5 * (self.lo + self.hi)

    def split(self):
        return $Pair(self.lo, self.mid), self._replace(lo=self.mid)
---
$p = $Pair(<[ @s || @v ]>, <[ @v2 || %c ]>)
$l, $r = $p.split()
$todo = [$l, $r]
while len($todo) < 5:
    $todo.extend($todo.pop(<[ 0 || -1 ]>).split())
$t = sum($q.mid * ($i + 1) for $i, $q in enumerate($todo)) + sum(map(np.sum, $p[::-1]))
$lo, *$rest = $todo[-1]
""",
    any="$t; $lo; $rest[0]",
)

idiom(
    "abstract base and registry",
    """
class $Kernel(abc.ABC):
    known = {}

    def __init_subclass__(cls, key=None, **kw):
        super().__init_subclass__(**kw)
        $Kernel.known[key] = cls

    @abc.abstractmethod
    def one(self, d): ...

    def all(self, x):
        return [self.one(a - b) for i, a in enumerate(x) for b in x[:i]]


class $Gauss($Kernel, key="gauss"):
    width = %c

    def one(self, d):
        return np.exp(-self.width * d * d)


class $Cauchy($Gauss, key="cauchy"):
    def one(self, d):
        return 1.0 / (1.0 + d * d) + 0.1 * super().one(d)
---
$s = 0.0
for $key, $cls in sorted($Kernel.known.items()):
    $ker = $cls()
    if @k % 2:
        $ker.width = @s**2
    $s += sum($ker.all(@v)) * len($key)
""",
    s="$s",
)

idiom(
    "state kept in a module's object",
    """
class $Averages:
    def __init__(self):
        self.n, self.mean, self.seen = 0, 0.0, []

    def add(self, v):
        self.n += 1
        self.mean += (v - self.mean) / self.n
        self.seen.append(self.n)
        return self


$AVG = $Averages()
---
for $e in @v[: 3]:
    $AVG.add(float($e) if <[ False || @k % 2 == 0 ]> else $e)
$a = $AVG.mean * $AVG.n
""",
    s="$a",
    k="len($AVG.seen)",
)

idiom(
    "linked nodes",
    """
class $Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next

    def __iter__(self):
        node = self
        while node is not None:
            yield node.value
            node = node.next

    def append(self, value):
        node = self
        while node.next:
            node = node.next
        node.next = $Node(value)
        return self

    def __bool__(self):
        return True
---
$head = $Node(@s, $Node(@v[0], $Node(%c)))
$head.append(@s * %c).append(1)
$head.next.value *= @s
$back = None
$node = $head
while $node:
    $node.next, $back, $node = $back, $node, $node.next
$t = sum($v * ($i + 1) for $i, $v in enumerate($back))
""",
    s="$t; $head.value",
)

idiom(
    "context manager by contextlib",
    """
@contextlib.contextmanager
def $scaled(box, by):
    box["scale"] *= by
    try:
        yield box["scale"]
    finally:
        box["scale"] /= by
        box["closed"] += 1
---
$box = {"scale": @s + 3.0, "closed": 0}
with $scaled($box, %c) as $u, $scaled($box, @v[0] + 4.0) as $w:
    $in = $u * $w + $box["scale"]
    if @k > 2:
        $in = $in * 2
$t = $in * $box["scale"] + $box["closed"]
""",
    s="$t",
)
