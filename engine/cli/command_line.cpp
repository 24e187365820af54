#include "engine/cli/command_line.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace po = boost::program_options;
namespace {

struct CommandDoc {
  const char* name;
  Command command;
  const char* arguments;
  const char* doc;
  std::size_t least, most;  ///< positional arguments
};
constexpr std::size_t any = 1'000'000;
const std::vector<CommandDoc>& commands() {
  static const std::vector<CommandDoc> all = {
      {"run", Command::run, "SCENARIO", "simulate a scenario and write one HDF5 file", 1, 1},
      {"validate", Command::validate, "SCENARIO", "report every mistake of a scenario, run nothing", 1, 1},
      {"describe", Command::describe, "[KIND]", "parameters, ports and statistics of component kinds", 0, 1},
      {"sweep", Command::sweep, "SCENARIO", "list or run the points of <sweep>", 1, 1},
      {"trace", Command::trace, "import|generate|show ...", "convert, generate or show traces", 2, any},
      {"collective", Command::collective, "SCENARIO", "run a collective benchmark and print nccl-tests' columns", 1, 1}};
  return all;
}

template <class T>
T parse_option(const po::variables_map& values, const std::string& name, T fallback) {
  if (values.count(name) == 0) return fallback;
  T value{};
  if (std::string problem = parse_value(values[name].as<std::string>(), value); !problem.empty())
    throw InputErrors(InputError{"", 0, "option --" + name + ": " + problem});
  return value;
}

template <class E>
E choose(const po::variables_map& values, const std::string& name, E fallback,
         const std::vector<std::pair<std::string, E>>& choices) {
  if (values.count(name) == 0) return fallback;
  const auto& text = values[name].as<std::string>();
  std::vector<std::string> names;
  for (const auto& [choice, value] : choices) {
    if (choice == text) return value;
    names.push_back(choice);
  }
  throw InputErrors(InputError{"", 0, "option --" + name + ": " + invalid_choice(text, names)});
}

po::options_description model_options() {
  po::options_description options("The system");
  options.add_options()("set", po::value<std::vector<std::string>>()->composing(), "NAME=VALUE of a scenario's <variable>")(
      "seed", po::value<std::string>(), "seed of all random numbers; overrides <run seed>")(
      "catalogue", po::value<std::string>(), "folder of the catalogue (default: the installed configs)")(
      "plugin", po::value<std::vector<std::string>>()->composing(), "shared object with more component kinds");
  return options;
}

po::options_description run_options() {
  po::options_description options("The run");
  options.add_options()("out", po::value<std::string>(), "result file (default: <output file>, else NAME.h5)")(
      "summary", po::value<std::string>(), "write the summary as JSON to this file")(
      "stop-at", po::value<std::string>(), "simulated time at which to stop, with unit")(
      "exit-after", po::value<std::string>(), "wall time after which to stop, with unit")(
      "engine", po::value<std::string>(), "window (default) or reference")(
      "window", po::value<std::string>(), "widest window between ranks; changes no result")(
      "block", po::value<std::string>(), "components a queue block; changes no result")(
      "partitioner", po::value<std::string>(), "automatic (default), metis or blocks; changes no result")(
      "io", po::value<std::string>(), "collective (default) or gather")(
      "progress", po::value<std::string>(), "auto (default), bar, lines or none");
  return options;
}

po::options_description other_options() {
  po::options_description options("Other commands");
  options.add_options()("map", "validate: print the system as text")("dot", "validate: print the system as a Graphviz graph")(
      "budget", "validate: print every optical path with its margin")(
      "format", po::value<std::string>(), "describe: text or xsd; trace import: kineto")(
      "list", "sweep: print the points")("case", po::value<std::string>(), "sweep: run point N (0, 1, ...)");
  return options;
}

std::string usage(const po::options_description& options) {
  std::ostringstream text;
  text << "usage: lightrail COMMAND ... [options]\n\n";
  for (const auto& c : commands()) {
    std::string left = std::string("  ") + c.name + " " + c.arguments;
    text << left << std::string(left.size() < 38 ? 38 - left.size() : 1, ' ') << c.doc << "\n";
  }
  text << "\n" << options << "\nexit codes: 0 done, 1 our bug, 2 invalid input, 3 the simulated system failed, 4 I/O, 75 stopped early\n";
  return text.str();
}

const CommandDoc& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& c : commands()) {
    if (name == c.name) return c;
    names.push_back(c.name);
  }
  throw InputErrors(InputError{"", 0, "unknown command: " + invalid_choice(name, names)});
}

