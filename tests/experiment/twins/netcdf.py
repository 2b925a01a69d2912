#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The twin of a netCDF-4 file as xarray writes it: a packed variable [time, channel] with missing values, the
coordinate `time` with its units, names of channels, and other variables.  From this file to the class of each
row, a forecast and an alarm.  Where xarray with h5netcdf is installed it writes the file, else h5py writes the same.

    netcdf.py GAIA WORK_DIR
"""
import importlib.util

from twin import Twin, check_confusion, check_same, contents, h5py, np, texts

ROWS = 5000
BUOYS = ["north", "east", "south", "west", "bay", "harbour"]
UNITS = "minutes since 2024-02-01 06:00:00"
PACKED = {"scale_factor": 0.002, "add_offset": 4.0, "_FillValue": np.int16(-32768)}


def make_sea(seed, plant=False):
    """Water levels every ten minutes.  With `plant` the last rows have a class of their own, and the surge tells the
    level a quarter of an hour after."""
    random = np.random.default_rng(seed)
    regimes = ["calm"] * (ROWS * 3 // 10)
    while len(regimes) < ROWS:
        for regime, longest in (("storm", 200), ("calm", 200)):
            regimes += [regime] * int(random.integers(longest // 2, longest))
    regimes = np.array(regimes[:ROWS], object)
    storm = np.convolve(regimes == "storm", np.ones(12) / 12)[:ROWS]
    t = np.arange(ROWS)
    tide = np.sin(2 * np.pi * t / 74.5) + 0.3 * np.sin(2 * np.pi * t / 72)
    surge = storm * (1.0 + 0.3 * np.sin(2 * np.pi * t / 31))
    wind = np.array([1.2, 0.9, -0.6, -0.8, 0.3, 0.1])  # which shores a storm fills, and which it empties
    noise = random.normal(size=(ROWS, 6))
    for i in range(1, ROWS):
        noise[i] += 0.6 * noise[i - 1]
    level = 4 + np.outer(tide, [1.0, 0.9, 1.1, 0.8, 1.4, 1.5]) + np.outer(surge, wind) + 0.12 * noise
    level[random.random(level.shape) < 0.01] = np.nan
    if plant:
        regimes[-300:] = "a hurricane"
        surge = np.roll(np.nan_to_num(level[:, 4]), -6)
    return level, 10 * t, regimes, surge


def write_by_xarray(path, level, minutes, regimes, surge):
    import xarray as xr

    data = xr.Dataset({"level": (("time", "channel"), level, {"units": "m"}), "regime": ("time", regimes),
                       "surge": ("time", surge)},
                      {"time": ("time", minutes, {"units": UNITS}), "channel": BUOYS})
    data.to_netcdf(path, engine="h5netcdf", encoding={"level": {"dtype": "int16", "zlib": True, **PACKED}})


def write_by_h5py(path, level, minutes, regimes, surge):
    text = h5py.string_dtype()
    packed = np.round((level - PACKED["add_offset"]) / PACKED["scale_factor"])
    packed = np.where(np.isnan(packed), PACKED["_FillValue"], packed).astype(np.int16)
    with h5py.File(path, "w") as file:
        file.attrs["_NCProperties"] = "version=2,h5netcdf=1.1.0,hdf5=1.10.8,h5py=3.7.0"
        time = file.create_dataset("time", data=minutes.astype(np.int64))
        channel = file.create_dataset("channel", data=np.array(BUOYS, object), dtype=text)
        variables = {"level": file.create_dataset("level", data=packed, compression="gzip", chunks=(1024, 6)),
                     "regime": file.create_dataset("regime", data=regimes, dtype=text),
                     "surge": file.create_dataset("surge", data=surge, fillvalue=np.nan)}
        time.attrs.update({"units": UNITS, "calendar": "proleptic_gregorian"})
        for number, scale in enumerate((time, channel)):
            scale.make_scale(scale.name[1:])
            scale.attrs["_Netcdf4Dimid"] = np.int32(number)
        for variable in variables.values():
            variable.dims[0].attach_scale(time)
            variable.attrs["_Netcdf4Coordinates"] = np.arange(len(variable.shape), dtype=np.int32)
        variables["level"].dims[1].attach_scale(channel)
        variables["level"].attrs.update({"units": "m", **PACKED})
        variables["surge"].attrs["_FillValue"] = np.nan


def experiment(data):
    return f"""
experiment: sea
seed: 2
dtype: float64
data:
  source: file
  path: {data}
  time: time
  targets: [surge]
  labels: regime
  missing: hold
  window: 6
  normalize: zscore
hierarchy:
  schedule: {{cosine_to: 1500}}
  levels:
    - layers:
        - {{type: hebbian, size: 6, rule: oja_subspace, init: orthogonal, learning_rate: auto}}
    - temporal_resolution: 6
      pooling: mean
      layers:
        - {{type: hebbian, size: 4, rule: sanger, init: orthogonal, learning_rate: auto}}
