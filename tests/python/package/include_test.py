# SPDX-License-Identifier: MIT
"""Experiments that include other YAML files: what is in the results, and how runs of them go on."""
import hashlib

import numpy as np
import pytest

import gaia

h5py = pytest.importorskip("h5py")

BASE = """experiment: base
seed: 3
data: {source: generator, kind: gaussian, spectrum: [2, 1, 0.5], steps: 300}
hierarchy:
  levels:
    - temporal_resolution: 1
      layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.01}]
"""


def files(tmp_path, own):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "base.yaml").write_text(BASE)
    file = tmp_path / "e.yaml"
    file.write_text(own)
    return file


def test_a_run_says_which_files_it_includes(tmp_path):
    file = files(tmp_path, "include: parts/base.yaml\nexperiment: mine\ndata: {steps: 200}\n")
    gaia.check(file)
    result = gaia.run(file, output=tmp_path / "r.h5", progress="none")
    whole = tmp_path / "whole.yaml"
    whole.write_text(BASE)
    same = gaia.run(whole, output=tmp_path / "w.h5", set={"data.steps": 200, "experiment": "mine"}, progress="none")
    np.testing.assert_array_equal(result.level(0)["representation"].values, same.level(0)["representation"].values)
    with h5py.File(tmp_path / "r.h5") as one, h5py.File(tmp_path / "w.h5") as other:
        base = tmp_path / "parts" / "base.yaml"
        assert [str(name) for name in one.attrs["input_files"]] == [str(base)]
        assert [str(name) for name in one.attrs["included_files"]] == [str(base)]
        assert list(one.attrs["input_sha256"]) == [hashlib.sha256(base.read_bytes()).hexdigest()]
        assert one.attrs["config"].replace("r.h5", "w.h5") == other.attrs["config"]
        assert "included_files" not in other.attrs and len(other.attrs["input_files"]) == 0


def test_a_cut_run_goes_on_with_and_without_its_files(tmp_path):
    file = files(tmp_path, "include: parts/base.yaml\ndata: {steps: 200000}\n")
    whole = gaia.run(file, output=tmp_path / "whole.h5", progress="none").level(0)["representation"].values
    for name, removed in [("a", False), ("b", True)]:
        output = tmp_path / f"{name}.h5"
        gaia.run(file, output=output, progress="none", max_seconds=0)
        assert (tmp_path / f"{name}.h5.partial").exists()
        if removed:
            file.unlink()
            (tmp_path / "parts" / "base.yaml").unlink()
        resumed = gaia.resume(output, progress="none")
        np.testing.assert_array_equal(resumed.level(0)["representation"].values, whole)
        with h5py.File(output) as one:
            assert len(one.attrs["input_files"]) == 1 and len(one.attrs["included_files"]) == 1


def test_a_cut_run_does_not_go_on_with_another_included_file(tmp_path):
    file = files(tmp_path, "include: parts/base.yaml\ndata: {steps: 200000}\n")
    base = tmp_path / "parts" / "base.yaml"
    output = tmp_path / "r.h5"
    gaia.run(file, output=output, progress="none", max_seconds=0)
    base.write_text(BASE.replace("rate: 0.01", "rate: 0.02"))
    with pytest.raises(gaia.ConfigError, match=r"learning_rate: 0.01 in the result, 0.02 in"):
        gaia.resume(output, progress="none")
    base.write_text("# a remark\n" + BASE)
    gaia.resume(output, progress="none")
    with h5py.File(output) as one:
        assert list(one.attrs["input_sha256"]) == [hashlib.sha256(BASE.encode()).hexdigest()]


def test_a_sweep_of_an_included_file(tmp_path):
    file = files(tmp_path, "include: parts/base.yaml\nexperiment: many\nsweep: {seeds: 2}\n")
    result = gaia.sweep(file, output=tmp_path / "many", progress="none")
    assert result is not None
    again = gaia.sweep(file, output=tmp_path / "many", progress="none")     # all members are there
    assert again is not None


def test_mistakes_are_told_in_the_file_where_they_stand(tmp_path):
    file = files(tmp_path, "include: parts/base.yaml\n")
    with pytest.raises(gaia.ConfigError, match=r"base\.yaml:2:7: seed"):
        (tmp_path / "parts" / "base.yaml").write_text(BASE.replace("seed: 3", "seed: many"))
        gaia.check(file)
    file.write_text("include: gone.yaml\n")
    with pytest.raises(gaia.ConfigError, match=r"e\.yaml:1:10: include: .*gone\.yaml: no such file") as told:
        gaia.check(file)
    assert "missing" not in str(told.value)     # keys that the file would have had
