# SPDX-License-Identifier: MIT
"""There is one of scikit-learn's estimators for each neuron; it learns a sample at a time by partial_fit.

Rules with a target are SGDRegressor and SGDClassifier without penalty and intercept, at a constant rate. Of the rules
without a target, scikit-learn has the results and not the steps: IncrementalPCA has them for the subspace of Sanger
and Oja, and MiniBatchKMeans has them for competition.
"""
import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import IncrementalPCA
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor

from peer import Deviation, Record, signal

LIBRARY = "scikit-learn"
PACKAGES = ("scikit-learn", "numpy")
DTYPE = "float64"
SETTINGS = {"penalty": None, "fit_intercept": False, "shuffle": False}
WAYS = {
    "delta": "SGDRegressor(loss='squared_error', learning_rate='constant', eta0=rate)",
    "nlms": "SGDRegressor(loss='epsilon_insensitive', learning_rate='pa2', epsilon=0, eta0=C), the passive-aggressive "
            "algorithm: its step (target - y) x / (|x|^2 + 1/(2 C)) is this rule with a rate of 1, epsilon being "
            "1/(2 C), and sample_weight is the rate",
    "perceptron": "Perceptron(eta0=rate); its classes -1 and 1 do not make the step twice as large. At w . x = 0, "
                  "which no vector has, it learns the class 0 too, where the paper's neuron is silent and right: from "
                  "weights of 0 the first steps differ",
    "logistic": "SGDClassifier(loss='log_loss', learning_rate='constant', eta0=rate)",
    "macqueen": "MiniBatchKMeans(batch_size=1, reassignment_ratio=0), which counts the initial weights as a sample "
                "each, since its first call needs one for each centre"}


def estimators(case):
    rate, many = case.parameters["rate"], len(case.weights_initial)
    constant = SETTINGS | {"learning_rate": "constant", "eta0": rate}
    return {
        "delta": lambda: [SGDRegressor(loss="squared_error", **constant) for _ in range(many)],
        "nlms": lambda: [SGDRegressor(loss="epsilon_insensitive", epsilon=0, learning_rate="pa2",
                                      eta0=1 / (2 * case.parameters["epsilon"]), **SETTINGS) for _ in range(many)],
        "perceptron": lambda: [Perceptron(eta0=rate, **SETTINGS) for _ in range(many)],
        "logistic": lambda: [SGDClassifier(loss="log_loss", **constant) for _ in range(many)]}[case.name]()


def with_a_target(case):
    learners, record, classes = estimators(case), Record(case), case.name in ("perceptron", "logistic")
    more = {"classes": [0.0, 1.0]} if classes else {}
    for learner, w in zip(learners, case.weights_initial):
        learner.partial_fit(np.zeros((1, len(w))), [0.0], **more)      # makes coef_; an input of 0 teaches nothing
        learner.coef_[...] = w
    for t, x in enumerate(case.x):
        y, target = [], signal(case, "target", t)
        for learner, wanted in zip(learners, target):
            y.append(learner.predict_proba([x])[0, 1] if case.name == "logistic" else learner.predict([x])[0])
            weight = {"sample_weight": [case.parameters["rate"]]} if case.name == "nlms" else {}
            learner.partial_fit([x], [wanted], **more, **weight)
        record.tick(t, y, [learner.coef_.reshape(-1) for learner in learners])
    return record.found()


def k_means(case):
    learner, record = MiniBatchKMeans(len(case.weights_initial), init=case.weights_initial, n_init=1, batch_size=1,
                                      reassignment_ratio=0), Record(case)
    w = case.weights_initial
    learner.partial_fit(w)                    # the first call wants as many samples as there are centres
    for t, x in enumerate(case.x):
        learner.partial_fit([x])
        moved = np.abs(learner.cluster_centers_ - w).max(axis=1) > 0
        w = learner.cluster_centers_.copy()
        record.tick(t, moved.astype(float), w)
    return record.found()


def nearest_by_one_over_n(k):
    best = int((k.z - 0.5 * (k.w**2).sum(axis=1)).argmax())
    k.wins = getattr(k, "wins", np.ones(len(k.w)))
    k.wins[best] += 1
    y = np.eye(len(k.w))[best]
    dw = y[:, None] * (k.x - k.w) / k.wins[best]
    return (np.abs(dw).max(axis=1) > 0).astype(float), dw


DEVIATIONS = {"competitive": [Deviation(
    "winner, scale", "MiniBatchKMeans moves the centre that is nearest to the sample by 1/n of the way at its n-th "
    "sample, so that the centre is the mean of its samples; this is MacQueen's k-means of 1967. The rule moves the "
    "neuron with the largest w . x by the same share each time.", reading=nearest_by_one_over_n, variant="macqueen")]}
OTHERS = {
    "sanger": "IncrementalPCA computes the components of each batch exactly and has no step for one sample; the "
              "results of both are compared above",
    "oja_subspace": "IncrementalPCA computes the components of each batch exactly and has no step for one sample; the "
                    "results of both are compared above"}


def can(case):
    if case.name in WAYS or case.name in DEVIATIONS:
        return None
    if case.name in OTHERS:
        return OTHERS[case.name]
    return "no estimator learns by this rule"


def run(case):
    return with_a_target(case) if "target" in case.signals else k_means(case)


def beside(_):
    """Sanger's rule and Oja's end in the subspace that IncrementalPCA computes."""
    random = np.random.default_rng(1)
    x = random.standard_normal((40000, 8)) * np.array([3, 2.5, 2, 1, 0.8, 0.6, 0.4, 0.2])
    x = x @ np.linalg.qr(random.standard_normal((8, 8)))[0]
    found = IncrementalPCA(3, batch_size=100).fit(x).components_
    sanger = 0.1 * random.standard_normal((3, 8))
    subspace = sanger.copy()
    for t, sample in enumerate(x):
        rate = 1 / (200 + t)
        y, z = sanger @ sample, subspace @ sample
        sanger += rate * (np.outer(y, sample) - np.tril(np.outer(y, y)) @ sanger)
        subspace += rate * np.outer(z, sample - z @ subspace)

    def apart(one, other):
        """The largest angle between two subspaces, in degrees."""
        one, other = np.linalg.qr(one.T)[0], np.linalg.qr(other.T)[0]
        return np.degrees(np.arccos(np.clip(np.linalg.svd(one.T @ other)[1].min(), 0, 1)))

    def within(angle):
        return f"within {np.ceil(2 * angle) / 2:g}°"
    rows = max(apart(sanger[[i]], found[[i]]) for i in range(3))
    return (f"Outside of the vectors, after 40 000 samples of eight Gaussian inputs at a rate of 1/(200 + t), each of "
            f"the three neurons of Sanger's rule is {within(rows)} of its component of IncrementalPCA, and the "
            f"subspace of Oja's three is {within(apart(subspace, found))} of theirs.")
