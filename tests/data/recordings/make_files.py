# SPDX-License-Identifier: MIT
"""Writes the files of this folder again, by the programs that README.md names.

    python make_files.py

All values are computed here, so that nothing of anybody else is in them.  Files with times of writing in
them (EDF, NWB) differ by those from what is in the folder.
"""

import os
import wave

import numpy
import pyedflib
import scipy.io
import scipy.sparse
import soundfile

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def signal(label, rate, low, high, digital):
    return {"label": label, "dimension": "uV", "sample_frequency": rate, "physical_min": low,
            "physical_max": high, "digital_min": -digital - 1, "digital_max": digital,
            "transducer": "", "prefilter": ""}


def write_edf(name, kind, signals, seconds, annotations=()):
    random = numpy.random.default_rng(len(name))
    writer = pyedflib.EdfWriter(name, len(signals), file_type=kind)
    writer.setSignalHeaders(signals)
    samples = []
    for one in signals:
        digital = random.integers(one["digital_min"], one["digital_max"] + 1,
                                  one["sample_frequency"] * seconds)
        digital[:2] = one["digital_min"], one["digital_max"]
        samples.append(digital.astype(numpy.int32))
    writer.writeSamples(samples, digital=True)
    for onset, duration, text in annotations:
        writer.writeAnnotation(onset, duration, text)
    writer.close()


def values_of_edf(name, signals):
    reader = pyedflib.EdfReader(name)
    values = numpy.stack([reader.readSignal(i) for i in signals], axis=1)
    reader.close()
    return values


def edf():
    write_edf("plain.edf", pyedflib.FILETYPE_EDF,
              [signal("EEG Fpz-Cz", 16, -187.5, 187.0, 32767), signal("EEG Pz-Oz", 16, -0.7, 0.3, 2047),
               signal("EOG", 16, 1000, -1000, 100)], 4)
    numpy.save("plain_edf.npy", values_of_edf("plain.edf", [0, 1, 2]))
    write_edf("plus.edf", pyedflib.FILETYPE_EDFPLUS,
              [signal("C3", 16, -200, 200, 32767), signal("Temp", 2, 20, 45, 1000),
               signal("C4", 16, -200, 200, 32767)], 4,
              [(0.0, 1.5, "rest"), (1.5, 1.0, "left"), (2.25, -1, "click"), (3.0, 1.0, "rest")])
    numpy.save("plus_edf.npy", values_of_edf("plus.edf", [0, 2]))
    write_edf("plain.bdf", pyedflib.FILETYPE_BDFPLUS,
              [signal("A1", 16, -262144, 262143, 8388607), signal("Status", 16, -8388608, 8388607, 8388607)],
              3, [(0.5, 1.0, "on"), (1.5, 1.0, "off")])
    numpy.save("plain_bdf.npy", values_of_edf("plain.bdf", [0, 1]))
    gaps()


def gaps():
    """plus.edf with gaps (EDF+D), which pyedflib does not write: records begin at 0, 1, 5 and 6 s."""
    bytes_of = bytearray(open("plus.edf", "rb").read())
    bytes_of[192:197] = b"EDF+D"
    count = int(bytes_of[252:256])
    samples = [int(bytes_of[256 + 216 * count + 8 * i:264 + 216 * count + 8 * i]) for i in range(count)]
    record = 2 * sum(samples)
    at = 256 * (count + 1) + 2 * sum(samples[:-1])
    for i, onset in enumerate([0, 1, 5, 6]):
        begin = at + i * record
        assert bytes_of[begin:begin + 4] == b"+%d\x14\x14" % i, bytes_of[begin:begin + 8]
        bytes_of[begin:begin + 2] = b"+%d" % onset
    open("gaps.edf", "wb").write(bytes_of)


