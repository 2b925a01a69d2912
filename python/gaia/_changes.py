# SPDX-License-Identifier: MIT
"""Detectors of changes in a series of numbers that come one by one."""
import numpy as np

from . import _gaia
from .errors import ShapeError


class _Detector:
    """What detectors of changes have in common; `_core` and `_settings` are theirs."""

    def update(self, x) -> bool:
        """Takes the next number x and returns whether there is a change.  Raises ArgumentError unless it is finite."""
        return self._core.update(float(x))

    def find(self, series) -> list:
        """Takes all numbers of a series [n], one by one, and returns the indices at which there was a change.

        Raises ShapeError for an array of several axes, ArgumentError at a number that is not finite.
        """
        series = np.ascontiguousarray(series, dtype=np.float64)
        if series.ndim != 1:
            raise ShapeError(f"[{type(self).__name__}.find] expected a series [n], got {list(series.shape)}")
        return self._core.update_all(series)

    @property
    def detected(self) -> bool:
        """Whether there was a change at the last number."""
        return self._core.detected()

    @property
    def statistic(self) -> float:
        """How much speaks for a change; what it is compared with is in the formula of the class."""
        return self._core.statistic()

    @property
    def estimation(self) -> float:
        """Mean of the numbers that are taken for one regime; 0 before the first."""
        return self._core.estimation()

    @property
    def width(self) -> int:
        """The number of numbers that are taken for one regime."""
        return self._core.width()

    def copy(self):
        """Another detector that knows the same."""
        made = type(self)(**self._settings)
        made._core.set_state(self._core.state())
        return made

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __getstate__(self):
        return {"settings": self._settings, "state": self._core.state()}

    def __setstate__(self, kept):
        self.__init__(**kept["settings"])
        self._core.set_state(kept["state"])

    def __repr__(self):
        return f"<gaia.{type(self).__name__} over {self.width} numbers of mean {self.estimation:.4g}>"


class PageHinkley(_Detector):
    """The test of Page (1954) and Hinkley for a change of the mean of numbers x_1, x_2, ...

        detector = gaia.PageHinkley(threshold=20, mode="up")
        for error in errors:
            if detector.update(error):
                retrain()

    With m_t the mean since the start or the last change, up_t = alpha up_(t-1) + x_t - m_t - delta and down_t = alpha
    down_(t-1) + x_t - m_t + delta, there is a change where up_t less its least value so far, or the largest value of
    down so far less down_t, is above the threshold.  The number after a change is the first of a new series.

    min_instances  numbers before which no change is reported
    delta          change of the mean that is none, in units of the numbers
    threshold      value that the statistic of a change exceeds, in units of the numbers
    alpha          weight that a sum keeps, one number later
    mode           "up", "down" or "both": which way the mean goes

    Names, defaults and answers are those of river.  Raises ArgumentError for settings that are out of range.
    """

    def __init__(self, *, min_instances=30, delta=0.005, threshold=50.0, alpha=1 - 0.0001, mode="both") -> None:
        self._settings = {"min_instances": int(min_instances), "delta": float(delta), "threshold": float(threshold),
                          "alpha": float(alpha), "mode": str(mode)}
        self._core = _gaia._PageHinkley(*self._settings.values())


class Adwin(_Detector):
    """ADWIN of Bifet and Gavalda (2007): a window of the newest numbers, from which old ones go where their mean
    differs from that of the newer ones.

        detector = gaia.Adwin()
        changes = detector.find(wrong)      # of each prediction 1 where it was wrong, 0 where it was right

    At every clock-th number all cuts of the window of W numbers into n0 older and n1 newer ones are looked at; there
    is a change where |mu0 - mu1| > sqrt(2 / m s^2 L) + 2 / (3 m) L with L = ln(2 ln(W) / delta), s^2 the variance of the
    window and 1 / m = 1 / (n0 - min_window_length + 1) + 1 / (n1 - min_window_length + 1).  The bound holds for numbers
    from 0 to 1.  `statistic` is the largest quotient of the two sides.  The number after a change is the first of a
    new window.

    delta              probability of a change that is none, at every look
    clock              numbers from one look to the next
    max_buckets        buckets of one size in which the window is kept
    min_window_length  numbers of the shorter part at least
    grace_period       numbers before which no change is reported

    Names, defaults and answers are those of river.  Raises ArgumentError for settings that are out of range.
    """

    def __init__(self, delta=0.002, *, clock=32, max_buckets=5, min_window_length=5, grace_period=10) -> None:
        self._settings = {"delta": float(delta), "clock": int(clock), "max_buckets": int(max_buckets),
                          "min_window_length": int(min_window_length), "grace_period": int(grace_period)}
        self._core = _gaia._Adwin(*self._settings.values())

    @property
    def variance(self) -> float:
        """Variance of the numbers in the window."""
        return self._core.variance()
