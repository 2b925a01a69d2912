#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the headers beside it: small data, and what scikit-learn and SciPy make of them.

    python3 -m venv VENV && VENV/bin/pip install scikit-learn
    VENV/bin/python tests/reference/scikit_learn/make.py [NAME...]

NAME is pca, ...: one header each; all of them without one.  Data are rounded to a few digits, so
that what stands in the file is exactly what scikit-learn was given.
"""

import pathlib
import sys
import textwrap

import numpy as np
import scipy
import scipy.linalg
import scipy.spatial.distance
import sklearn
import sklearn.decomposition
import sklearn.linear_model
import sklearn.metrics
import sklearn.utils.class_weight

FOLDER = pathlib.Path(__file__).parent


def write(name, about, **values):
    """A header with a vector of doubles for each array, row by row, or a number."""
    lines = ["// SPDX-License-Identifier: MIT", "/// \\file", f"/// {about}",
             f"/// Made by make.py with scikit-learn {sklearn.__version__}, SciPy "
             f"{scipy.__version__} and NumPy {np.__version__}.",
             "#pragma once", "", "#include <vector>", "", "// clang-format off",
             f"namespace gaia::test::scikit_{name} {{", ""]
    for key, value in values.items():
        array = np.asarray(value, dtype=float)
        # Integers as such, others in the fewest digits that read back.
        words = [repr(int(v)) if v == int(v) and abs(v) < 1e15 else repr(float(v))
                 for v in array.ravel()]
        if array.ndim == 0:
            lines += [f"inline constexpr double {key} = {words[0]};", ""]
            continue
        shape = ", ".join(str(n) for n in array.shape)
        lines.append(f"/// [{shape}]")
        lines.append(f"inline const std::vector<double> {key} = {{")
        lines += textwrap.wrap(", ".join(words), 100, initial_indent="  ", subsequent_indent="  ",
                               break_on_hyphens=False)
        lines += ["};", ""]
    lines += [f"}}  // namespace gaia::test::scikit_{name}", ""]
    (FOLDER / f"{name}.h").write_text("\n".join(lines))


def make_pca():
    random = np.random.default_rng(1)
    mixing = random.normal(size=(6, 6)) * [3, 2, 1.5, 1, 0.7, 0.5]
    rows = np.round(random.normal(size=(40, 6)) @ mixing.T + [100, -20, 0, 1, 7, 1000], 3)
    pca = sklearn.decomposition.PCA(svd_solver="full").fit(rows)
    covariance = np.cov(rows.T)
    epsilon = 0.05
    ridge = epsilon * np.trace(covariance) / 6 * np.eye(6)
    write("pca", "Principal components and whitening of 40 rows of 6 features.",
          rows=rows, covariance=covariance, mean=pca.mean_, components=pca.components_,
          variances=pca.explained_variance_, codes=pca.transform(rows[:5]),
          epsilon=epsilon, zca_matrix=scipy.linalg.inv(scipy.linalg.sqrtm(covariance + ridge)))


def make_scores():
    random = np.random.default_rng(2)
    metrics = sklearn.metrics
    targets = np.round(random.normal(size=(30, 3)) * [1, 10, 0.1] + [0, 1000, -5], 3)
    predictions = np.round(targets + random.normal(size=(30, 3)) * [0.3, 2, 0.2], 3)
    # Class 3 is never predicted, class 7 never true, and 5 never right.
    truth = random.choice([0, 1, 2, 3, 5], p=[0.4, 0.3, 0.1, 0.1, 0.1], size=60)
    predicted = np.where(random.random(60) < 0.6, truth, random.choice([0, 1, 2, 7], size=60))
    predicted = np.where((predicted == 3) | (predicted == 5), 7, predicted)
    classes = np.array([0, 1, 2, 3, 5])
    evidence = random.normal(size=(60, 5)) + 2 * (truth[:, None] == classes)
    probabilities = np.exp(evidence) / np.exp(evidence).sum(1, keepdims=True)
    probabilities = np.round(probabilities, 2)  # with ties, and here and there 0
    probabilities[:, 0] += 1 - probabilities.sum(1)
    probabilities = np.abs(np.round(probabilities, 2))
    flags = (random.random(50) < 0.3).astype(int)
    values = np.round(random.normal(size=50) + flags, 1)
    wrong_way, right_way, thresholds = metrics.roc_curve(flags, values, drop_intermediate=False)
    codes = np.array([0, 1, 2, 3, 5, 7])
    write("scores", "Scores of regression, of classes and of rankings.",
          targets=targets, predictions=predictions,
          r2=metrics.r2_score(targets, predictions),
          r2_of_columns=metrics.r2_score(targets, predictions, multioutput="raw_values"),
          truth=truth, predicted=predicted, classes=classes, probabilities=probabilities,
          accuracy=metrics.accuracy_score(truth, predicted),
          balanced_accuracy=metrics.balanced_accuracy_score(truth, predicted),
          macro_f1=metrics.f1_score(truth, predicted, average="macro", zero_division=0),
          confusion=metrics.confusion_matrix(truth, predicted, labels=codes),
          log_loss=metrics.log_loss(truth, probabilities, labels=classes),
          mean_auc=metrics.roc_auc_score(truth, probabilities, multi_class="ovr", labels=classes),
          flags=flags, values=values, roc_auc=metrics.roc_auc_score(flags, values),
          average_precision=metrics.average_precision_score(flags, values),
          curve_false=wrong_way, curve_true=right_way, curve_thresholds=thresholds[1:])


def logistic(rows, codes, l2, class_weight=None):
    """Weights, intercepts and probabilities of the first rows; C as logistic.h converts it."""
    strength = l2 * rows.var(0).mean()
    model = sklearn.linear_model.LogisticRegression(
        C=1 / (len(rows) * strength), solver="newton-cholesky", tol=1e-12, max_iter=10000,
        class_weight=class_weight)
    model.fit(rows, codes)
    # It is at the minimum: the gradient of the mean loss in its own units is as good as 0.
    p = model.predict_proba(rows)
    wrong = p - (codes[:, None] == model.classes_)
    if class_weight is not None:
        wrong *= sklearn.utils.class_weight.compute_sample_weight(class_weight, codes)[:, None]
    if len(model.classes_) == 2:
        wrong = wrong[:, 1:]
    gradient = wrong.T @ rows / len(rows) + strength * model.coef_
    assert np.abs(gradient / rows.std(0)).max() < 1e-10, np.abs(gradient / rows.std(0)).max()
    weights, intercepts = model.coef_, model.intercept_
    if len(intercepts) > 1:
        # What all classes have in common changes no probability and is 0 at the minimum; the solver
        # leaves a rest of it where the penalty is small.
        weights = weights - weights.mean(0)
        intercepts = intercepts - intercepts.mean()
    return weights, intercepts, p[:6]


def make_logistic():
    random = np.random.default_rng(3)
    values = {}

    def case(name, rows, codes, l2):
        weights, intercepts, probabilities = logistic(rows, codes, l2)
        values.update({name + "_rows": rows, name + "_codes": codes, name + "_l2": l2,
                       name + "_weights": weights, name + "_intercepts": intercepts,
                       name + "_probabilities": probabilities})

    # Four classes, one of a single row; features that nearly copy each other, far from 0.
    hidden = random.normal(size=(90, 3))
    mixed = hidden @ random.normal(size=(3, 5))
    rows = np.round(mixed + 0.05 * random.normal(size=(90, 5)) + 20, 3)
    codes = 3 * np.argmax(hidden + 0.7 * random.normal(size=(90, 3)), 1)
    codes[17] = 11
    case("four", rows, codes, 1e-3)
    # Two classes of the first 40 rows, which are there already.
    case("two", rows[:40], (hidden[:40, 0] + 0.5 * random.normal(size=40) > 0.4).astype(int), 0.02)
    del values["two_rows"]
    # Three that can be told apart without fault, with next to no penalty.
    codes = np.arange(30) % 3
    rows = np.round(random.normal(size=(30, 2)) * 0.3, 3)
    rows += np.array([[0, 0], [3, 0], [0, 3]])[codes]
    case("apart", np.round(rows, 3), codes, 1e-6)
    # One feature a million times as large as the others.
    rows = np.round(random.normal(size=(60, 3)), 3) * [1, 1e6, 1]
    codes = np.argmax(rows / [1, 1e6, 1] + random.normal(size=(60, 3)), 1)
    case("scaled", rows, codes, 1e-14)
    write("logistic", "Multinomial logistic regression.", **values)


def make_balanced():
    random = np.random.default_rng(6)
    values = {}
    # Three classes of 50, 12 and 4 rows that overlap, and two of 50 and 12.
    centres = {0: [0, 0, 0], 2: [1, 0.5, 0], 7: [0, 1, 1]}
    for name, counts, l2 in [("three", {0: 50, 2: 12, 7: 4}, 1e-2), ("two", {0: 50, 2: 12}, 1e-3)]:
        y = random.permutation(np.repeat(list(counts), list(counts.values())))
        x = np.round(random.normal(size=(len(y), 3)) + [centres[c] for c in y], 3)
        weights, intercepts, probabilities = logistic(x, y, l2, "balanced")
        values.update({name + "_rows": x, name + "_codes": y, name + "_l2": l2,
                       name + "_weights": weights, name + "_intercepts": intercepts,
                       name + "_probabilities": probabilities})
    write("balanced", "Multinomial logistic regression with class_weight=balanced.", **values)


def make_online():
    random = np.random.default_rng(4)
    rows = np.round(random.normal(size=(50, 3)) + [0, 5, -1], 3)
    mapped = rows @ random.normal(size=(3, 2)) + [3, -2]
    targets = np.round(mapped + 0.3 * random.normal(size=(50, 2)), 3)
    whole = np.column_stack([rows, np.ones(50)])  # the intercept is a weight like others
    delta = 0.5
    ridge = sklearn.linear_model.Ridge(alpha=delta, fit_intercept=False, solver="cholesky")
    ridge.fit(whole, targets)
    # The normal equations, whose rows are forgotten and whose regularisation is renewed in turn.
    forgetting = 0.9
    normal, cross = delta * np.eye(4), np.zeros((4, 2))
    for i, (x, y) in enumerate(zip(whole, targets)):
        normal = forgetting * normal + np.outer(x, x)
        cross = forgetting * cross + np.outer(x, y)
        normal[i % 4, i % 4] += delta * (1 - forgetting**4)
    forgetful = np.linalg.solve(normal, cross).T
    # Normalised least mean squares.
    step, epsilon = 0.7, 0.01
    nlms, predictions = np.zeros((2, 4)), []
    for x, y in zip(whole, targets):
        predictions.append(nlms @ x)
        nlms += step * np.outer(y - nlms @ x, x) / (epsilon + x @ x)
    write("online", "Regression row by row.", rows=rows, targets=targets, delta=delta,
          ridge_weights=ridge.coef_, forgetting=forgetting, forgetful_weights=forgetful, step=step,
          epsilon=epsilon, nlms_weights=nlms, nlms_predictions=np.array(predictions))


def make_anomaly():
    random = np.random.default_rng(5)
    rows = np.round(random.normal(size=(30, 3)) @ random.normal(size=(3, 3)) + [10, 0, -3], 3)
    others = np.round(random.normal(size=(8, 3)) * 3 + [10, 0, -3], 3)
    ridge = 0.01
    covariance = np.cov(rows.T)
    inverse = np.linalg.inv(covariance + ridge * np.trace(covariance) / 3 * np.eye(3))
    write("anomaly", "Mahalanobis distances from 30 rows.", rows=rows, others=others, ridge=ridge,
          distances=[scipy.spatial.distance.mahalanobis(x, rows.mean(0), inverse) for x in others])


MAKERS = {name[len("make_"):]: value for name, value in list(globals().items())
          if name.startswith("make_")}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or MAKERS:
        MAKERS[wanted]()
