#include "app/cli/command_line.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace lightrail;

namespace {

CommandLine parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "lightrail");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}
std::string problem(const std::vector<const char*>& words) {
  try {
    parsed(words);
    return "";
  } catch (const InputErrors& errors) {
    return errors.what();
  }
}

}  // namespace

TEST_CASE("a run takes a scenario and its options in any order") {
  const CommandLine line = parsed(
      {"run",        "--set",   "pxn=on",    "x.xml",         "--set=servers=4", "--seed", "7",
       "--out",      "r.h5",    "--stop-at", "10 us",         "--exit-after",    "2 min",  "--engine",
       "reference",  "--block", "64",        "--partitioner", "stripes",         "--io",   "gather",
       "--progress", "none",    "--plugin",  "a.so",          "--summary",       "s.json", "--catalogue",
       "c"});
  CHECK(line.command == Command::run);
  CHECK(line.positional == std::vector<std::string>{"x.xml"});
  CHECK(line.settings == std::vector<std::string>{"pxn=on", "servers=4"});
  CHECK(line.has_seed);
  CHECK(line.seed == 7);
  CHECK(line.out == "r.h5");
  CHECK(line.run.stop_at == microseconds(10));
  CHECK(line.run.exit_after_s == Approx(120.0));
  CHECK(line.run.engine == Engine::reference);
  CHECK(line.run.block == 64);
  CHECK(line.run.progress == Progress::none);
  CHECK(line.partition.partitioner == Partitioner::stripes);
  CHECK(line.io == RecordMode::gather);
  CHECK(line.plugins == std::vector<std::string>{"a.so"});
  CHECK(line.summary_file == "s.json");
  CHECK(line.catalogue == "c");
  CHECK(line.typed.rfind("lightrail run --set pxn=on x.xml", 0) == 0);
}

TEST_CASE("without options a run has the defaults") {
  const CommandLine line = parsed({"run", "x.xml"});
  CHECK_FALSE(line.has_seed);
  CHECK(line.run.stop_at == time_never);
  CHECK(line.run.engine == Engine::window);
  CHECK(line.io == RecordMode::automatic);
}

TEST_CASE("help and version come first") {
  CHECK(parsed({}).command == Command::help);
  CHECK(parsed({"--help"}).command == Command::help);
  CHECK(parsed({"--version"}).command == Command::version);
  const CommandLine line = parsed({"validate", "--help"});
  CHECK(line.command == Command::help);
  CHECK(line.help.find("--budget") != std::string::npos);
  CHECK(line.help.find("--exit-after") == std::string::npos);
  CHECK(parsed({}).help.find("exit codes: 0 done") != std::string::npos);
}

TEST_CASE("every command lists its options") {
  for (const CommandDoc& command : command_docs())
    for (const OptionDoc& option : option_docs())
      CHECK((usage_text(command).find("--" + std::string(option.name) + " ") != std::string::npos) ==
            option.applies_to(command.command));
}

TEST_CASE("unknown commands and options are answered with the one meant") {
  CHECK(problem({"runn", "x.xml"}) ==
        "unknown command: invalid choice 'runn' (one of run, validate, describe, sweep, trace, system, "
        "collective, explain, report, goodput, ladder, plan, catalogue, new, completion, man; did you mean "
        "'run'?)");
  CHECK(problem({"run", "x.xml", "--enginee", "window"}) ==
        "unknown option '--enginee' (did you mean '--engine'?)");
  CHECK(problem({"run", "x.xml", "--colour"}) == "unknown option '--colour'");
  CHECK(problem({"--list"}) == "no command given; lightrail --help lists them");
}

TEST_CASE("abbreviations are not guessed") {
  CHECK(problem({"run", "x.xml", "--eng", "window"}).rfind("unknown option '--eng'", 0) == 0);
}

TEST_CASE("an option that the command ignores is refused") {
  CHECK(problem({"validate", "x.xml", "--summary", "s.json"}) ==
        "option --summary has no effect on 'lightrail validate' (it belongs to run, sweep, collective, "
        "goodput)");
  CHECK(problem({"run", "x.xml", "--map"}) ==
        "option --map has no effect on 'lightrail run' (it belongs to validate)");
}

TEST_CASE("missing and surplus arguments are counted") {
  CHECK(problem({"run"}) == "lightrail run takes SCENARIO, got 0 arguments");
  CHECK(problem({"run", "a.xml", "b.xml"}) == "lightrail run takes SCENARIO, got 2 arguments");
  CHECK(problem({"trace", "show"}) == "lightrail trace takes import|generate|show ..., got 1 arguments");
}

