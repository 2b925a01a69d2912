# SPDX-License-Identifier: MIT
"""Plants violations in a small tree and sees whether scripts/check_layers finds them."""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/check_layers")

SOUND_TREE = {
    "src/gaia.h": '#include "array/array.h"\n',
    "src/core/error.h": "#include <string>\n",
    "src/core/log.cpp": '#include <spdlog/spdlog.h>\n#include "error.h"\n',
    "src/formulas/elementwise.h": '#include <cmath>\n#include "../core/error.h"\n',
    "src/array/backend.h": '#include "../formulas/elementwise.h"\n#include "../formulas/rules.h"\n',
    "src/array/array.h": '#include "backend.h"\n',
    "src/formulas/rules.h": '#include "../core/error.h"\n',
    "src/learning/plasticity.h": '#include "../array/array.h"\n#include "../formulas/rules.h"\n',
    "src/layers/hierarchy/layer.h": '#include "../../learning/plasticity.h"\n',
    "src/hierarchy/level.h": '#include "../layers/hierarchy/layer.h"\n',
    "src/io/hdf5.h": "#include <string>\n",
    "src/io/hdf5.cpp": '#include "hdf5.h"\n#include <hdf5.h>\n',
    "src/experiment/config/yaml.cpp": "#include <yaml-cpp/yaml.h>\n",
    "src/experiment/config/config.h": '#include "../../io/hdf5.h"\n',
    "src/experiment/data/experiment.h": '#include "../config/config.h"\n',
    "src/experiment/readouts/control.h": '#include "../data/experiment.h"\n',
    "src/experiment/players/player.h": '#include "../readouts/control.h"\n',
    "src/experiment/setup/load.h": '#include "../players/player.h"\n',
    "src/experiment/init/survey.h": '#include "../setup/load.h"\n',
    "src/experiment/results/results_file.h": '#include "../setup/load.h"\n',
    "src/experiment/run/run.h": '#include "../results/results_file.h"\n',
    "src/experiment/live/stream.h": '#include "../run/run.h"\n',
    "src/experiment/sweep/sweep.h": '#include "../live/stream.h"\n',
    "cpu/backend.cpp": '#include "../src/array/backend.h"\n#include <Eigen/Core>\n',
    "cuda/backend.cu": '#include <cuda_runtime.h>\n#include "../src/array/backend.h"\n',
    "apps/gaia/main.cpp": '#include "../../src/gaia.h"\n#include <CLI/CLI.hpp>\n',
}


