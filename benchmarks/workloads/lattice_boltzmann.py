"""Lattice Boltzmann, single precision: a flow past an obstacle, populations that move by ``np.roll``."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"ny": 40, "nx": 80, "steps": 20}, {"ny": 5, "nx": 6, "steps": 2}, (0, 1)
TOLERANCE = 1e-3
CX = [0, 0, 1, 1, 1, 0, -1, -1, -1]
CY = [0, 1, 1, 0, -1, -1, -1, 0, 1]
WEIGHTS = [4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36]
OPPOSITE = [0, 5, 6, 7, 8, 1, 2, 3, 4]
DX, DY = np.array(CX), np.array(CY)  # for the gradient by hand
PIECE = 80  # cells of a row that go together there


def arguments(ny, nx, steps):
    draw = np.random.default_rng(48)
    f = np.ones((ny, nx, 9)) + 0.01 * draw.normal(size=(ny, nx, 9))
    f[:, :, 3] += 2.0
    f *= 100.0 / np.sum(f, axis=2, keepdims=True)
    y, x = np.meshgrid(np.arange(ny), np.arange(nx), indexing="ij")
    solid = (x - nx / 4) ** 2 + (y - ny / 2) ** 2 < (ny / 4) ** 2
    return f.astype(np.float32), 0.6, solid, steps


def primal(f, tau, solid, steps):
    f = f.copy()
    cx, cy = np.array(CX, dtype=np.float32), np.array(CY, dtype=np.float32)
    for _ in range(steps):
        for i, (x, y) in enumerate(zip(CX, CY, strict=True)):
            f[:, :, i] = np.roll(np.roll(f[:, :, i], x, axis=1), y, axis=0)
        bounced = f[solid, :][:, OPPOSITE]
        rho = np.sum(f, axis=2)
        ux, uy = np.sum(f * cx, axis=2) / rho, np.sum(f * cy, axis=2) / rho
        rest = np.zeros_like(f)
        for i, (x, y, w) in enumerate(zip(CX, CY, WEIGHTS, strict=True)):
            along = x * ux + y * uy
            rest[:, :, i] = rho * w * (1.0 + 3.0 * along + 4.5 * along**2 - 1.5 * (ux**2 + uy**2))
        f += -(1.0 / tau) * (f - rest)
        f[solid, :] = bounced
    rho = np.sum(f, axis=2)
    return np.mean((np.sum(f * cx, axis=2) / rho) ** 2) + np.mean((np.sum(f * cy, axis=2) / rho) ** 2)


@compiled
def load(planes, i, begin, count, cells):
    """Copies so many cells of a row as they move in."""
    ny, nx = planes.shape[1], planes.shape[2]
    for k in range(9):
        row, to = planes[k, (i - DY[k]) % ny], cells[k * PIECE : (k + 1) * PIECE]
        first = begin - DX[k]
        low, high = max(0, -first), min(count, nx - first)
        to[0], to[count - 1] = row[first % nx], row[(first + count - 1) % nx]
        part, to = row[first + low : first + high], to[low:high]
        for j in range(high - low):
            to[j] = part[j]


@compiled
def store(cells, i, begin, count, planes):
    for k in range(9):
        row, part = planes[k, i][begin : begin + count], cells[k * PIECE : (k + 1) * PIECE]
        for j in range(count):
            row[j] = part[j]


@compiled
def unload(cells, i, begin, count, planes):
    """Puts cells where they came from before they moved."""
    ny, nx = planes.shape[1], planes.shape[2]
    for k in range(9):
        row, part = planes[k, (i - DY[k]) % ny], cells[k * PIECE : (k + 1) * PIECE]
        first = begin - DX[k]
        low, high = max(0, -first), min(count, nx - first)
        row[first % nx], row[(first + count - 1) % nx] = part[0], part[count - 1]
        part, to = part[low:high], row[first + low : first + high]
        for j in range(high - low):
            to[j] = part[j]


@compiled
def collide(f, wall, omega, out):
    """From the populations that have moved in, those that move on; PIECE cells of each direction."""
    one, three, more, half = np.float32(1.0), np.float32(3.0), np.float32(4.5), np.float32(1.5)
    w0, w1, w2 = np.float32(4 / 9), np.float32(1 / 9), np.float32(1 / 36)
    keep = one - omega
    for j in range(PIECE):
        f0, f1, f2, f3, f4 = f[j], f[j + PIECE], f[j + 2 * PIECE], f[j + 3 * PIECE], f[j + 4 * PIECE]
        f5, f6, f7, f8 = f[j + 5 * PIECE], f[j + 6 * PIECE], f[j + 7 * PIECE], f[j + 8 * PIECE]
        rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
        inverse = one / rho
        x = (f2 + f3 + f4 - f6 - f7 - f8) * inverse
        y = (f1 + f2 + f8 - f4 - f5 - f6) * inverse
        base = one - half * (x * x + y * y)
        g0, g1, g2 = omega * w0 * rho, omega * w1 * rho, omega * w2 * rho
        plus, minus = x + y, x - y
        s1, s3 = base + more * y * y, base + more * x * x
        s2, s4 = base + more * plus * plus, base + more * minus * minus
        hit = wall[j]
        out[j] = f0 if hit else keep * f0 + g0 * base
        out[j + PIECE] = f5 if hit else keep * f1 + g1 * (s1 + three * y)
        out[j + 2 * PIECE] = f6 if hit else keep * f2 + g2 * (s2 + three * plus)
        out[j + 3 * PIECE] = f7 if hit else keep * f3 + g1 * (s3 + three * x)
        out[j + 4 * PIECE] = f8 if hit else keep * f4 + g2 * (s4 + three * minus)
        out[j + 5 * PIECE] = f1 if hit else keep * f5 + g1 * (s1 - three * y)
        out[j + 6 * PIECE] = f2 if hit else keep * f6 + g2 * (s2 - three * plus)
        out[j + 7 * PIECE] = f3 if hit else keep * f7 + g1 * (s3 - three * x)
        out[j + 8 * PIECE] = f4 if hit else keep * f8 + g2 * (s4 - three * minus)


@compiled
def pull_collide(f, wall, omega, bars, out):
    """Returns the adjoint of ``omega``; the equilibrium's is taken by density and velocity."""
    one, three, more, nine = np.float32(1.0), np.float32(3.0), np.float32(4.5), np.float32(9.0)
    w0, w1, w2, half = np.float32(4 / 9), np.float32(1 / 9), np.float32(1 / 36), np.float32(1.5)
    keep, zero = one - omega, np.float32(0.0)
    total = zero
    for j in range(PIECE):
        f0, f1, f2, f3, f4 = f[j], f[j + PIECE], f[j + 2 * PIECE], f[j + 3 * PIECE], f[j + 4 * PIECE]
        f5, f6, f7, f8 = f[j + 5 * PIECE], f[j + 6 * PIECE], f[j + 7 * PIECE], f[j + 8 * PIECE]
        b0, b1, b2, b3 = bars[j], bars[j + PIECE], bars[j + 2 * PIECE], bars[j + 3 * PIECE]
        b4, b5, b6 = bars[j + 4 * PIECE], bars[j + 5 * PIECE], bars[j + 6 * PIECE]
        b7, b8 = bars[j + 7 * PIECE], bars[j + 8 * PIECE]
        rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8
        inverse = one / rho
        x = (f2 + f3 + f4 - f6 - f7 - f8) * inverse
        y = (f1 + f2 + f8 - f4 - f5 - f6) * inverse
        base = one - half * (x * x + y * y)
        plus, minus = x + y, x - y
        s1, s3 = base + more * y * y, base + more * x * x
        s2, s4 = base + more * plus * plus, base + more * minus * minus
        e0, e1, e2, e3, e4 = w0 * b0, w1 * b1, w2 * b2, w1 * b3, w2 * b4
        e5, e6, e7, e8 = w1 * b5, w2 * b6, w1 * b7, w2 * b8
        even1, even2, even3, even4 = e1 + e5, e2 + e6, e3 + e7, e4 + e8
        odd1, odd2, odd3, odd4 = e1 - e5, e2 - e6, e3 - e7, e4 - e8
        along = odd1 * y + odd2 * plus + odd3 * x + odd4 * minus
        rest = e0 * base + even1 * s1 + even2 * s2 + even3 * s3 + even4 * s4 + three * along
        hit = wall[j]
        kept = b0 * f0 + b1 * f1 + b2 * f2 + b3 * f3 + b4 * f4 + b5 * f5 + b6 * f6 + b7 * f7 + b8 * f8
        total += zero if hit else rho * rest - kept
        every = e0 + even1 + even2 + even3 + even4
        x_bar = three * (odd2 + odd3 + odd4) + nine * (even2 * plus + even3 * x + even4 * minus)
        y_bar = three * (odd1 + odd2 - odd4) + nine * (even1 * y + even2 * plus - even4 * minus)
        x_bar, y_bar = omega * (x_bar - three * x * every), omega * (y_bar - three * y * every)
        level = omega * rest - x_bar * x - y_bar * y
        out[j] = b0 if hit else keep * b0 + level
        out[j + PIECE] = b5 if hit else keep * b1 + level + y_bar
        out[j + 2 * PIECE] = b6 if hit else keep * b2 + level + x_bar + y_bar
        out[j + 3 * PIECE] = b7 if hit else keep * b3 + level + x_bar
        out[j + 4 * PIECE] = b8 if hit else keep * b4 + level + x_bar - y_bar
        out[j + 5 * PIECE] = b1 if hit else keep * b5 + level - y_bar
        out[j + 6 * PIECE] = b2 if hit else keep * b6 + level - x_bar - y_bar
        out[j + 7 * PIECE] = b3 if hit else keep * b7 + level - x_bar
        out[j + 8 * PIECE] = b4 if hit else keep * b8 + level - x_bar + y_bar
    return total


