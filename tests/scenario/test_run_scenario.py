#!/usr/bin/python3
"""The reader of expectations reads and compares what it should."""
import unittest

import run_scenario


class RunScenario(unittest.TestCase):
    def test_expectations_stand_in_comments_and_end_at_an_empty_line(self):
        text = "<!-- question\n expect\n  a = 1\n  b.c = x\n\n  d = 2\n expect set n=3\n  a = 2 -->"
        self.assertEqual(run_scenario.expectations(text),
                         [([], [("a", "1"), ("b.c", "x")]), (["set", "n=3"], [("a", "2")])])

    def test_long_runs_are_told_from_others_by_their_first_word(self):
        runs = [([], [("a", "1")]), (["long", "set", "n=3"], [("a", "2")])]
        self.assertEqual(run_scenario.select(runs, False), [([], [("a", "1")])])
        self.assertEqual(run_scenario.select(runs, True), [(["set", "n=3"], [("a", "2")])])

    def test_a_line_that_is_no_expectation_is_refused(self):
        with self.assertRaises(SystemExit):
            run_scenario.expectations("<!--\nexpect\n a is 1\n-->")

    def test_exact_numbers_agree_only_when_equal(self):
        self.assertTrue(run_scenario.agrees(12, "12"))
        self.assertFalse(run_scenario.agrees(12, "13"))
        self.assertTrue(run_scenario.agrees("done", "done"))
        self.assertFalse(run_scenario.agrees("failed", "done"))
        self.assertTrue(run_scenario.agrees(None, "null"))

    def test_tolerances_are_shares_or_absolute(self):
        self.assertTrue(run_scenario.agrees(105, "100 +- 5 %"))
        self.assertFalse(run_scenario.agrees(105.1, "100 +- 5 %"))
        self.assertTrue(run_scenario.agrees(98, "100 +- 2"))
        self.assertFalse(run_scenario.agrees(97, "100 +- 2"))

    def test_ranges_include_their_ends(self):
        self.assertTrue(run_scenario.agrees(0.25, "0.25 ... 0.3"))
        self.assertFalse(run_scenario.agrees(0.31, "0.25 ... 0.3"))

    def test_options_are_pairs_and_ranks_are_not_an_option(self):
        self.assertEqual(run_scenario.command_options(["ranks", "2", "set", "n=3"]), (2, "run", ["--set", "n=3"]))
        self.assertEqual(run_scenario.command_options([]), (1, "run", []))
        self.assertEqual(run_scenario.command_options(["command", "goodput"]), (1, "goodput", []))
        with self.assertRaises(SystemExit):
            run_scenario.command_options(["set"])

    def test_names_below_names_are_found(self):
        self.assertEqual(run_scenario.look_up({"a": {"b": 3}}, "a.b"), 3)
        with self.assertRaises(KeyError):
            run_scenario.look_up({"a": {"b": 3}}, "a.c")


if __name__ == "__main__":
    unittest.main()