def check(tree):
    """Exit status and output of the script for a tree of files."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr


class CheckLayers(unittest.TestCase):
    def planted(self, path, line, *expected):
        """Checks that `line`, as third line of a file, is reported there, and alone."""
        before = SOUND_TREE.get(path, "")
        text = "// first line\n/* second */\n" + line + "\n" + before
        status, output = check({**SOUND_TREE, path: text})
        self.assertEqual(status, 1, output)
        for part in (f"{path}:3: ",) + expected:
            self.assertIn(part, output)
        self.assertEqual(len(output.splitlines()), 2, output)

    def test_a_sound_tree_passes(self):
        status, output = check(SOUND_TREE)
        self.assertEqual((status, output), (0, f"{len(SOUND_TREE)} files, 0 wrong includes\n"))

    def test_layers_do_not_look_up(self):
        self.planted("src/core/error.h", '#include "../formulas/elementwise.h"',
                     "layer 'core' may not include src/formulas/elementwise.h (layer 'formulas'); "
                     "allowed: core")
        self.planted("src/formulas/elementwise.h", '#include "../array/backend.h"', "'interface'")
        self.planted("src/array/backend.h", '#include "array.h"',
                     "layer 'interface' may not include src/array/array.h (layer 'array'); "
                     "allowed: core, formulas, interface")
        self.planted("src/array/array.h", '#include "../learning/plasticity.h"', "'learning'")
        self.planted("src/formulas/rules.h", '#include "../learning/plasticity.h"', "'formulas'")
        self.planted("src/learning/plasticity.h", '#include "../layers/hierarchy/layer.h"', "'layers'")
        self.planted("src/layers/hierarchy/layer.h", '#include "../../hierarchy/level.h"', "'hierarchy'")
        self.planted("src/hierarchy/level.h", '#include "../io/hdf5.h"', "'io'")
        self.planted("src/layers/hierarchy/layer.h", '#include "../../gaia.h"', "'everything'")

    def test_rooms_of_an_experiment_do_not_look_up(self):
        files = ["config/config", "data/experiment", "readouts/control", "players/player",
                 "setup/load", "init/survey", "results/results_file", "run/run", "live/stream",
                 "sweep/sweep"]
        for file, above in zip(files, files[1:]):
            room = file.split("/")[0]
            self.planted(f"src/experiment/{file}.h", f'#include "../{above}.h"',
                         f"layer '{room}' may not include src/experiment/{above}.h")

    def test_backends_see_the_interface_and_not_each_other(self):
        self.planted("cpu/backend.cpp", '#include "../src/array/array.h"',
                     "layer 'cpu' may not include src/array/array.h (layer 'array'); "
                     "allowed: core, formulas, interface, cpu")
        self.planted("cpu/backend.cpp", '#include "../cuda/backend.cu"', "'cuda'")
        self.planted("cuda/backend.cu", '#include "../cpu/backend.cpp"', "'cpu'")
        self.planted("src/array/array.h", '#include "../../cpu/backend.cpp"', "'cpu'")
        self.planted("apps/gaia/main.cpp", '#include "../../cpu/backend.cpp"', "'cpu'")

    def test_libraries_stay_where_they_belong(self):
        self.planted("src/array/array.cpp", "#include <cuda_runtime.h>",
                     "<cuda_runtime.h> is of CUDA; allowed in: cuda")
        self.planted("cpu/backend.cpp", "#  include <cublasLt.h>", "is of CUDA")
        self.planted("src/hierarchy/level.cpp", "#include <hdf5.h>",
                     "<hdf5.h> is of HDF5; allowed in: io, config, data, readouts, players, setup, "
                     "init, results, run, live, sweep")
        self.planted("apps/gaia/main.cpp", "#include <H5Cpp.h>", "is of HDF5")
        self.planted("src/layers/hierarchy/layer.cpp", "#include <yaml-cpp/yaml.h>", "is of YAML")
        self.planted("src/array/array.cpp", "#include <mpi.h>", "is of MPI")

    def test_installed_headers_need_nothing_but_the_standard_library(self):
        for header in ("fmt/core.h", "Eigen/Core", "spdlog/spdlog.h", "unistd.h"):
            self.planted("src/array/array.h", f"#include <{header}>",
                         f"<{header}> in an installed header; allowed: standard headers")
        self.planted("src/io/hdf5.h", "#include <hdf5.h>", "in an installed header")

    def test_files_of_the_tree_are_named_relative_in_quotes(self):
        self.planted("src/array/array.h", "#include <gaia/core/error.h>",
                     "name it relative to this one, in quotes")
        self.planted("cpu/backend.cpp", "#include <src/core/error.h>", "in quotes")
        self.planted("src/array/array.h", '#include "core/error.h"',
                     '"core/error.h" is no file relative to this one')
        self.planted("src/core/log.cpp", '#include "spdlog/fmt.h"', "<> for all others")
        self.planted("src/core/log.cpp", "#include HEADER", "is neither")

    def test_every_folder_has_a_layer(self):
        status, output = check({**SOUND_TREE, "src/misc/helper.h": ""})
        self.assertEqual(status, 1)
        self.assertIn("src/misc/helper.h:1: belongs to no layer", output)

    def test_comments_and_strings_are_no_includes(self):
        text = ('// #include "../array/array.h"\n/*\n#include <hdf5.h>\n*/\n'
                'const char* a = R"(\n#include <hdf5.h>\n)";\nconst char* b = "/*";\n'
                '#include "../hierarchy/level.h"  // here\nconst char* c = "*/";\n')
        status, output = check({**SOUND_TREE, "src/core/text.cpp": text})
        self.assertEqual(status, 1)
        self.assertIn("src/core/text.cpp:9: ", output)
        self.assertEqual(len(output.splitlines()), 2, output)

    def test_an_empty_tree_is_a_mistake(self):
        status, output = check({"README.md": ""})
        self.assertEqual(status, 1)
        self.assertIn("no sources", output)


if __name__ == "__main__":
    unittest.main()
