"""Neo-Hookean solid: energy of tetrahedra, gathers of vertices, stacks of 3x3 products and determinants."""

import numpy as np

from benchmarks.compiled import compiled

UNSEEN = True
SIZE, TINY, WRT = {"side": 9}, {"side": 2}, (0, 4, 5)
CORNERS = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]


def arguments(side):
    draw = np.random.default_rng(49)
    axes = np.meshgrid(*[np.arange(float(side))] * 3, indexing="ij")
    rest = np.stack(axes, axis=-1).reshape(-1, 3)
    steps = np.arange(side - 1)
    base = (side * side * steps[:, None, None] + side * steps[:, None] + steps).reshape(-1, 1, 1)
    bits = np.array([side * side * (c >> 2) + side * (c >> 1 & 1) + (c & 1) for c in range(8)])
    tets = (base + bits[np.array(CORNERS)]).reshape(-1, 4)
    edges = np.swapaxes(rest[tets[:, 1:]] - rest[tets[:, :1]], 1, 2)
    volumes = np.linalg.det(edges) / 6.0
    flip = volumes < 0.0
    tets[flip, 2], tets[flip, 3] = tets[flip, 3], tets[flip, 2]
    edges = np.swapaxes(rest[tets[:, 1:]] - rest[tets[:, :1]], 1, 2)
    places = rest * [1.1, 0.95, 1.0] + 0.05 * draw.normal(size=rest.shape)
    return places, tets, np.linalg.inv(edges), np.abs(volumes), 2.0, 5.0


def generic(np):
    def energy(places, tets, inverses, volumes, mu, lam):
        corners = places[tets]
        edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
        stretch = edges @ inverses
        log_j = np.log(np.linalg.det(stretch))
        density = 0.5 * mu * (np.sum(stretch**2, axis=(1, 2)) - 3.0) - mu * log_j + 0.5 * lam * log_j**2
        return np.sum(volumes * density) + 0.1 * np.sum(places[:, 2])

    return energy


def primal(places, tets, inverses, volumes, mu, lam):
    corners = places[tets]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    stretch = edges @ inverses
    log_j = np.log(np.linalg.det(stretch))
    density = 0.5 * mu * (np.sum(stretch**2, axis=(1, 2)) - 3.0) - mu * log_j + 0.5 * lam * log_j**2
    return np.sum(volumes * density) + 0.1 * np.sum(places[:, 2])


@compiled
def hand(places, tets, inverses, volumes, mu, lam):
    """A tetrahedron at a time, all its matrices in registers."""
    n, m = places.shape[0], tets.shape[0]
    bars = np.zeros((n, 3))
    value, mu_bar, lam_bar = 0.0, 0.0, 0.0
    for v in range(n):
        value += 0.1 * places[v, 2]
        bars[v, 2] = 0.1
    for t in range(m):
        o, p, q, r = tets[t, 0], tets[t, 1], tets[t, 2], tets[t, 3]
        b, w = inverses[t], volumes[t]
        x, y, z = places[o, 0], places[o, 1], places[o, 2]
        e00, e01, e02 = places[p, 0] - x, places[q, 0] - x, places[r, 0] - x
        e10, e11, e12 = places[p, 1] - y, places[q, 1] - y, places[r, 1] - y
        e20, e21, e22 = places[p, 2] - z, places[q, 2] - z, places[r, 2] - z
        f00 = e00 * b[0, 0] + e01 * b[1, 0] + e02 * b[2, 0]
        f01 = e00 * b[0, 1] + e01 * b[1, 1] + e02 * b[2, 1]
        f02 = e00 * b[0, 2] + e01 * b[1, 2] + e02 * b[2, 2]
        f10 = e10 * b[0, 0] + e11 * b[1, 0] + e12 * b[2, 0]
        f11 = e10 * b[0, 1] + e11 * b[1, 1] + e12 * b[2, 1]
        f12 = e10 * b[0, 2] + e11 * b[1, 2] + e12 * b[2, 2]
        f20 = e20 * b[0, 0] + e21 * b[1, 0] + e22 * b[2, 0]
        f21 = e20 * b[0, 1] + e21 * b[1, 1] + e22 * b[2, 1]
        f22 = e20 * b[0, 2] + e21 * b[1, 2] + e22 * b[2, 2]
        c00, c01, c02 = f11 * f22 - f12 * f21, f12 * f20 - f10 * f22, f10 * f21 - f11 * f20
        c10, c11, c12 = f02 * f21 - f01 * f22, f00 * f22 - f02 * f20, f01 * f20 - f00 * f21
        c20, c21, c22 = f01 * f12 - f02 * f11, f02 * f10 - f00 * f12, f00 * f11 - f01 * f10
        det = f00 * c00 + f01 * c01 + f02 * c02
        log_j = np.log(det)
        squares = f00 * f00 + f01 * f01 + f02 * f02 + f10 * f10 + f11 * f11 + f12 * f12
        squares += f20 * f20 + f21 * f21 + f22 * f22
        of_mu, of_lam = w * (0.5 * (squares - 3.0) - log_j), w * 0.5 * log_j * log_j
        value += mu * of_mu + lam * of_lam
        mu_bar += of_mu
        lam_bar += of_lam
        a, d = w * mu, w * (lam * log_j - mu) / det
        g00, g01, g02 = a * f00 + d * c00, a * f01 + d * c01, a * f02 + d * c02
        g10, g11, g12 = a * f10 + d * c10, a * f11 + d * c11, a * f12 + d * c12
        g20, g21, g22 = a * f20 + d * c20, a * f21 + d * c21, a * f22 + d * c22
        for k, corner in enumerate((p, q, r)):
            x = g00 * b[k, 0] + g01 * b[k, 1] + g02 * b[k, 2]
            y = g10 * b[k, 0] + g11 * b[k, 1] + g12 * b[k, 2]
            z = g20 * b[k, 0] + g21 * b[k, 1] + g22 * b[k, 2]
            bars[corner, 0] += x
            bars[corner, 1] += y
            bars[corner, 2] += z
            bars[o, 0] -= x
            bars[o, 1] -= y
            bars[o, 2] -= z
    return value, bars, mu_bar, lam_bar
