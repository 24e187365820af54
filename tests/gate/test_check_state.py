"""tools/check-state finds members that a checkpoint would forget, and nothing else."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check-state"

HEADER = """class Toy final : public Component {
 public:
  explicit Toy(const BuildContext& build) : model_(build.model), id_(build.id) { setup(); }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;
 private:
  struct Port {
    SimTime free_at{};  ///< when; "quoted {"
    std::uint32_t lane = 0;
  };
  const Model& model_;
  ComponentId id_{};
  std::vector<std::map<int, Port>> ports_;
  int first_ = 0, second_ = 0;
};
"""
SOURCE = """void Toy::save(StateWriter& out) const { %s }
void Toy::load(StateReader& in) { %s }
"""
SAVED = "out.put(ports_), out.put(first_), out.put(second_);"
LOADED = "in.get(ports_), in.get(first_), in.get(second_);"
FIXED = "Toy: id_\n"


def check(saved=SAVED, loaded=LOADED, fixed=FIXED, header=HEADER):
    """Runs the tool on one component; returns (exit code, output)."""
    with tempfile.TemporaryDirectory() as folder:
        toy = pathlib.Path(folder, "components", "toy")
        toy.mkdir(parents=True)
        (toy / "toy.hpp").write_text(header)
        (toy / "toy.cpp").write_text(SOURCE % (saved, loaded))
        (pathlib.Path(folder) / "tools").mkdir()
        pathlib.Path(folder, "tools", "fixed-members.txt").write_text(fixed)
        run = subprocess.run(["/usr/bin/python3", TOOL, folder], capture_output=True, text=True)
        return run.returncode, run.stdout


class CheckState(unittest.TestCase):
    def test_a_class_that_saves_and_loads_all_that_changes_passes(self):
        self.assertEqual(check(), (0, "every member that changes is saved and loaded\n"))

    def test_a_member_that_neither_function_names_is_found(self):
        code, out = check("out.put(ports_), out.put(first_);", "in.get(ports_), in.get(first_);")
        self.assertEqual(code, 1)
        self.assertIn("components/toy/toy.hpp: Toy: 'second_' is neither saved nor listed as fixed", out)

    def test_a_member_that_is_saved_and_not_loaded_is_found(self):
        code, out = check(SAVED, "in.get(ports_), in.get(first_);")
        self.assertEqual(code, 1)
        self.assertIn("save() names ports_, first_, second_; load() names ports_, first_", out)

    def test_members_that_are_loaded_in_another_order_are_found(self):
        self.assertEqual(check(SAVED, "in.get(first_), in.get(ports_), in.get(second_);")[0], 1)

    def test_a_member_that_never_changes_must_be_listed(self):
        code, out = check(fixed="")
        self.assertEqual(code, 1)
        self.assertIn("Toy: 'id_'", out)

    def test_a_line_of_the_list_that_fits_nothing_is_found(self):
        self.assertIn("Toy: 'gone_' is saved, cannot change or does not exist",
                      check(fixed="Toy: id_ gone_\n")[1])

    def test_a_loop_that_saves_some_fields_of_a_struct_forgets_the_others(self):
        loop = "for (%sPort& p : ports_) %s(p.free_at); %s"
        code, out = check(loop % ("const ", "out.put", "out.put(first_), out.put(second_);"),
                          loop % ("", "in.get", "in.get(first_), in.get(second_);"))
        self.assertEqual(code, 1)
        self.assertIn("Toy::Port: 'lane' is neither saved", out)

    def test_a_class_without_load_is_found(self):
        with_save_only = HEADER.replace("  void load(StateReader& in) override;\n", "")
        with tempfile.TemporaryDirectory() as folder:
            toy = pathlib.Path(folder, "components", "toy")
            toy.mkdir(parents=True)
            (toy / "toy.hpp").write_text(with_save_only.replace("const override;",
                                                                "const override { out.put(ports_); }"))
            run = subprocess.run(["/usr/bin/python3", TOOL, folder], capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("lacks the body of save() or load()", run.stdout)

    def test_the_tree_passes_and_has_classes_to_check(self):
        run = subprocess.run(["/usr/bin/python3", TOOL, ROOT], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, "every member that changes is saved and loaded\n"))
        self.assertGreater(len((ROOT / "tools/fixed-members.txt").read_text().splitlines()), 10)


if __name__ == "__main__":
    unittest.main()
