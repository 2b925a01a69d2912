# SPDX-License-Identifier: MIT
"""How a process computes: offload.Config, set_runtime, telemetry of runs, and what devices are doing."""
import json
import math
import threading
import time

import numpy as np
import pytest

import gaia
from gaia import offload

MINIMAL = {"experiment": "minimal", "data": {"source": "generator", "kind": "gaussian", "spectrum": [2, 1, 0.5],
                                             "steps": 300},
           "hierarchy": {"levels": [{"layers": [{"type": "hebbian", "size": 2, "rule": "oja"}]}]}}


@pytest.fixture(autouse=True)
def as_before():
    before = gaia.runtime_settings()
    yield
    offload.shutdown()
    assert gaia.runtime_settings() == before


def test_a_config_sets_what_it_names_and_shutdown_puts_it_back():
    before = gaia.runtime_settings()
    config = (offload.Config.builder().gpu(False).threads(3).memory_limit(10**12).policy("warn_once").gpu_threshold(5000)
              .max_retries(2).deterministic(7).processes(2).build())
    assert (config.enable_gpu, config.threads, config.processes) == (False, 3, 2)
    offload.init(config)
    assert gaia.runtime_settings() == {**before, "threads": 3, "memory_limit": 10**12, "transfer_policy": "warn_once",
                                       "offload_threshold": 5000, "retries": 2}
    assert offload.get_runtime().config is config
    drawn = np.asarray(gaia.random.random(4))
    offload.init(config)
    np.testing.assert_array_equal(np.asarray(gaia.random.random(4)), drawn)
    offload.init(offload.Config(threads=2))  # what the first has set and this one does not is as it was
    assert gaia.runtime_settings() == {**before, "threads": 2}
    offload.shutdown()
    assert gaia.runtime_settings() == before


def test_chains_and_scopes_have_the_workers_of_the_config():
    busy, most, lock = 0, 0, threading.Lock()

    def work(item):
        nonlocal busy, most
        with lock:
            busy += 1
            most = max(most, busy)
        time.sleep(0.01)
        with lock:
            busy -= 1
        return item

    offload.init(offload.Config(threads=2))
    assert offload.par_iter(range(12)).map(work).collect() == list(range(12))
    assert most == 2
    most = 0
    with offload.scope() as tasks:
        for item in range(12):
            tasks.spawn(work, item)
    assert most == 2
    most = 0
    assert offload.par_iter(range(12), workers=1).map(work).collect() == list(range(12))
    assert most == 1


def test_a_config_without_settings_changes_nothing():
    gaia.set_runtime(retries=4)
    before = gaia.runtime_settings()
    offload.init(offload.Config())
    assert gaia.runtime_settings() == before
    assert offload.Config().min_bytes == 1_000_000
    offload.shutdown()
    assert gaia.runtime_settings() == before
    gaia.set_runtime(retries=0)


@pytest.mark.parametrize("keys, words", [
    ({"threads": 0}, "threads: expected a whole number from 1 on, got 0"),
    ({"threads": 2.5}, "threads"), ({"threads": True}, "threads"), ({"min_bytes": -1}, "min_bytes"),
    ({"retries": "two"}, "retries"), ({"transfer_policy": "maybe"}, "allow, warn_once, forbid, got 'maybe'")])
def test_a_config_that_cannot_be_is_refused(keys, words):
    with pytest.raises(gaia.ArgumentError, match=words):
        offload.Config(**keys)


def test_settings_that_cannot_be_are_refused_and_change_nothing():
    before = gaia.runtime_settings()
    for keys, words in [({"threads": 1025}, "1 to 1024 threads, got 1025"), ({"memory_limit": -1}, "memory_limit"),
                        ({"transfer_policy": "maybe"}, "known: allow"), ({"retries": 1001}, "retries")]:
        with pytest.raises(gaia.ArgumentError, match=words):
            gaia.set_runtime(**keys)
    with pytest.raises(gaia.DeviceError):
        gaia.set_runtime(threads=2, device="cuda:63")
    assert gaia.runtime_settings() == before


def test_runs_of_this_process_tell_of_themselves(tmp_path):
    lines, metrics = tmp_path / "told.jsonl", tmp_path / "gaia.prom"
    offload.init(offload.Config.builder().telemetry(lines).metrics(metrics).build())
    gaia.run(MINIMAL, output=tmp_path / "r.h5", progress="none")
    told = [json.loads(line) for line in lines.read_text().splitlines()]
    assert told[0]["event"] == "begin" and told[-1]["event"] == "end"
    assert told[-1]["status"] == "complete" and told[-1]["step"] == 300 and told[-1]["errors"] == 0
    assert "gaia_run_is_alive{" in metrics.read_text()
    offload.shutdown()
    gaia.run(MINIMAL, output=tmp_path / "r.h5", overwrite=True, progress="none")
    assert len(lines.read_text().splitlines()) == len(told)


def test_runtime_of_an_experiment(tmp_path):
    lines = tmp_path / "told.jsonl"
    runtime = {"threads": 1, "telemetry": {"file": str(lines), "seconds": 0}}
    gaia.run({**MINIMAL, "runtime": runtime}, output=tmp_path / "r.h5", progress="none")
    assert json.loads(lines.read_text().splitlines()[-1])["step"] == 300
    with pytest.raises(gaia.ConfigError, match="the key `device` beside `runtime`"):
        gaia.check({**MINIMAL, "runtime": {"device": "cpu"}})


def test_what_devices_are_doing():
    usage = gaia.device_usage("cpu")
    assert usage["busy"] is None and usage["why_not"]
    assert gaia.device_info("cpu")["usage"] == usage
    gpu = offload._Gpu()
    if gaia.is_available("cuda"):
        assert math.isnan(gpu.get_utilization()) or 0 <= gpu.get_utilization() <= 100
        assert math.isnan(gpu.get_temperature()) or gpu.get_temperature() > 0
    else:
        for ask in (gpu.get_utilization, gpu.get_temperature):
            with pytest.raises(gaia.DeviceError):
                ask()


def test_pools_count_allocations_and_hits():
    before = gaia.memory_stats("cpu")
    for _ in range(3):
        gaia.Array(np.zeros(300_000)) + 1.0
    after = gaia.memory_stats("cpu")
    assert after["allocations"] >= before["allocations"] + 3
    assert before["hits"] < after["hits"] <= after["allocations"]


def test_every_family_of_kernels_is_registered():
    kernels = gaia.kernel_registry()
    assert {"elementwise", "matmul", "plastic", "equations", "recurrent", "convolution", "optimiser",
            "ternary_product"} <= set(kernels)
    assert kernels["attention"]["is_fused"] and not kernels["matmul"]["is_fused"]
    before = kernels["matmul"]["launches"]
    x = gaia.Array(np.eye(3))
    x @ x
    assert gaia.kernel_registry()["matmul"]["launches"] == before + 1