@compiled
def hand(f, tau, solid, steps):
    """Planes of each direction, so that cells go as vectors, in pieces of rows; keeps what has moved in."""
    ny, nx = solid.shape
    planes, after, pieces = (
        np.empty((9, ny, nx), np.float32),
        np.empty((9, ny, nx), np.float32),
        -(-nx // PIECE),
    )
    kept, wall = np.ones((steps, ny, pieces, 9 * PIECE), np.float32), np.zeros((ny, pieces * PIECE), np.bool_)
    wall[:, :nx] = solid
    wall[:, nx:] = True  # what is past the end is not a cell
    for i in range(ny):
        for j in range(nx):
            for k in range(9):
                planes[k, i, j] = f[i, j, k]
    omega, cells = np.float32(1.0 / tau), np.zeros(9 * PIECE, np.float32)
    for t in range(steps):
        for i in range(ny):
            for p in range(pieces):
                begin = p * PIECE
                count = min(PIECE, nx - begin)
                load(planes, i, begin, count, kept[t, i, p])
                collide(kept[t, i, p], wall[i, begin : begin + PIECE], omega, cells)
                store(cells, i, begin, count, after)
        planes, after = after, planes
    bars, count_inverse, value = after, np.float32(1.0 / (ny * nx)), 0.0
    for i in range(ny):
        for j in range(nx):
            rho = x = y = np.float32(0.0)
            for k in range(9):
                rho += planes[k, i, j]
                x += np.float32(DX[k]) * planes[k, i, j]
                y += np.float32(DY[k]) * planes[k, i, j]
            x, y = x / rho, y / rho
            value += x * x + y * y
            x_bar, y_bar = (
                np.float32(2.0) * count_inverse * x / rho,
                np.float32(2.0) * count_inverse * y / rho,
            )
            for k in range(9):
                bars[k, i, j] = (np.float32(DX[k]) - x) * x_bar + (np.float32(DY[k]) - y) * y_bar
    total, now = 0.0, np.zeros(9 * PIECE, np.float32)
    for t in range(steps - 1, -1, -1):
        for i in range(ny):
            for p in range(pieces):
                begin = p * PIECE
                count = min(PIECE, nx - begin)
                for k in range(9):
                    row, to = bars[k, i][begin : begin + count], now[k * PIECE : k * PIECE + count]
                    for j in range(count):
                        to[j] = row[j]
                total += pull_collide(kept[t, i, p], wall[i, begin : begin + PIECE], omega, now, cells)
                unload(cells, i, begin, count, planes)
        bars, planes = planes, bars
    out = np.empty((ny, nx, 9), np.float32)
    for i in range(ny):
        for j in range(nx):
            for k in range(9):
                out[i, j, k] = bars[k, i, j]
    return value / (ny * nx), out, -total / (tau * tau)


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(f, tau, solid, steps):
        f, tau = jnp.moveaxis(f, 2, 0), jnp.asarray(tau, jnp.float32)

        def velocity(f):
            rho = jnp.sum(f, axis=0)
            ux = (f[2] + f[3] + f[4] - f[6] - f[7] - f[8]) / rho
            uy = (f[1] + f[2] + f[8] - f[4] - f[5] - f[6]) / rho
            return rho, ux, uy

        @jax.checkpoint
        def body(f, _):
            moved = jnp.stack([jnp.roll(f[k], (CY[k], CX[k]), (0, 1)) for k in range(9)])
            rho, ux, uy = velocity(moved)
            rest = []
            for x, y, w in zip(CX, CY, WEIGHTS, strict=True):
                along = x * ux + y * uy
                rest.append(rho * w * (1.0 + 3.0 * along + 4.5 * along**2 - 1.5 * (ux**2 + uy**2)))
            after = moved - (1.0 / tau) * (moved - jnp.stack(rest))
            return jnp.where(solid, moved[jnp.array(OPPOSITE)], after), None

        _, ux, uy = velocity(jax.lax.scan(body, f, None, steps)[0])
        return jnp.mean(ux**2) + jnp.mean(uy**2)

    return cost