TEST_CASE("bad values name the option") {
  CHECK(problem({"run", "x.xml", "--stop-at", "10"}) ==
        "option --stop-at: invalid time '10' (expected a number with a unit: ns, us, ms, s, min, h)");
  CHECK(problem({"run", "x.xml", "--stop-at=-10 us"}) ==
        "option --stop-at: invalid time '-10 us' (must not be negative)");
  CHECK(problem({"run", "x.xml", "--stop-at", "0 s"}) ==
        "option --stop-at: '0 s' is out of range (1 ps ... never)");
  CHECK(problem({"run", "x.xml", "--engine", "windows"}) ==
        "option --engine: invalid choice 'windows' (one of window, reference; did you mean 'window'?)");
  CHECK(problem({"run", "x.xml", "--block", "0"}) == "option --block: '0' is out of range (1 ... 65536)");
  CHECK(problem({"run", "x.xml", "--plugin", ""}) == "option --plugin: no file given");
  CHECK(problem({"run", "x.xml", "--seed=-1"}) ==
        "option --seed: '-1' is out of range (0 ... 9223372036854775807)");
  CHECK(problem({"run", "x.xml", "--out"}).rfind("command line: ", 0) == 0);
  CHECK(problem({"run", "x.xml", "--out", "a", "--out", "b"}).rfind("command line: ", 0) == 0);
}

TEST_CASE("a sweep as a study hands to its runs what was said of them") {
  CHECK_FALSE(parsed({"sweep", "x.xml"}).study.is_asked_for);
  const StudyLine study =
      parsed({"sweep", "x.xml", "--jobs", "4", "--ranks", "2", "--set", "a=1", "--seed", "7", "--engine",
              "reference", "--out", "f", "--only", "b=2", "--retry", "1"})
          .study;
  CHECK(study.is_asked_for);
  CHECK(study.jobs == 4);
  CHECK(study.retries == 1);
  CHECK(study.keeps_results);
  CHECK(study.launch == std::vector<std::string>{"mpiexec", "-n", "2"});
  CHECK(study.only == std::vector<std::string>{"b=2"});
  CHECK(study.run_options ==
        std::vector<std::string>{"--set", "a=1", "--seed", "7", "--engine", "reference"});
  CHECK(study.deciding == std::vector<std::string>{"--seed", "7"});
  CHECK(parsed({"sweep", "x.xml", "--jobs", "0", "--launch", "srun  -n 2"}).study.launch ==
        std::vector<std::string>{"srun", "-n", "2"});
  CHECK(parsed({"sweep", "x.xml", "--merge"}).study.only_merges);
}

TEST_CASE("what a study cannot do is refused") {
  CHECK(problem({"sweep", "x.xml", "--ranks", "2"}) == "option --ranks has no effect without --jobs N");
  CHECK(problem({"sweep", "x.xml", "--jobs", "2", "--list"}) ==
        "lightrail sweep takes either --jobs or --list");
  CHECK(problem({"sweep", "x.xml", "--jobs", "2", "--ranks", "2", "--launch", "srun"}) ==
        "lightrail sweep takes either --ranks or --launch");
  CHECK(problem({"sweep", "x.xml", "--merge", "--only", "a=1"}) ==
        "option --only has no effect beside --merge");
}

TEST_CASE("a sweep lists its points, runs one or runs all") {
  CHECK(parsed({"sweep", "x.xml"}).sweep_case == -1);
  CHECK(problem({"sweep", "x.xml", "--resume", "y"}) ==
        "option --resume belongs to one point of a sweep (name it with --case N)");
  CHECK(problem({"sweep", "x.xml", "--checkpoint", "y"}) ==
        "option --checkpoint belongs to one point of a sweep (name it with --case N)");
  CHECK(parsed({"sweep", "x.xml", "--checkpoint", "none"}).run.checkpoint.folder == "none");
  CHECK(parsed({"sweep", "x.xml", "--list"}).list);
  CHECK(parsed({"sweep", "x.xml", "--case", "3"}).sweep_case == 3);
  CHECK(problem({"sweep", "x.xml", "--list", "--case", "1"}) ==
        "lightrail sweep takes either --list or --case N");
  CHECK(problem({"sweep", "x.xml", "--case=-1"}) ==
        "option --case: '-1' is out of range (0 ... 9223372036854775807)");
}
