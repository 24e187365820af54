#include "app/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fabrics/import/system_format.hpp"
#include "workloads/import/trace_formats.hpp"

namespace lightrail {

namespace {

constexpr std::size_t any = 1'000'000;
constexpr const char* exit_codes =
    "0 done, 1 our bug, 2 invalid input, 3 the simulated system failed, 4 I/O or memory, 75 "
    "stopped early\n";

std::vector<OptionDoc> make_option_docs() {
  using C = Command;
  const std::vector<C> building{C::run,        C::validate, C::sweep,  C::trace,
                                C::collective, C::goodput,  C::ladder, C::plan};
  std::vector<C> describing = building;
  describing.push_back(C::describe);
  std::vector<C> looking_up = describing;
  looking_up.insert(looking_up.end(), {C::catalogue, C::create});
  const std::vector<C> running{C::run, C::sweep, C::collective, C::goodput};
  const std::vector<C> with_kinds{C::run,        C::validate, C::describe, C::sweep, C::trace,
                                  C::collective, C::goodput,  C::ladder,   C::plan};
  const std::vector<C> writing{C::run,   C::sweep,  C::collective, C::goodput,
                               C::trace, C::system, C::plan,       C::report};
  return {
      {"set", "NAME=VALUE", describing, "value of a <variable> of the scenario", true},
      {"seed", "N", building, "seed of all random numbers (default: <run seed>, else 1)"},
      {"catalogue", "FOLDER", looking_up,
       "a catalogue of one's own, looked into before the installed one (default: LIGHTRAIL_CATALOGUE)"},
      {"plugin", "FILE", with_kinds, "shared object with more component kinds", true},
      {"out", "FILE", writing,
       "result file (default: <output file>, else the scenario's name with .h5; of a sweep NAME-N.h5, of "
       "a study the folder, default NAME.sweep); of plan a table of all plans, CSV (default: none); of "
       "report the page (default: the first "
       "result's name with .html)"},
      {"summary", "FILE", running, "write the summary as JSON"},
      {"stop-at", "TIME", running, "simulated time at which to stop, with unit (default: <run stop-at>)"},
      {"exit-after", "TIME", running, "wall time after which to stop with a checkpoint, with unit"},
      {"checkpoint", "FOLDER", running,
       "where checkpoints go, or none (default: the result file with .checkpoint)"},
      {"checkpoint-every", "TIME", running, "simulated time between two checkpoints, with unit"},
      {"checkpoint-wall", "TIME", running, "wall time between two checkpoints, with unit"},
      {"resume", "PATH", running,
       "go on from a checkpoint, or from the newest of a folder; auto: from the run's own newest, if any"},
      {"engine", "NAME", running, "window (default) or reference", false, "window reference"},
      {"window", "TIME", running, "widest window between ranks; changes no result"},
      {"block", "N", running,
       "components a queue block, 1 ... 65536 (large models: more); changes no result"},
      {"partitioner", "NAME", running,
       "automatic (default), metis, blocks, stripes or pods; changes no result", false,
       "automatic metis blocks stripes pods"},
      {"tile", "SIZE", running,
       "state that takes turns to be in the processor's cache (default 1 MiB; 0 B: all at once); changes no "
       "result"},
      {"predict-ranks", "N,N...", running,
       "say what the run would take on so many ranks each, from a run on one"},
      {"network", "LATENCY,RATE", running, "between those ranks, as 1.5us,25GB/s (the default)"},
      {"check-grain", "N", running,
       "run the first iteration again in trains of at most N packets, also of a run by messages or formula, "
       "and say how far off it is"},
      {"check-steps", "N[-N]", running,
       "with --check-grain: these iterations, counted from 0, in place of the first"},
      {"io", "HOW", running, "auto (default), collective or gather; changes no result", false,
       "auto collective gather"},
      {"progress", "HOW", running, "auto (default), bar, lines or none", false, "auto bar lines none"},
      {"map", "", {C::validate}, "print the system as text"},
      {"dot", "", {C::validate}, "print the system as a Graphviz graph"},
      {"budget", "", {C::validate}, "print every optical path with its margin"},
      {"bom", "", {C::describe}, "print parts, cost and power of the scenario's network"},
      {"format", "NAME", {C::describe}, "text (default) or xsd", false, "text xsd"},
      {"json", "", {C::explain, C::catalogue}, "print JSON instead of text"},
      {"longest",
       "TIME",
       {C::ladder, C::plan},
       "wall time that a run in trains or packets may be expected to take, with unit (default 2 min)"},
      {"reserve",
       "SIZE",
       {C::plan},
       "memory of a GPU that the estimate leaves to others: NCCL, cuBLAS, fragments (default 4 GiB)"},
      {"over",
       "NAME=V,V",
       {C::sweep, C::plan},
       "values of a variable, with every one of other --over: of a sweep its points, in place of <sweep>; of "
       "plan clusters, a plan for each, the best compared",
       true},
      {"best", "N", {C::plan}, "plans that are run in trains (default 3)"},
      {"most", "N", {C::plan}, "plans that are run by formula (default 300): the fastest by estimate"},
      {"list", "", {C::sweep}, "print the points, a line each"},
      {"case", "N", {C::sweep}, "run point N of the list (0, 1, ...) alone"},
      {"jobs",
       "N",
       {C::sweep},
       "run the points as N processes side by side (0: one a core), keep what is done in the folder --out, "
       "write its tables"},
      {"ranks", "R", {C::sweep}, "with --jobs: start each point by mpiexec -n R"},
      {"launch", "WORDS", {C::sweep}, "with --jobs: start each point by these words, as \"srun --mpi=pmi2\""},
      {"only", "NAME=VALUE", {C::sweep}, "with --jobs: run the points with that value alone", true},
      {"retry", "N", {C::sweep}, "with --jobs: try a run again that was killed or lacked memory or a file"},
      {"summary-only", "", {C::sweep}, "with --jobs: keep no result files"},
      {"server",
       "NAME",
       {C::create},
       "server of the catalogue, or its GPU as h100 (default dgx_h100)",
       false,
       "servers/"},
      {"servers", "N", {C::create}, "how many (default 4; of a trace as many as its ranks need)"},
      {"fabric",
       "KIND",
       {C::create},
       "rail-optimised (default), fat-tree, rail-only, dragonfly-plus, single-switch or none",
       false,
       "rail-optimised fat-tree rail-only dragonfly-plus single-switch none"},
      {"ethernet", "", {C::create}, "Ethernet (RoCE) instead of InfiniBand"},
      {"workload",
       "KIND",
       {C::create},
       "collective (default), training, inference or trace",
       false,
       "collective training inference trace"},
      {"collective",
       "NAME",
       {C::create},
       "which (default all-reduce)",
       false,
       "all-reduce all-gather reduce-scatter broadcast all-to-all barrier"},
      {"model",
       "NAME",
       {C::create},
       "model of the catalogue to train or serve (default llama3_8b)",
       false,
       "models/"},
      {"trace", "FILE", {C::create}, "what lightrail trace import has written"},
      {"merge", "", {C::sweep}, "write the tables of what the folder --out has; run nothing"},
  };
}

std::string option_line(const OptionDoc& option) {
  const std::string left = fmt::format("--{}{}{}", option.name, *option.argument ? " " : "", option.argument);
  return fmt::format("  {:<22} {}\n", left, option.doc);
}

}  // namespace

bool OptionDoc::applies_to(Command command) const {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

const std::vector<CommandDoc>& command_docs() {
  static const std::vector<CommandDoc> all = {
      {Command::run, "run", "SCENARIO", "simulate a scenario and write one HDF5 file", 1, 1},
      {Command::validate, "validate", "SCENARIO", "report every mistake of a scenario, run nothing", 1, 1},
      {Command::describe, "describe", "[NAME|SCENARIO|model MODEL]",
       "elements, parameters, ports and statistics; of a scenario what it consists of, of a model its "
       "parameters, FLOPs and memory",
       0, 2},
      {Command::sweep, "sweep", "SCENARIO",
       "run the points of <sweep>: one after another, as many processes (--jobs), or one; list them", 1, 1},
      {Command::trace, "trace", "import|generate|show ...", "convert, generate or show traces", 2, any},
      {Command::system, "system", "import ...", "make a scenario of a system that another tool describes", 2,
       any},
      {Command::collective, "collective", "SCENARIO", "run a collective benchmark, print nccl-tests' columns",
       1, 1},
      {Command::explain, "explain", "RESULT [RESULT]",
       "where the time of a result's step went and why; of two results: what differs", 1, 2},
      {Command::report, "report", "RESULT...",
       "write one HTML page of a result, or of several side by side (Python's lightrail_post)", 1, any},
      {Command::goodput, "goodput", "SCENARIO",
       "simulate a step and play weeks of it with the failures, restarts and checkpoints of <goodput>", 1, 1},
      {Command::ladder, "ladder", "SCENARIO",
       "run the first step by formula, messages, trains and packets, as far as each can be afforded, side by "
       "side",
       1, 1},
      {Command::plan, "plan", "SCENARIO",
       "find how to spread the scenario's model over its GPUs: which plans fit, the fastest by formula and "
       "in "
       "trains",
       1, 1},
      {Command::catalogue, "catalogue", "list|search|show ...",
       "what configs/ has to name in a scenario: list entries, search them, show figures with their sources",
       1, any},
      {Command::create, "new", "FILE.xml",
       "write a scenario that runs, from options or, without them, from answers to questions", 1, 1},
      {Command::completion, "completion", "bash|zsh", "print the shell's script that completes lightrail", 1,
       1},
      {Command::man, "man", "", "print the manual page, lightrail(1)", 0, 0}};
  return all;
}

const std::vector<OptionDoc>& option_docs() {
  static const std::vector<OptionDoc> all = make_option_docs();
  return all;
}

std::string usage_text() {
  std::string text = "usage: lightrail COMMAND ... [options]\n\n";
  for (const CommandDoc& c : command_docs())
    text += fmt::format("  {:<36} {}\n", fmt::format("{} {}", c.name, c.arguments), c.doc);
  text +=
      "\n  lightrail COMMAND --help lists the command's options; lightrail --version prints the version.\n";
  text += "  mpiexec -n N lightrail ... gives the same answer, faster.\n\n";
  return text + "exit codes: " + exit_codes;
}

std::string command_details(Command command) {
  std::string text;
  if (command == Command::trace) {
    text +=
        "  trace import [FORMAT] FILE... [NAME=VALUE...] --out T.h5\n"
        "                                           traces of other tools, with the attributes of scenarios "
        "(element-bytes=2);\n"
        "                                           without a format the files' contents tell it\n";
    for (const auto& format : trace_formats())
      text += fmt::format("    {:<10} {}\n", format->name, format->doc);
    text +=
        "  trace generate SCENARIO --out T.h5       what the scenario's <workload> would execute\n"
        "  trace show T.h5 (also: info)             roles, streams, operations and bytes\n\n";
  }
  if (command == Command::system) {
    text += "  system import FORMAT FILE [NAME=VALUE...] [--out SCENARIO.xml]\n";
    for (const SystemFormat& format : system_formats())
      text += fmt::format("    {:<14} {} ({}=...)\n", format.name, format.doc,
                          fmt::join(format.options, "=..., "));
    text += "\n";
  }
  if (command == Command::catalogue)
    text +=
        "  catalogue list [KIND]        a line an entry; KIND: a folder of the catalogue, as gpus\n"
        "  catalogue search WORD...     entries that have every word in their name, figures or sources\n"
        "  catalogue show ENTRY         every figure and where it is from; ENTRY: gpus/h100_sxm or "
        "h100_sxm\n\n";
  return text;
}

const char* exit_codes_text() {
  return exit_codes;
}

std::string usage_text(const CommandDoc& command) {
  std::string text =
      fmt::format("usage: lightrail {} {} [options]\n\n{}\n\n", command.name, command.arguments, command.doc);
  text += command_details(command.command);
  for (const OptionDoc& option : option_docs())
    if (option.applies_to(command.command)) text += option_line(option);
  return text + "\nexit codes: " + exit_codes;
}

}  // namespace lightrail
