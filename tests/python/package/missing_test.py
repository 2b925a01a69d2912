# SPDX-License-Identifier: MIT
"""Missing values of what Python passes: filled by what came before them, and never scored."""
import numpy as np
import pytest

import gaia

h5py = pytest.importorskip("h5py")


def noise_with_gaps(rows=3000, first=1):
    """White noise [rows, 1] without every other value."""
    x = np.random.default_rng(5).standard_normal((rows, 1))
    x[first::2] = np.nan
    return x


def forecast(missing, target=None, data=None):
    return {
        "experiment": "noise",
        "dtype": "float64",
        "data": {"window": 6, "missing": missing, **(data or {})},
        "hierarchy": {"levels": [{"layers": [{"type": "reactive", "size": 12, "activation": "linear"}]}]},
        "readouts": [{"name": "next", "target": target or {"channel": 0, "horizon": 1}, "levels": [0]}],
        "output": {"inputs": "all"},
    }


def held(x, fill):
    """Fills missing values by plain loops."""
    last, out = fill, []
    for value in x:
        last = last if np.isnan(value) else value
        out.append(last)
    return np.array(out)


def tables(x):
    """The same column in everything that is read."""
    yield "array", x
    yield "float32", x.astype(np.float32)
    yield "dict", {"0": x[:, 0]}
    pd = pytest.importorskip("pandas")
    yield "frame", pd.DataFrame(x, columns=["0"])
    yield "nullable", pd.DataFrame({"0": pd.array(x[:, 0], dtype="Float64")})
    xr = pytest.importorskip("xarray")
    yield "xarray", xr.DataArray(x, dims=("row", "channel"))


@pytest.mark.parametrize("first", [0, 1])
def test_noise_that_is_held_is_not_to_be_forecast(first):
    x = noise_with_gaps(first=first)
    for name, table in tables(x):
        result = gaia.run(forecast("hold"), table, output=f"{name}.h5")
        assert abs(result.scores[0]["score"]["value"]) < 0.05, name
        with h5py.File(f"{name}.h5") as file:
            samples, fill = file["data/samples"][()], file["data/fill"][0]
            target, step = file["readouts/next/target"][()], file["readouts/next/step"][()]
            assert file["data"].attrs["missing"] == "hold"
            assert file["data/filled_share"][0] == 0.5
            assert file["data/longest_gap"][0] == 1
        wanted = held(np.asarray(x[:, 0], "f4" if name == "float32" else "f8").astype("f8"), fill)
        np.testing.assert_array_equal(samples[:, -1], wanted[5:], err_msg=name)
        # The target of step s, whose window ends at row s + 5, is row s + 6.
        np.testing.assert_array_equal(np.isnan(target), np.isnan(x[step + 6, 0]), err_msg=name)


def test_a_target_column_with_gaps_has_no_part_in_the_inputs():
    pd = pytest.importorskip("pandas")
    x = noise_with_gaps()[:, 0]
    experiment = forecast("hold", {"column": "y", "horizon": 1}, {"targets": ["y"]})
    result = gaia.run(experiment, pd.DataFrame({"x": x, "y": x}), output="r.h5")
    assert abs(result.scores[0]["score"]["value"]) < 0.05


def test_interpolation_looks_ahead_and_the_verdict_says_so():
    x = noise_with_gaps()
    ahead = gaia.run(forecast("interpolate"), x, output="ahead.h5")
    assert ahead.scores[0]["score"]["value"] > 0.9  # of later rows
    assert "look ahead" in ahead.verdict
    held_back = gaia.run(forecast("hold"), x, output="held.h5")
    assert "look ahead" not in held_back.verdict
    whole = gaia.run(forecast("interpolate"), np.nan_to_num(x), output="whole.h5")
    assert "look ahead" not in whole.verdict
