"""tools/check-layers finds what breaks the layering, and nothing else."""
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-layers"


def check(files):
    """Runs the tool on a tree of {path: text}; returns (exit code, output)."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        run = subprocess.run(["/usr/bin/python3", TOOL, folder], capture_output=True, text=True)
        return run.returncode, run.stdout


class CheckLayers(unittest.TestCase):
    def test_an_engine_that_includes_a_component_is_named_with_its_line(self):
        code, out = check({"engine/sync/window.cpp": '#include <vector>\n#include "components/gpu/gpu.hpp"\n'})
        self.assertEqual(code, 1)
        self.assertIn("engine/sync/window.cpp:2: engine/sync must not include components/gpu/gpu.hpp", out)

    def test_a_component_that_includes_its_neighbour_is_found(self):
        code, out = check({"components/nic/nic.cpp": '#include "components/switch/switch.hpp"\n'})
        self.assertEqual(code, 1)
        self.assertIn("components/nic must not include components/switch/switch.hpp", out)

    def test_base_may_include_only_itself(self):
        self.assertEqual(check({"engine/base/time.hpp": '#include "engine/base/id.hpp"\n'})[0], 0)
        self.assertEqual(check({"engine/base/time.hpp": '#include "engine/model/event.hpp"\n'})[0], 1)

    def test_a_workload_may_include_the_train_and_no_other_component_header(self):
        path = "workloads/collective/ring.cpp"
        self.assertEqual(check({path: '#include "network/wire/train.hpp"\n'})[0], 0)
        self.assertEqual(check({path: '#include "network/routing/routing.hpp"\n'})[0], 1)

    def test_the_registry_and_the_command_line_may_include_all(self):
        text = '#include "components/gpu/gpu.hpp"\n'
        self.assertEqual(check({"components/registry.cpp": text, "app/cli/run.cpp": text,
                                "app/main.cpp": text})[0], 0)

    def test_an_include_that_does_not_start_at_the_root_is_found(self):
        self.assertEqual(check({"links/fibre.cpp": '#include "../engine/base/time.hpp"\n'})[0], 1)
        self.assertEqual(check({"links/fibre.cpp": '#include "fibre.hpp"\n'})[0], 1)

    def test_a_folder_whose_name_only_starts_like_an_allowed_one_is_found(self):
        self.assertEqual(check({"links/fibre.cpp": '#include "engine/model_extra/x.hpp"\n'})[0], 1)


if __name__ == "__main__":
    unittest.main()
