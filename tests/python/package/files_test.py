# SPDX-License-Identifier: MIT
"""Arrays in files, compared with NumPy."""
import numpy as np
import pytest

import gaia


def arrays_of_all_kinds(random):
    made = {f"{np.dtype(kind)}.{rank}": random.normal(size=tuple(random.integers(0, 5, rank))).astype(kind) * 3
            for kind in ("f4", "f8", "i4", "i8") for rank in range(5)}
    made["mask"] = random.normal(size=(3, 4)) > 0
    return made


def test_files_are_numpys():
    random = np.random.default_rng(0)
    compared = 0
    for _ in range(10):
        arrays = arrays_of_all_kinds(random)
        gaia.save("a.npz", {name: gaia.array(x) for name, x in arrays.items()}, overwrite=True)
        np.savez("b.npz", **arrays)
        np.savez_compressed("c.npz", **arrays)
        with np.load("a.npz") as read:
            assert sorted(read) == sorted(arrays)
            for name, x in arrays.items():
                assert read[name].dtype == x.dtype and np.array_equal(read[name], x)
        for path in ("b.npz", "c.npz"):
            read = gaia.load(path)
            assert sorted(read) == sorted(arrays)
            for name, x in arrays.items():
                assert read[name].dtype == x.dtype and np.array_equal(gaia.to_numpy(read[name]), x)
                compared += 1
    for order in "CF":
        x = np.asarray(random.normal(size=(3, 4, 5)), order=order)
        np.save("x.npy", x)
        assert np.array_equal(gaia.to_numpy(gaia.load("x.npy")["array"]), x)
        gaia.save("y.npy", gaia.array(x), overwrite=True)
        assert np.array_equal(np.load("y.npy"), x)
    print(f"{compared} arrays compared")


def test_tables_are_numpys():
    x = np.random.default_rng(0).normal(size=(20, 3))
    gaia.save("x.csv", gaia.array(x))
    assert np.array_equal(np.loadtxt("x.csv", delimiter=","), x)
    assert np.array_equal(gaia.to_numpy(gaia.load("x.csv")["array"]), x)
    gaia.save("named.csv", {"time": gaia.array(x[:, 0]), "value": gaia.array(x[:, 1])})
    read = np.genfromtxt("named.csv", delimiter=",", names=True)
    assert np.array_equal(read["time"], x[:, 0]) and np.array_equal(read["value"], x[:, 1])


def test_other_names_are_refused_and_files_stay():
    with pytest.raises(gaia.ArgumentError, match=r"ends with .h5, .hdf5, .npy, .npz or .csv, got 'x.txt'"):
        gaia.save("x.txt", gaia.ones(3))
    gaia.save("x.h5", gaia.ones(3))
    with pytest.raises(gaia.OutputError, match="x.h5 exists; use the option overwrite"):
        gaia.save("x.h5", gaia.zeros(3))
    assert gaia.load("x.h5")["array"].tolist() == [1, 1, 1]
