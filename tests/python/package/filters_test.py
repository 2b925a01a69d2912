# SPDX-License-Identifier: MIT
"""Filters compared with plain NumPy, and with filterpy, pykalman and statsmodels where these are installed."""
import numpy as np
import pytest

import gaia
from refused import refused

TOLERANCE = 1e-10


def covariance(rng, size, scale=1.0):
    root = rng.normal(size=(size, size))
    return scale * (root @ root.T / size + 0.2 * np.eye(size))


def random_model(seed):
    """A stable A, any H, full Q, R and P0, and rows, of which some have missing values and some have none."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    A = rng.normal(size=(n, n))
    A *= 0.95 / max(abs(np.linalg.eigvals(A)))
    H = rng.normal(size=(m, n))
    rows = rng.normal(size=(60, m)) * 2
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[20:23] = np.nan
    return A, H, covariance(rng, n, 0.3), covariance(rng, m), covariance(rng, n, 2.0), rows


def near(got, expected):
    expected = np.asarray(expected)
    assert np.shape(got) == expected.shape
    assert (np.isnan(got) == np.isnan(expected)).all()
    assert np.nanmax(np.abs(got - expected), initial=0.0) <= TOLERANCE * max(1.0, np.nanmax(np.abs(expected), initial=0.0))


def by_hand(step, observe, Q, R, P0, rows):
    """step(x, t) and observe(x, t) return the value and its derivatives."""
    m, P, found = np.zeros(len(Q)), P0, []
    for t, row in enumerate(rows):
        m, A = step(m, t)
        P = A @ P @ A.T + Q
        expected, H = observe(m, t)
        there = ~np.isnan(row)
        innovation, likelihood, nis = np.full(len(row), np.nan), 0.0, np.nan
        if there.any():
            h, v = H[there], (row - expected)[there]
            S = h @ P @ h.T + R[np.ix_(there, there)]
            K = P @ h.T @ np.linalg.inv(S)
            innovation[there], nis = v, v @ np.linalg.solve(S, v)
            likelihood = -0.5 * (nis + np.linalg.slogdet(S)[1] + len(v) * np.log(2 * np.pi))
            m, P = m + K @ v, P - K @ S @ K.T
        found.append((m, P, likelihood, innovation, nis))
    return [np.array(column) for column in zip(*found)]


@pytest.mark.parametrize("form", ["joseph", "root"])
@pytest.mark.parametrize("seed", range(12))
def test_kalman_filters_are_those_of_numpy(seed, form):
    A, H, Q, R, P0, rows = random_model(seed)
    found = gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R, P0=P0, form=form).filter(rows)
    expected = by_hand(lambda x, t: (A @ x, A), lambda x, t: (H @ x, H), Q, R, P0, rows)
    for got, one in zip(found[:5], expected):
        near(got, one)


@pytest.mark.parametrize("seed", range(6))
def test_smoothers_are_those_of_numpy(seed):
    A, H, Q, R, P0, rows = random_model(seed)
    smooth = gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R, P0=P0).smooth(rows)
    means, covariances = by_hand(lambda x, t: (A @ x, A), lambda x, t: (H @ x, H), Q, R, P0, rows)[:2]
    m, P = means[-1], covariances[-1]
    for t in range(len(rows) - 1, -1, -1):
        if t < len(rows) - 1:
            ahead = A @ covariances[t] @ A.T + Q
            C = np.linalg.solve(ahead, A @ covariances[t]).T
            m, P = means[t] + C @ (m - A @ means[t]), covariances[t] + C @ (P - ahead) @ C.T
        near(smooth.mean[t], m)
        near(smooth.covariance[t], P)


STATE, OBSERVATION = "x = x + 0.5*v\nv = 0.9*v - drag*sin(x)", "p = x\nq = cos(x)*v + t/100"


def step(x, t):
    moved = x[0] + 0.5 * x[1]
    c = -0.1 * np.cos(moved)
    return np.array([moved, 0.9 * x[1] - 0.1 * np.sin(moved)]), np.array([[1.0, 0.5], [c, 0.9 + 0.5 * c]])


def observe(x, t):
    return (np.array([x[0], np.cos(x[0]) * x[1] + t / 100]),
            np.array([[1.0, 0.0], [-np.sin(x[0]) * x[1], np.cos(x[0])]]))


def texts(seed):
    rng = np.random.default_rng(seed)
    rows = np.cumsum(rng.normal(size=(60, 2)), axis=0) * 0.2
    rows[rng.random(rows.shape) < 0.2] = np.nan
    return covariance(rng, 2, 0.1), covariance(rng, 2, 0.5), covariance(rng, 2), rows


@pytest.mark.parametrize("seed", range(6))
def test_extended_filters_are_those_of_numpy(seed):
    Q, R, P0, rows = texts(seed)
    one = gaia.ExtendedKalmanFilter(STATE, OBSERVATION, parameters={"drag": 0.1}, Q=Q, R=R, P0=P0)
    for got, expected in zip(one.filter(rows)[:5], by_hand(step, observe, Q, R, P0, rows)):
        near(got, expected)


@pytest.mark.parametrize("alpha, beta, kappa", [(1.0, 0.0, None), (0.5, 2.0, 2.0)])
@pytest.mark.parametrize("seed", range(6))
def test_unscented_filters_are_those_of_numpy(seed, alpha, beta, kappa):
    Q, R, P0, rows = texts(seed)
    one = gaia.UnscentedKalmanFilter(STATE, OBSERVATION, parameters={"drag": 0.1}, Q=Q, R=R, P0=P0, alpha=alpha,
                                     beta=beta, kappa=kappa)
    found = one.filter(rows)
    spread = alpha ** 2 * (2 + (1.0 if kappa is None else kappa))
    w = np.full(5, 0.5 / spread)
    w[0] = 1 - 2 / spread
    c = w + np.array([1 - alpha ** 2 + beta, 0, 0, 0, 0])

    def points(m, P):
        L = np.sqrt(spread) * np.linalg.cholesky(P).T
        return np.vstack([m, m + L, m - L])

    m, P = np.zeros(2), P0
    for t, row in enumerate(rows):
        moved = np.array([step(x, t)[0] for x in points(m, P)])
        m = w @ moved
        P = (moved - m).T @ np.diag(c) @ (moved - m) + Q
        there = ~np.isnan(row)
        if there.any():
            at = points(m, P)
            seen = np.array([observe(x, t)[0][there] for x in at])
            y = w @ seen
            S = (seen - y).T @ np.diag(c) @ (seen - y) + R[np.ix_(there, there)]
            K = (at - m).T @ np.diag(c) @ (seen - y) @ np.linalg.inv(S)
            v = row[there] - y
            near(found.innovation[t][there], v)
            near(found.nis[t], v @ np.linalg.solve(S, v))
            m, P = m + K @ v, P - K @ S @ K.T
        near(found.mean[t], m)
        near(found.covariance[t], P)


GROWTH = {"state": "x = x/2 + 25*x/(1 + x*x) + 8*cos(1.2*t)", "observation": "y = x*x/20", "Q": 10.0, "R": 1.0, "P0": 5.0}


def growth(seed, ticks=200):
    rng = np.random.default_rng(seed)
    x, truth, seen = rng.normal(0.0, np.sqrt(5.0)), [], []
    for t in range(ticks):
        x = x / 2 + 25 * x / (1 + x * x) + 8 * np.cos(1.2 * t) + rng.normal(0.0, np.sqrt(10.0))
        truth.append(x)
        seen.append(x * x / 20 + rng.normal())
    return np.array(truth), np.array(seen)


def test_particles_follow_where_the_extended_filter_is_lost():
    far, lost, inside = [], [], []
    for seed in range(10):
        truth, seen = growth(seed)
        cloud = gaia.ParticleFilter(**GROWTH, seed=seed)
        means = []
        for true, row in zip(truth, seen):
            cloud.predict()
            cloud.update(row)
            means.append(cloud.mean[0])
            inside.append(cloud.quantile(0.025)[0] <= true <= cloud.quantile(0.975)[0])
        far.append(np.sqrt(np.mean((np.array(means) - truth) ** 2)))
        lost.append(np.sqrt(np.mean((gaia.ExtendedKalmanFilter(**GROWTH).filter(seen).mean[:, 0] - truth) ** 2)))
    assert np.mean(far) < 5.8 and np.mean(lost) > 2 * np.mean(far)
    assert 0.92 <= np.mean(inside) <= 0.97


def test_particles_of_a_linear_model_come_near_the_kalman_filter():
    rows = np.cumsum(np.random.default_rng(3).normal(size=80)) * 0.3
    exact = gaia.KalmanFilter("level", Q=0.1, R=0.5).filter(rows)
    cloud = gaia.ParticleFilter("level", Q=0.1, R=0.5, particles=20000, seed=4).filter(rows)
    assert np.abs(cloud.mean - exact.mean).max() < 0.05
    assert abs(cloud.log_likelihood.sum() - exact.log_likelihood.sum()) < 0.5


def test_particles_are_the_same_for_any_number_of_threads_and_go_on():
    seen = growth(1)[1]
    before = gaia.num_threads()
    found = []
    for threads in (1, 3):
        gaia.set_num_threads(threads)
        found.append(gaia.ParticleFilter(**GROWTH, seed=9).filter(seen).mean)
    gaia.set_num_threads(before)
    assert found[0].tobytes() == found[1].tobytes()
    cut = gaia.ParticleFilter(**GROWTH, seed=9)
    cut.filter(seen[:70])
    assert cut.copy().filter(seen[70:]).mean.tobytes() == found[0][70:].tobytes()
    assert gaia.ParticleFilter(**GROWTH, seed=10).filter(seen).mean.tobytes() != found[0].tobytes()


def test_streams_are_filtered_side_by_side():
    rows = np.random.default_rng(2).normal(size=(30, 4, 1))
    for make in (lambda streams: gaia.KalmanFilter("velocity", streams=streams),
                 lambda streams: gaia.UnscentedKalmanFilter("x = tanh(x)", "y = x", streams=streams)):
        side_by_side = make(4).filter(rows)
        for stream in range(4):
            alone = make(None).filter(rows[:, stream])
            assert side_by_side.mean[:, stream].tobytes() == alone.mean.tobytes()


def regimes(seed):
    rng = np.random.default_rng(seed)
    models = [(np.array([[1.0, 1.0], [0.0, 1.0]]), np.diag([0.01, 0.001])),
              (np.array([[0.9, 0.2], [-0.2, 0.9]]), np.diag([0.5, 0.4]))]
    return models, np.array([[1.0, 0.5]]), np.array([[0.7]]), np.array([[0.95, 0.05], [0.1, 0.9]]), rng.normal(size=(60, 1)).cumsum(0)


@pytest.mark.parametrize("seed", range(4))
def test_regimes_are_those_of_numpy(seed):
    models, H, R, p, rows = regimes(seed)
    one = gaia.RegimesFilter([gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R) for A, Q in models], p, initial=[0.5, 0.5])
    found = one.filter(rows)
    mu, ms, Ps = np.array([0.5, 0.5]), [np.zeros(2)] * 2, [np.eye(2)] * 2
    for t, row in enumerate(rows):
        c = p.T @ mu
        new_m, new_P, likelihoods = [], [], []
        for j, (A, Q) in enumerate(models):
            share = p[:, j] * mu / c[j]
            m = sum(s * one_m for s, one_m in zip(share, ms))
            P = sum(s * (one_P + np.outer(one_m - m, one_m - m)) for s, one_m, one_P in zip(share, ms, Ps))
            means, covariances, likelihood = by_hand_from(m, P, A, H, Q, R, row)
            new_m.append(means)
            new_P.append(covariances)
            likelihoods.append(likelihood)
        ms, Ps = new_m, new_P
        joint = c * np.exp(likelihoods)
        mu = joint / joint.sum()
        m = sum(s * one_m for s, one_m in zip(mu, ms))
        near(found.probability[t], mu)
        near(found.log_likelihood[t], np.log(joint.sum()))
        near(found.mean[t], m)
        near(found.covariance[t], sum(s * (P + np.outer(x - m, x - m)) for s, x, P in zip(mu, ms, Ps)))


def by_hand_from(m, P, A, H, Q, R, row):
    m, P = A @ m, A @ P @ A.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    v = row - H @ m
    likelihood = -0.5 * (v @ np.linalg.solve(S, v) + np.linalg.slogdet(S)[1] + len(v) * np.log(2 * np.pi))
    return m + K @ v, P - K @ S @ K.T, likelihood


def test_regimes_are_those_of_filterpy():
    kalman = pytest.importorskip("filterpy.kalman")
    models, H, R, p, rows = regimes(7)
    peers = []
    for A, Q in models:
        peer = kalman.KalmanFilter(dim_x=2, dim_z=1)
        peer.F, peer.Q, peer.H, peer.R, peer.P, peer.x = A, Q, H, R, np.eye(2), np.zeros((2, 1))
        peers.append(peer)
    peer = kalman.IMMEstimator(peers, np.array([0.5, 0.5]), p)
    found = gaia.RegimesFilter([gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R) for A, Q in models], p,
                               initial=[0.5, 0.5]).filter(rows)
    for t, row in enumerate(rows):
        peer.predict()
        peer.update(row[:, None])
        near(found.probability[t], peer.mu)
        near(found.mean[t], peer.x[:, 0])
        near(found.covariance[t], peer.P)


@pytest.mark.parametrize("seed", range(8))
def test_kalman_filters_are_those_of_filterpy(seed):
    kalman = pytest.importorskip("filterpy.kalman")
    A, H, Q, R, P0, rows = random_model(seed)
    rows[np.isnan(rows).any(axis=1)] = np.nan  # it has no rows in part
    peer = kalman.KalmanFilter(dim_x=len(A), dim_z=len(H))
    peer.F, peer.H, peer.Q, peer.R, peer.P, peer.x = A, H, Q, R, P0, np.zeros((len(A), 1))
    found = gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R, P0=P0).filter(rows)
    means, covariances = [], []
    for t, row in enumerate(rows):
        peer.predict()
        if not np.isnan(row[0]):
            peer.update(row[:, None])
            near(found.log_likelihood[t], peer.log_likelihood)
        means.append(peer.x[:, 0].copy())
        covariances.append(peer.P.copy())
        near(found.mean[t], means[-1])
        near(found.covariance[t], covariances[-1])
    m, P, _, _ = peer.rts_smoother(np.array(means)[:, :, None], np.array(covariances))
    smooth = gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R, P0=P0).smooth(rows)
    near(smooth.mean, m[:, :, 0])
    near(smooth.covariance, P)


@pytest.mark.parametrize("seed", range(8))
def test_kalman_filters_are_those_of_pykalman(seed):
    pykalman = pytest.importorskip("pykalman")
    A, H, Q, R, P0, rows = random_model(seed)
    rows[np.isnan(rows).any(axis=1)] = np.nan
    peer = pykalman.KalmanFilter(A, H, Q, R, initial_state_mean=np.zeros(len(A)),
                                 initial_state_covariance=A @ P0 @ A.T + Q)  # its first step does not predict
    masked = np.ma.masked_invalid(rows)
    found = gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R, P0=P0)
    means, covariances = peer.filter(masked)
    filtered = found.copy().filter(rows)
    near(filtered.mean, means)
    near(filtered.covariance, covariances)
    smooth = found.smooth(rows)
    means, covariances = peer.smooth(masked)
    near(smooth.mean, means)
    near(smooth.covariance, covariances)


@pytest.mark.parametrize("seed", range(8))
def test_kalman_filters_are_those_of_statsmodels(seed):
    representation = pytest.importorskip("statsmodels.tsa.statespace.kalman_smoother")
    A, H, Q, R, P0, rows = random_model(seed)
    peer = representation.KalmanSmoother(k_endog=len(H), k_states=len(A), k_posdef=len(A))
    peer["transition"], peer["design"], peer["selection"] = A, H, np.eye(len(A))
    peer["state_cov"], peer["obs_cov"] = Q, R
    peer.initialize_known(np.zeros(len(A)), A @ P0 @ A.T + Q)
    peer.tolerance = 0.0  # else it stops moving covariances where they hardly do
    peer.bind(np.asfortranarray(rows.T))
    result = peer.smooth()
    one = gaia.KalmanFilter({"A": A, "H": H}, Q=Q, R=R, P0=P0)
    found = one.copy().filter(rows)
    near(found.mean, result.filtered_state.T)
    near(found.covariance, np.moveaxis(result.filtered_state_cov, -1, 0))
    near(found.log_likelihood, result.llf_obs)
    smooth = one.smooth(rows)
    near(smooth.mean, result.smoothed_state.T)
    near(smooth.covariance, np.moveaxis(result.smoothed_state_cov, -1, 0))


def test_what_does_not_fit_is_told():
    refused(gaia.ArgumentError, "unknown name 'z'", lambda: gaia.ExtendedKalmanFilter("x = x", "y = z"))
    with pytest.raises(gaia.ArgumentError, match="either a linear model or state and observation"):
        gaia.ParticleFilter("level", state="x = x", observation="y = x")
    refused(gaia.ArgumentError, "either a linear model or state and observation", lambda: gaia.ParticleFilter())
    refused(gaia.ArgumentError, "R: expected a covariance that can be inverted", lambda: gaia.ParticleFilter("level", R=0.0))
    refused(gaia.ArgumentError, "ParticleFilter. model", lambda: gaia.ParticleFilter("levl"))
    refused(gaia.ArgumentError, "kappa", lambda: gaia.UnscentedKalmanFilter("x = x", "y = x", kappa=-2.0))
    refused(gaia.ArgumentError, "from 0 to 1", lambda: gaia.ParticleFilter("level").quantile(1.5))
