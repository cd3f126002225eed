"""Integers beyond the machine's: do kernels compute with them as Python does?"""

from .harness import program


# ----- the page's own
@program(0.7, 5, later=[(0.3, 9)])
def mask_of_64_bits(x, n):
    s = 0.0
    for i in range(n):
        s += x * ((i ^ 0xAAAAAAAAAAAAAAAA) % 3)
    return s


@program(0.7, 12345, later=[(0.7, 2**62 + 5)])
def large_modulus(x, n):
    return x * (n % 10**19 % 7)


@program(0.7, 12345, later=[(0.7, -5)])
def large_divisor(x, n):
    return x * (n // 2**63 + 3)


@program(0.7, 12, later=[(0.7, 2**62)])
def large_summand(x, n):
    return x * ((n + 0xFFFFFFFFFFFFFFFF) % 5)


@program(0.7, 2**63 - 1, later=[(0.7, 4)])
def sum_that_wraps(x, n):
    return x * ((n + n) % 7)


@program(0.7, -(2**63), later=[(0.7, 4)])
def negative_of_the_least(x, n):
    return x * ((-n) % 7)


@program(0.7, -(2**63), later=[(0.7, -4)])
def magnitude_of_the_least(x, n):
    return x * (abs(n) % 7)


# ----- in helper functions
def xorshift(state):
    state ^= (state << 13) & 0xFFFFFFFFFFFFFFFF
    state ^= state >> 7
    state ^= (state << 17) & 0xFFFFFFFFFFFFFFFF
    return state


@program(0.7, 88172645463325252, 3, later=[(0.7, 1, 5), (0.7, 2**63, 2)])
def weights_of_a_generator(x, seed, n):
    total = 0.0
    state = seed
    for k in range(n):
        state = xorshift(state)
        total += x * (state % 5)
    return total


def congruential(state):
    return (6364136223846793005 * state + 1442695040888963407) % 2**64


@program(0.7, 42, later=[(0.7, 2**63 - 1), (0.7, 0)])
def linear_congruential(x, state):
    for _ in range(3):
        state = congruential(state)
    return x * (state >> 60)


def powers(base, exponent, modulus):
    result = 1
    while exponent:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


@program(0.7, 3, 200, later=[(0.7, 10**9 + 9, 5), (0.3, 2, 0)])
def modular_power(x, base, exponent):
    return x * (powers(base, exponent, 10**15 + 37) % 11)


def factorial(n):
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


@program(0.7, 5, later=[(0.7, 20), (0.7, 21), (0.7, 25)])
def term_of_a_series(x, n):
    return x**2 / factorial(n) + x * (factorial(n) % 1009)


def ones(n):
    count = 0
    while n:
        n &= n - 1
        count += 1
    return count


@program(0.7, 0b1011, later=[(0.7, 2**62 + 2**61), (0.7, 2**63 - 1), (0.7, 0)])
def bits_that_are_set(x, n):
    return x ** ones(n) + x


# ----- in methods, comprehensions and lambdas
class Hash:
    def __init__(self, prime):
        self.prime = prime

    def of(self, values):
        h = 0xCBF29CE484222325
        for v in values:
            h = ((h ^ v) * self.prime) & 0xFFFFFFFFFFFFFFFF
        return h


@program(0.7, 1, later=[(0.7, 255), (0.7, -1)])
def feature_by_hashing(x, v):
    return x * (Hash(0x100000001B3).of([v, v + 1]) % 13)


@program(0.7, 2**61, later=[(0.7, 2**62), (0.7, -(2**62)), (0.7, 3)])
def sum_of_a_comprehension(x, n):
    total = sum([n * k for k in range(5)])
    return x * (total % 17)


@program(0.7, -7, later=[(0.7, 7), (0.7, -(2**63)), (0.7, 2**63 - 1)])
def quotient_and_remainder(x, n):
    parts = lambda a, b: (a // b, a % b)
    q, r = parts(n, -3)
    p, s = parts(n - 1, 3)
    return x * (q % 7) + x * x * r + s - p % 2


@program(0.7, 2**62, 2**62, later=[(0.7, -(2**63), -1), (0.7, 3, 4)])
def comparison_of_sums(x, a, b):
    overflows = lambda m, n: m + n > 2**63 - 1 or m * n < -(2**62)
    return x * x if overflows(a, b) else x


@program(0.7, 3, later=[(0.7, 62), (0.7, 63), (0.7, 70)])
def shifts_in_a_comprehension(x, n):
    masks = [(1 << k) - 1 for k in (n, n + 1)]
    return x * (masks[0] % 10) + x * x * (masks[1] >> (n - 1))


# ----- in nested loops
@program(0.7, 27, later=[(0.7, 97), (0.7, 2**62 + 1), (0.7, 1)])
def collatz_steps(x, n):
    total = 0.0
    for start in (n, n + 1):
        k = start
        steps = 0
        while k != 1 and steps < 30:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        total = total + x * (k % 9 + steps)
    return total


@program(0.7, 5, later=[(0.7, 66), (0.7, 0)])
def binomial_row_modulo(x, n):
    row = [1]
    for _ in range(n):
        following = [1]
        for k in range(len(row) - 1):
            following.append(row[k] + row[k + 1])
        following.append(1)
        row = following
    return x * (row[len(row) // 2] % 101)


@program(0.7, 10, later=[(0.7, 93), (0.7, 120), (0.7, 1)])
def fibonacci_digits(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    total = 0.0
    while a:
        total += x * (a % 10)
        a //= 10
    return total


@program(0.7, 1071, 462, later=[(0.7, 2**63 - 1, 2**62), (0.7, -(2**63), 6)])
def common_divisors(x, a, b):
    total = 0.0
    for shift in range(2):
        m, n = a, b + shift
        while n:
            m, n = n, m % n
        total += x * (abs(m) % 1000)
    return total


@program(0.7, 4, later=[(0.7, -4), (0.7, 2**40)])
def powers_in_nested_loops(x, n):
    total = 0.0
    for i in range(4):
        for j in range(3):
            total = total + x * ((n**i - j * n ** (i + 1)) % 23) + (~n ^ (i << j)) % 3 * x
    return total


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
