"""EKF SLAM: a pose and landmarks with their covariance, ranges and bearings, an inverse for each sighting."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = (
    {"landmarks": 20, "steps": 30, "seen": 4},
    {"landmarks": 3, "steps": 3, "seen": 2},
    (0, 1, 2),
)


def arguments(landmarks, steps, seen):
    draw = np.random.default_rng(95)
    marks, start = draw.uniform(-10.0, 10.0, (landmarks, 2)), np.array([0.0, 0.0, 0.3])
    moves = np.stack([draw.uniform(0.2, 0.5, steps), draw.uniform(-0.2, 0.2, steps)], axis=1)
    which, found, pose = draw.integers(0, landmarks, (steps, seen)), np.empty((steps, seen, 2)), start.copy()
    for t in range(steps):
        pose[0] += moves[t, 0] * np.cos(pose[2])
        pose[1] += moves[t, 0] * np.sin(pose[2])
        pose[2] += moves[t, 1]
        d = marks[which[t]] - pose[:2]
        found[t, :, 0] = np.hypot(d[:, 0], d[:, 1])
        found[t, :, 1] = np.arctan2(d[:, 1], d[:, 0]) - pose[2]
    found += 0.05 * draw.normal(size=found.shape)
    found[..., 1] = (found[..., 1] + np.pi) % (2.0 * np.pi) - np.pi
    moves = moves + 0.02 * draw.normal(size=moves.shape)
    guess = np.append(start, marks + 0.1 * draw.normal(size=marks.shape))
    return np.log([0.05, 0.02]), np.log([0.06, 0.04]), guess, moves, which, found


def primal(log_motion, log_sensor, guess, moves, which, found):
    n = len(guess)
    motion, sensor = np.exp(2.0 * log_motion), np.diag(np.exp(2.0 * log_sensor))
    mu = guess.copy()
    P = 0.04 * np.eye(n)
    P[:3, :3] = 0.0
    surprise = 0.0
    for t in range(len(moves)):
        length, turn = moves[t]
        c, s = np.cos(mu[2]), np.sin(mu[2])
        F = np.array([[1.0, 0.0, -length * s], [0.0, 1.0, length * c], [0.0, 0.0, 1.0]])
        V = np.array([[c, 0.0], [s, 0.0], [0.0, 1.0]])
        mu[:3] += np.array([length * c, length * s, turn])
        P[:3, :] = F @ P[:3, :]
        P[:, :3] = P[:, :3] @ F.T
        P[:3, :3] += V @ np.diag(motion) @ V.T
        for k in range(which.shape[1]):
            j = 3 + 2 * which[t, k]
            dx, dy = mu[j] - mu[0], mu[j + 1] - mu[1]
            q = dx**2 + dy**2
            r = np.sqrt(q)
            H = np.zeros((2, n))
            H[:, :3] = np.array([[-dx / r, -dy / r, 0.0], [dy / q, -dx / q, -1.0]])
            H[:, j : j + 2] = np.array([[dx / r, dy / r], [-dy / q, dx / q]])
            miss = found[t, k] - np.array([r, np.arctan2(dy, dx) - mu[2]])
            miss[1] = (miss[1] + np.pi) % (2.0 * np.pi) - np.pi
            S = H @ P @ H.T + sensor
            K = P @ H.T @ np.linalg.inv(S)
            mu = mu + K @ miss
            P = P - K @ S @ K.T
            surprise += 0.5 * (miss @ np.linalg.solve(S, miss) + np.log(np.linalg.det(S)))
    return surprise


@compiled
def hand(log_motion, log_sensor, guess, moves, which, found):
    """Five columns of a Jacobian are not zero; the symmetric covariance goes back by what was taken."""
    n, steps, seen = guess.size, moves.shape[0], which.shape[1]
    m0, m1 = np.exp(2.0 * log_motion[0]), np.exp(2.0 * log_motion[1])
    s0, s1 = np.exp(2.0 * log_sensor[0]), np.exp(2.0 * log_sensor[1])
    mu, P, value = guess.copy(), np.zeros((n, n)), 0.0
    for i in range(3, n):
        P[i, i] = 0.04
    count = steps * seen
    gains, inner = np.empty((count, 2, n)), np.empty((count, 8))  # P H^T; dx, dy, miss, the inverse of S
    cols, h, turned = np.empty(5, np.int64), np.empty((2, 5)), np.empty(steps)
    for t in range(steps):
        length, angle = moves[t, 0], mu[2]
        c, s = np.cos(angle), np.sin(angle)
        turned[t] = angle
        mu[0] += length * c
        mu[1] += length * s
        mu[2] += moves[t, 1]
        u, w = -length * s, length * c
        for i in range(n):
            P[0, i] += u * P[2, i]
            P[1, i] += w * P[2, i]
        for i in range(n):
            P[i, 0] += u * P[i, 2]
            P[i, 1] += w * P[i, 2]
        P[0, 0] += m0 * c * c
        P[0, 1] += m0 * c * s
        P[1, 0] += m0 * c * s
        P[1, 1] += m0 * s * s
        P[2, 2] += m1
        for k in range(seen):
            j, o = 3 + 2 * which[t, k], t * seen + k
            dx, dy = mu[j] - mu[0], mu[j + 1] - mu[1]
            q = dx * dx + dy * dy
            r = np.sqrt(q)
            a, b, e, f = dx / r, dy / r, dx / q, dy / q
            g0, g1 = gains[o, 0], gains[o, 1]
            p0, p1, p2, pj, pk = P[0], P[1], P[2], P[j], P[j + 1]
            for i in range(n):
                x, y = pj[i] - p0[i], pk[i] - p1[i]
                g0[i] = a * x + b * y
                g1[i] = e * y - f * x - p2[i]
            s00 = a * (g0[j] - g0[0]) + b * (g0[j + 1] - g0[1]) + s0
            s01 = e * (g0[j + 1] - g0[1]) - f * (g0[j] - g0[0]) - g0[2]
            s11 = e * (g1[j + 1] - g1[1]) - f * (g1[j] - g1[0]) - g1[2] + s1
            det = s00 * s11 - s01 * s01
            i00, i01, i11 = s11 / det, -s01 / det, s00 / det
            y0 = found[t, k, 0] - r
            y1 = found[t, k, 1] - (np.arctan2(dy, dx) - mu[2])
            y1 = (y1 + np.pi) % (2.0 * np.pi) - np.pi
            z0, z1 = i00 * y0 + i01 * y1, i01 * y0 + i11 * y1
            value += 0.5 * (y0 * z0 + y1 * z1 + np.log(det))
            kept = inner[o]
            kept[0], kept[1], kept[2], kept[3] = dx, dy, y0, y1
            kept[4], kept[5], kept[6] = i00, i01, i11
            for i in range(n):
                mu[i] += g0[i] * z0 + g1[i] * z1
                k0, k1 = i00 * g0[i] + i01 * g1[i], i01 * g0[i] + i11 * g1[i]
                row = P[i]
                for l in range(n):
                    row[l] -= k0 * g0[l] + k1 * g1[l]
    mu_bar, B = np.zeros(n), np.zeros((n, n))  # B: of the covariance, made symmetric
    m0_bar, m1_bar, s0_bar, s1_bar = 0.0, 0.0, 0.0, 0.0
    w0, w1 = np.empty(n), np.empty(n)
    for t in range(steps - 1, -1, -1):
        for k in range(seen - 1, -1, -1):
            j, o = 3 + 2 * which[t, k], t * seen + k
            dx, dy, y0, y1 = inner[o, 0], inner[o, 1], inner[o, 2], inner[o, 3]
            i00, i01, i11 = inner[o, 4], inner[o, 5], inner[o, 6]
            g0, g1 = gains[o, 0], gains[o, 1]
            q = dx * dx + dy * dy
            r = np.sqrt(q)
            a, b, e, f = dx / r, dy / r, dx / q, dy / q
            z0, z1 = i00 * y0 + i01 * y1, i01 * y0 + i11 * y1
            # P goes back, B G and the products of the gains with it
            t0, t1, b00, b01, b11 = 0.0, 0.0, 0.0, 0.0, 0.0
            for i in range(n):
                k0, k1 = i00 * g0[i] + i01 * g1[i], i01 * g0[i] + i11 * g1[i]
                row, back, x0, x1 = P[i], B[i], 0.0, 0.0
                for l in range(n):
                    row[l] += k0 * g0[l] + k1 * g1[l]
                    x0 += back[l] * g0[l]
                    x1 += back[l] * g1[l]
                w0[i], w1[i] = x0, x1
                b00 += g0[i] * x0
                b01 += g0[i] * x1
                b11 += g1[i] * x1
                t0 += mu_bar[i] * g0[i]
                t1 += mu_bar[i] * g1[i]
            # of the inverse: -G^T B G from P, and the outer products of the misses
            n00, n11 = -b00 + 0.5 * y0 * y0 + t0 * y0, -b11 + 0.5 * y1 * y1 + t1 * y1
            n01 = -b01 + 0.5 * y0 * y1 + 0.5 * (t0 * y1 + t1 * y0)
            y0_bar, y1_bar = i00 * t0 + i01 * t1 + z0, i01 * t0 + i11 * t1 + z1
            q00, q01 = i00 * n00 + i01 * n01, i00 * n01 + i01 * n11
            q10, q11 = i01 * n00 + i11 * n01, i01 * n01 + i11 * n11
            r00 = 0.5 * i00 - (q00 * i00 + q01 * i01)
            r01 = 0.5 * i01 - 0.5 * (q00 * i01 + q01 * i11 + q10 * i00 + q11 * i01)
            r11 = 0.5 * i11 - (q10 * i01 + q11 * i11)
            s0_bar += r00
            s1_bar += r11
            # of the gains
            for i in range(n):
                x0, x1 = w0[i], w1[i]
                w0[i] = mu_bar[i] * z0 - 2.0 * (x0 * i00 + x1 * i01)
                w1[i] = mu_bar[i] * z1 - 2.0 * (x0 * i01 + x1 * i11)
            h[0, 0], h[0, 1], h[0, 2], h[0, 3], h[0, 4] = -a, -b, 0.0, a, b
            h[1, 0], h[1, 1], h[1, 2], h[1, 3], h[1, 4] = f, -e, -1.0, -f, e
            cols[0], cols[1], cols[2], cols[3], cols[4] = 0, 1, 2, j, j + 1
            # S = H G + sensor, G = P H^T
            for m in range(5):
                w0[cols[m]] += r00 * h[0, m] + r01 * h[1, m]
                w1[cols[m]] += r01 * h[0, m] + r11 * h[1, m]
            a_bar, b_bar, e_bar, f_bar = 0.0, 0.0, 0.0, 0.0
            p0, p1, pj, pk = P[0], P[1], P[j], P[j + 1]
            for i in range(n):
                x, y = pj[i] - p0[i], pk[i] - p1[i]
                a_bar += w0[i] * x
                b_bar += w0[i] * y
                e_bar += w1[i] * y
                f_bar -= w1[i] * x
            a_bar += r00 * (g0[j] - g0[0]) + r01 * (g1[j] - g1[0])
            b_bar += r00 * (g0[j + 1] - g0[1]) + r01 * (g1[j + 1] - g1[1])
            e_bar += r01 * (g0[j + 1] - g0[1]) + r11 * (g1[j + 1] - g1[1])
            f_bar -= r01 * (g0[j] - g0[0]) + r11 * (g1[j] - g1[0])
            for m in range(5):
                x0, x1, at = 0.5 * h[0, m], 0.5 * h[1, m], cols[m]
                row = B[at]
                for i in range(n):
                    row[i] += x0 * w0[i] + x1 * w1[i]
                for i in range(n):
                    B[i, at] += x0 * w0[i] + x1 * w1[i]
            r_bar = -y0_bar - (a_bar * dx + b_bar * dy) / q
            q_bar = -(e_bar * dx + f_bar * dy) / (q * q)
            dx_bar = a_bar / r + e_bar / q + r_bar * a + 2.0 * q_bar * dx + y1_bar * f
            dy_bar = b_bar / r + f_bar / q + r_bar * b + 2.0 * q_bar * dy - y1_bar * e
            mu_bar[2] += y1_bar
            mu_bar[0] -= dx_bar
            mu_bar[1] -= dy_bar
            mu_bar[j] += dx_bar
            mu_bar[j + 1] += dy_bar
        length, angle = moves[t, 0], turned[t]
        c, s = np.cos(angle), np.sin(angle)
        u, w = -length * s, length * c
        c_bar = 2.0 * m0 * (c * B[0, 0] + s * B[0, 1]) + length * mu_bar[0]
        s_bar = 2.0 * m0 * (c * B[0, 1] + s * B[1, 1]) + length * mu_bar[1]
        m0_bar += c * c * B[0, 0] + 2.0 * c * s * B[0, 1] + s * s * B[1, 1]
        m1_bar += B[2, 2]
        P[0, 0] -= m0 * c * c
        P[0, 1] -= m0 * c * s
        P[1, 0] -= m0 * c * s
        P[1, 1] -= m0 * s * s
        P[2, 2] -= m1
        for i in range(n):
            P[i, 0] -= u * P[i, 2]
            P[i, 1] -= w * P[i, 2]
        u_bar, w_bar = 0.0, 0.0
        for i in range(n):
            P[0, i] -= u * P[2, i]
            P[1, i] -= w * P[2, i]
        for i in range(n):
            old = P[i, 2] + 0.0
            u_bar += 2.0 * B[0, i] * old
            w_bar += 2.0 * B[1, i] * old
        u_bar += 2.0 * (B[0, 0] * u + B[0, 1] * w) * P[2, 2]
        w_bar += 2.0 * (B[0, 1] * u + B[1, 1] * w) * P[2, 2]
        for i in range(n):
            B[2, i] += u * B[0, i] + w * B[1, i]
        for i in range(n):
            B[i, 2] += u * B[i, 0] + w * B[i, 1]
        s_bar -= length * u_bar
        c_bar += length * w_bar
        mu_bar[2] += s_bar * c - c_bar * s
    motion_bar = np.array([2.0 * m0 * m0_bar, 2.0 * m1 * m1_bar])
    return value, motion_bar, np.array([2.0 * s0 * s0_bar, 2.0 * s1 * s1_bar]), mu_bar


def jax_version():
    import jax
    import jax.numpy as jnp

    def cost(log_motion, log_sensor, guess, moves, which, found):
        n = len(guess)
        motion, sensor = jnp.exp(2.0 * log_motion), jnp.diag(jnp.exp(2.0 * log_sensor))

        def sighting(state, given):
            mu, P = state
            index, there = given
            j = 3 + 2 * index
            dx, dy = mu[j] - mu[0], mu[j + 1] - mu[1]
            q = dx**2 + dy**2
            r = jnp.sqrt(q)
            h = jnp.array([[-dx / r, -dy / r, 0.0, dx / r, dy / r], [dy / q, -dx / q, -1.0, -dy / q, dx / q]])
            cols = jnp.array([0, 1, 2, 0, 0]) + jnp.array([0, 0, 0, 1, 1]) * j + jnp.array([0, 0, 0, 0, 1])
            miss = there - jnp.array([r, jnp.arctan2(dy, dx) - mu[2]])
            miss = miss.at[1].set((miss[1] + jnp.pi) % (2.0 * jnp.pi) - jnp.pi)
            G = P[:, cols] @ h.T
            S = h @ G[cols] + sensor
            det = S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0]
            inverse = jnp.array([[S[1, 1], -S[0, 1]], [-S[1, 0], S[0, 0]]]) / det
            K = G @ inverse
            return (mu + K @ miss, P - K @ G.T), 0.5 * (miss @ inverse @ miss + jnp.log(det))

        def step(state, given):
            mu, P = state
            (length, turn), index, there = given
            c, s = jnp.cos(mu[2]), jnp.sin(mu[2])
            F = jnp.array([[1.0, 0.0, -length * s], [0.0, 1.0, length * c], [0.0, 0.0, 1.0]])
            V = jnp.array([[c, 0.0], [s, 0.0], [0.0, 1.0]])
            mu = mu.at[:3].add(jnp.array([length * c, length * s, turn]))
            P = P.at[:3].set(F @ P[:3])
            P = P.at[:, :3].set(P[:, :3] @ F.T)
            P = P.at[:3, :3].add((V * motion) @ V.T)
            state, surprise = jax.lax.scan(sighting, (mu, P), (index, there), unroll=True)
            return state, jnp.sum(surprise)

        P = 0.04 * jnp.eye(n).at[jnp.arange(3), jnp.arange(3)].set(0.0)
        return jnp.sum(jax.lax.scan(step, (guess, P), (moves, which, found))[1])

    return cost