def matlab():
    random = numpy.random.default_rng(5)
    variables = {
        "x": random.normal(size=(60, 3)),
        "whole": numpy.arange(60.0).reshape(60, 1) ** 2,  # doubles that are packed as integers
        "single_row": numpy.linspace(0, 1, 60, dtype=numpy.float32).reshape(1, 60),
        "i8": numpy.arange(-20, 40, dtype=numpy.int8),
        "u8": numpy.arange(190, 250, dtype=numpy.uint8),
        "i16": (numpy.arange(60) * 1000 - 30000).astype(numpy.int16),
        "u16": (numpy.arange(60) * 1000).astype(numpy.uint16),
        "i32": (numpy.arange(60) * 7 * 10 ** 7 - 2 * 10 ** 9).astype(numpy.int32),
        "u32": (numpy.arange(60) * 7 * 10 ** 7).astype(numpy.uint32),
        "i64": numpy.arange(60, dtype=numpy.int64) - 2 ** 53,
        "u64": numpy.arange(60, dtype=numpy.uint64) + 2 ** 53,
        "truth": numpy.arange(60) % 3 == 0,
        "trials": random.normal(size=(4, 10, 3)),
        "one": 7.5,
        "wave_of_z": random.normal(size=(60, 1)) + 1j,
        "sparse_one": scipy.sparse.csc_matrix(numpy.eye(40)),
        "cells": numpy.array(["a", 1], dtype=object),
        "fields": {"a": 1, "b": 2},
        "text": "a text",
        "none": numpy.zeros((0, 3)),
    }
    scipy.io.savemat("plain.mat", variables, oned_as="column")
    scipy.io.savemat("packed.mat", variables, oned_as="column", do_compression=True)
    numpy.save("plain_mat_x.npy", scipy.io.loadmat("plain.mat")["x"])
    numpy.save("plain_mat_trials.npy", scipy.io.loadmat("plain.mat")["trials"])


def sound():
    random = numpy.random.default_rng(6)
    with wave.open("pcm16.wav", "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(random.integers(-32768, 32768, (60, 2)).astype("<i2").tobytes())
    with wave.open("pcm8.wav", "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(11025)
        file.writeframes(random.integers(0, 256, 61).astype("u1").tobytes())
    values = random.uniform(-1, 1, (60, 3))
    for kind, form, name in [("PCM_24", "WAV", "pcm24.wav"), ("PCM_32", "WAV", "pcm32.wav"),
                             ("FLOAT", "WAV", "float32.wav"), ("DOUBLE", "WAV", "float64.wav"),
                             ("PCM_24", "WAVEX", "extensible.wav"), ("PCM_16", "RF64", "long.wav")]:
        soundfile.write(name, values, 44100, subtype=kind, format=form)
    for name in os.listdir("."):
        if name.endswith(".wav"):
            numpy.save(name.replace(".wav", "_wav.npy"), soundfile.read(name, dtype="float64", always_2d=True)[0])


def nwb():
    import datetime

    from pynwb import NWBHDF5IO, NWBFile, TimeSeries

    file = NWBFile("numbers that were made for tests", "gaia",
                   datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc))
    random = numpy.random.default_rng(7)
    numbers = random.integers(-2000, 2000, (50, 2)).astype(numpy.int16)
    file.add_acquisition(TimeSeries(name="even", data=numbers, unit="V", conversion=1.25e-7, offset=3e-5,
                                    starting_time=2.5, rate=40.0))
    file.add_acquisition(TimeSeries(name="stamped", data=numbers[:, 0].astype(float), unit="m",
                                    timestamps=numpy.arange(50) / 40.0 + 0.25))
    with NWBHDF5IO("plain.nwb", "w") as io:
        io.write(file, cache_spec=False)
    with NWBHDF5IO("plain.nwb", "r", load_namespaces=False) as io:
        numpy.save("plain_nwb_even.npy", io.read().acquisition["even"].get_data_in_units())


if __name__ == "__main__":
    edf()
    matlab()
    sound()
    nwb()
