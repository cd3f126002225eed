"""Sample calls of the splines of ``scipy.ndimage``: every order and mode, points inside and outside."""

import numpy as np
import scipy.ndimage as nd
from sample import Sample, normal

from ast_ad.rules.scipy import image_splines

MODES = ("constant", "nearest", "mirror", "reflect", "grid-mirror")
LINE, PLANE, SPACE = normal(6), normal(4, 5), normal(3, 4, 2)
ALONG = np.array([[0.3, 1.7, 4.9, -0.6, 5.4, 11.2, -7.9]])
WITHIN = np.array([[0.3, 2.7, 1.4], [3.6, 0.2, 1.8]])


SAMPLES = {
    nd.spline_filter1d: [
        (LINE,),
        (PLANE, 2, 0),
        Sample((PLANE, 3), {"mode": "reflect"}),
        (LINE, 3, -1, np.float64, "grid-wrap"),
    ],
    image_splines.spline_adjoint: [(LINE, 3, 0, "mirror"), (PLANE, 2, -1, "reflect")],
    nd.spline_filter: [(PLANE,), (LINE, 2)],
    nd.map_coordinates: [
        *((LINE, ALONG, None, order, mode, 0.7) for order in (1, 2, 3) for mode in MODES),
        (LINE, ALONG, None, 0),
        (PLANE, WITHIN),
        (PLANE, WITHIN, None, 1),
        (PLANE, np.stack([WITHIN, WITHIN[:, ::-1]], axis=1), None, 2, "mirror"),
        Sample((LINE, ALONG), {"prefilter": False, "mode": "mirror"}),
        (SPACE, np.array([[0.3, 1.6], [2.2, 0.9], [0.4, 0.7]]), None, 3, "nearest"),
    ],
    nd.shift: [(LINE, 0.3), (PLANE, np.array([0.4, -1.3]), None, 1), (PLANE, -0.7, None, 3, "mirror")],
    nd.affine_transform: [
        (LINE, np.array([0.73]), 0.31),
        (PLANE, np.array([0.73, 1.21]), np.array([0.41, -0.32]), (3, 4), None, 1),
        (PLANE, np.array([[0.66, 0.35], [-0.0, 0.7]]), 0.46),
        (PLANE, np.array([[0.71, 0.23, 0.44], [-0.13, 0.83, 0.35]]), 0.0, (3, 3), None, 1, "nearest"),
    ],
    nd.zoom: [(LINE, 1.4), (PLANE, (1.6, 0.76), None, 1), (PLANE, 2.0, None, 3, "mirror")],
}