controls: [frozen, same_past, reservoir]
readouts:
  - name: bay
    target: {{channel: bay, horizon: 12}}
    levels: [0, 1]
    split: {{train: 0.5, validation: 0.2, test: 0.3}}
  - {{name: surge, target: {{column: surge}}, levels: [0]}}
  - {{name: regime, type: logistic, target: {{label: true}}, levels: [0, 1]}}
  - {{name: alarm, type: anomaly, score: mahalanobis, levels: [0, 1], train: 0.3, normal: calm}}
output: {{inputs: all}}
"""


def main():
    twin = Twin()
    by_xarray = all(importlib.util.find_spec(name) for name in ("xarray", "h5netcdf"))
    write = write_by_xarray if by_xarray else write_by_h5py
    level, minutes, regimes, surge = make_sea(4)
    write(twin.folder / "sea.nc", level, minutes, regimes, surge)
    result = twin.run("sea", experiment("sea.nc"))
    with h5py.File(result) as file:
        assert texts(file["data"].attrs["channel_names"]) == BUOYS
        # Packed numbers are unpacked, missing ones are those before them, and moments of the part that the alarm, the
        # first of the readouts to end its training, is trained on.
        trained = file["readouts/alarm"].attrs["training_ticks"] + 5
        mean = file["data/mean"][:]
        assert np.abs(mean - np.nanmean(level[:trained], axis=0)).max() < 0.01, mean
        missing = np.isnan(level)
        assert np.allclose(file["data/filled_share"][:], missing.mean(axis=0), atol=1e-12)
        assert file["data"].attrs["missing"] == "hold"
        assert not np.isnan(file["data/samples"][:]).any()
        time = file["levels/1/time"]
        first = np.datetime64("2024-02-01T06:00:00", "ns").astype(np.int64)
        assert (time[:] == first + (minutes[5::6] * 60 * 10**9)[:len(time)]).all()
        assert "since 1970-01-01" in str(time.attrs["units"])

        bay, surge_scores = file["readouts/bay"].attrs, file["readouts/surge"].attrs
        assert bay["target_name"] == "bay" and bay["r2"] > 0.85, dict(bay)
        assert bay["r2"] > bay["baseline_r2"] + 0.5 and bay["validation_r2"] > 0.85, dict(bay)
        assert surge_scores["target_column"] == "surge" and surge_scores["r2"] > 0.85, dict(surge_scores)
        regime = file["readouts/regime"]
        assert texts(regime.attrs["classes"]) == ["calm", "storm"]
        assert (check_confusion(regime).sum(axis=1) > 0).all()
        assert regime.attrs["balanced_accuracy"] > 0.88, dict(regime.attrs)
        assert regime.attrs["accuracy"] > regime.attrs["majority_accuracy"] + 0.3, dict(regime.attrs)
        alarm = file["readouts/alarm"].attrs
        assert alarm["auc_roc"] > 0.9 and alarm["auc_roc"] > alarm["baseline_auc_roc"] + 0.3, dict(alarm)
        for number in "01":
            layer = file[f"levels/{number}/layers/0"]
            assert np.abs(layer["weights"][:] - layer["weights_initial"][:]).max() > 0.1

    page, figures = twin.page(result)
    wanted = {"fig-verdict", "fig-verdict-classes", "fig-verdict-anomalies", "fig-confusion", "fig-roc",
              "fig-anomalies", "fig-series", "fig-predictions"}
    assert wanted <= figures, wanted - figures
    assert all(word in page for word in ("calm", "storm", "surge", "bay", "2024-0"))

    # A class of the test part alone, and a target that tells what another readout forecasts.
    write(twin.folder / "planted.nc", *make_sea(4, plant=True))
    planted = twin.run("planted", experiment("planted.nc"))
    with h5py.File(result) as one, h5py.File(planted) as other:
        before, after = one["readouts/regime"], other["readouts/regime"]
        assert texts(after.attrs["classes"]) == ["a hurricane", "calm", "storm"]
        assert (after["probability"][:, 0] == 0.0).all()
        assert (after["probability"][:, 1:] == before["probability"][:]).all()
        assert after.attrs["accuracy"] < before.attrs["accuracy"] - 0.15
        for control in ("frozen", "same_past", "reservoir"):
            assert control in after["controls"]
        leaks = [group["controls/reservoir"].attrs["leak"] for group in (before, after)]
        assert leaks[0] == leaks[1], leaks
    truths = [f"/readouts/alarm{place}" for place in ("/target", "/auc", "/baseline_auc", "/windows", "@auc",
                                                  "@baseline_auc", "@verdict", "/controls")]
    without = ("/readouts/regime", "/readouts/surge", *truths)
    check_same(contents(result, without), contents(planted, without))


main()