[[noreturn]] void fail_unknown_option(const std::string& option, const po::options_description& options) {
  std::vector<std::string> known;
  for (const auto& o : options.options()) known.push_back("--" + o->long_name());
  std::string near = did_you_mean(option, known);
  throw InputErrors(
      InputError{"", 0, "unknown option '" + option + "'" + (near.empty() ? "" : " (did you mean '" + near + "'?)")});
}

po::variables_map parse_options(int argc, const char* const* argv, const po::options_description& options) {
  po::options_description all = options;
  all.add_options()("positional", po::value<std::vector<std::string>>());
  po::positional_options_description positional;
  positional.add("positional", -1);
  po::variables_map values;
  try {
    using namespace po::command_line_style;
    po::store(po::command_line_parser(argc, argv)
                  .options(all)
                  .positional(positional)
                  .style(allow_long | long_allow_adjacent | long_allow_next | allow_short | short_allow_next | allow_dash_for_short)
                  .run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& e) {
    fail_unknown_option(e.get_option_name(), options);
  } catch (const po::error& e) {
    throw InputErrors(InputError{"", 0, std::string("command line: ") + e.what()});
  }
  return values;
}

void fill_run(const po::variables_map& values, CommandLine& line) {
  line.run.stop_at = parse_option(values, "stop-at", line.run.stop_at);
  line.run.exit_after_s = static_cast<double>(parse_option(values, "exit-after", SimTime{0}).count()) * 1e-12;
  line.run.window = parse_option(values, "window", line.run.window);
  line.run.block = parse_option(values, "block", line.run.block);
  if (line.run.block < 1 || line.run.block > 65'536)
    throw InputErrors(InputError{"", 0, "option --block: '" + format_value(line.run.block) + "' is out of range (1 ... 65536)"});
  line.run.engine = choose(values, "engine", Engine::window, {{"window", Engine::window}, {"reference", Engine::reference}});
  line.run.progress = choose(values, "progress", Progress::automatic,
                             {{"auto", Progress::automatic}, {"bar", Progress::bar}, {"lines", Progress::lines}, {"none", Progress::none}});
  line.partitioner = choose(values, "partitioner", Partitioner::automatic,
                            {{"automatic", Partitioner::automatic}, {"metis", Partitioner::metis}, {"blocks", Partitioner::blocks}});
  line.io = choose(values, "io", IoMode::collective, {{"collective", IoMode::collective}, {"gather", IoMode::gather}});
}

template <class T>
T value_or(const po::variables_map& values, const char* name, T fallback) {
  return values.count(name) ? values[name].as<T>() : fallback;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  po::options_description options;
  options.add(model_options()).add(run_options()).add(other_options());
  options.add_options()("help", "print this")("version", "print the version");

  CommandLine line;
  for (int i = 0; i < argc; ++i) line.typed += (i ? " " : "") + std::string(argv[i]);
  po::variables_map values = parse_options(argc, argv, options);
  line.positional = value_or(values, "positional", std::vector<std::string>{});
  line.help = usage(options);
  if (values.count("version")) return line.command = Command::version, line;
  if (values.count("help") || line.positional.empty()) return line;

  const CommandDoc& command = find_command(line.positional.front());
  line.command = command.command;
  line.positional.erase(line.positional.begin());
  if (line.positional.size() < command.least || line.positional.size() > command.most)
    throw InputErrors(InputError{"", 0, std::string("lightrail ") + command.name + " takes " + command.arguments + ", got " +
                                            std::to_string(line.positional.size()) + " arguments"});
  line.settings = value_or(values, "set", line.settings);
  line.plugins = value_or(values, "plugin", line.plugins);
  line.catalogue = value_or(values, "catalogue", line.catalogue);
  line.out = value_or(values, "out", line.out);
  line.summary_file = value_or(values, "summary", line.summary_file);
  line.format = value_or(values, "format", line.format);
  line.has_seed = values.count("seed") != 0;
  line.seed = static_cast<std::uint64_t>(parse_option<std::int64_t>(values, "seed", 0));
  line.map = values.count("map") != 0;
  line.dot = values.count("dot") != 0;
  line.budget = values.count("budget") != 0;
  line.list = values.count("list") != 0;
  line.sweep_case = parse_option<std::int64_t>(values, "case", -1);
  fill_run(values, line);
  return line;
}

}  // namespace lightrail
