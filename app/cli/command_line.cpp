#include "app/cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <sstream>
#include <utility>

#include "app/cli/forecast.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"
#include "links/train_settings.hpp"

namespace lightrail {

namespace po = boost::program_options;

namespace {

using Texts = std::vector<std::string>;

// Between two checkpoints, of either time: each takes about ten fsyncs.
constexpr SimTime most_often = microseconds(1);

[[noreturn]] void fail(const std::string& what) {
  throw InputErrors(InputError{"", 0, what});
}

/// The options that were given, by name, every value as text.
class Given {
 public:
  explicit Given(po::variables_map values) : values_(std::move(values)) {}
  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) != 0; }
  [[nodiscard]] Texts all(const std::string& name) const {
    return has(name) ? values_[name].as<Texts>() : Texts{};
  }
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback) const {
    return has(name) ? values_[name].as<std::string>() : fallback;
  }

  template <class T>
  [[nodiscard]] T value(const std::string& name, T fallback, T least, T most) const {
    if (!has(name)) return fallback;
    const std::string text = values_[name].as<std::string>();
    T value{};
    if (std::string problem = parse_value(text, value); !problem.empty())
      fail("option --" + name + ": " + problem);
    if (value < least || value > most)
      fail(fmt::format("option --{}: '{}' is out of range ({} ... {})", name, text, format_value(least),
                       format_value(most)));
    return value;
  }

  template <class E>
  [[nodiscard]] E choice(const std::string& name,
                         const std::vector<std::pair<std::string, E>>& choices) const {
    if (!has(name)) return choices.front().second;
    Texts names;
    for (const auto& [text, value] : choices) {
      if (text == values_[name].as<std::string>()) return value;
      names.push_back(text);
    }
    fail("option --" + name + ": " + invalid_choice(values_[name].as<std::string>(), names));
  }

 private:
  po::variables_map values_;
};

[[noreturn]] void fail_unknown_option(const std::string& option) {
  Texts known{"--help", "--version"};
  for (const OptionDoc& o : option_docs()) known.push_back(std::string("--") + o.name);
  const std::string guess = did_you_mean(option, known);
  fail("unknown option '" + option + "'" + (guess.empty() ? "" : " (did you mean '" + guess + "'?)"));
}

Given parse_options(int argc, const char* const* argv) {
  po::options_description options;
  auto add = options.add_options();
  for (const OptionDoc& o : option_docs()) {
    if (!*o.argument)
      add(o.name, "");
    else if (o.is_repeatable)
      add(o.name, po::value<Texts>()->composing(), "");
    else
      add(o.name, po::value<std::string>(), "");
  }
  add("help", "")("version", "")("positional", po::value<Texts>());
  po::positional_options_description positional;
  positional.add("positional", -1);
  po::variables_map values;
  try {
    using namespace po::command_line_style;
    // Without allow_guessing: an abbreviation that means one option today may mean another tomorrow.
    constexpr int style = allow_long | long_allow_adjacent | long_allow_next;
    po::store(po::command_line_parser(argc, argv).options(options).positional(positional).style(style).run(),
              values);
    po::notify(values);
  } catch (const po::unknown_option& unknown) {
    fail_unknown_option(unknown.get_option_name());
  } catch (const po::error& error) {
    fail(std::string("command line: ") + error.what());
  }
  return Given(std::move(values));
}

const CommandDoc& find_command(const std::string& name) {
  Texts names;
  for (const CommandDoc& c : command_docs()) {
    if (name == c.name) return c;
    names.emplace_back(c.name);
  }
  fail("unknown command: " + invalid_choice(name, names));
}

void check_options(const Given& given, const CommandDoc& command) {
  for (const OptionDoc& o : option_docs()) {
    if (!given.has(o.name) || o.applies_to(command.command)) continue;
    std::string owners;
    for (const CommandDoc& c : command_docs())
      if (o.applies_to(c.command)) owners += (owners.empty() ? "" : ", ") + std::string(c.name);
    fail(fmt::format("option --{} has no effect on 'lightrail {}' (it belongs to {})", o.name, command.name,
                     owners));
  }
}

void fill_run(const Given& given, CommandLine& line) {
  RunOptions& run = line.run;
  run.stop_at = given.value("stop-at", run.stop_at, picoseconds(1), time_never);
  // Wall time, not simulated time: seconds as the engine takes them.
  const auto seconds = [&](const char* name, SimTime least = picoseconds(1)) {
    const SimTime most{time_never.count() - 1};
    return static_cast<double>(given.value(name, SimTime{0}, least, most).count()) * 1e-12;
  };
  run.exit_after_s = seconds("exit-after");
  CheckpointPlan& checkpoint = run.checkpoint;
  checkpoint.folder = given.text("checkpoint", "");
  checkpoint.every = given.value("checkpoint-every", checkpoint.every, most_often, time_never);
  checkpoint.wall_every_s = seconds("checkpoint-wall", most_often);
  if (checkpoint.folder == "none" && (given.has("checkpoint-every") || given.has("checkpoint-wall")))
    fail(
        "option --checkpoint none: no checkpoints, but --checkpoint-every or --checkpoint-wall asks for "
        "them");
  line.resume = given.text("resume", "");
  run.window = given.value("window", run.window, picoseconds(1), time_never);
  run.block = given.value("block", run.block, std::uint32_t{1}, std::uint32_t{65'536});
  run.engine = given.choice<Engine>("engine", {{"window", Engine::window}, {"reference", Engine::reference}});
  run.progress = given.choice<Progress>("progress", {{"auto", Progress::automatic},
                                                     {"bar", Progress::bar},
                                                     {"lines", Progress::lines},
                                                     {"none", Progress::none}});
  line.partition.partitioner =
      given.choice<Partitioner>("partitioner", {{"automatic", Partitioner::automatic},
                                                {"metis", Partitioner::metis},
                                                {"blocks", Partitioner::blocks},
                                                {"stripes", Partitioner::stripes},
                                                {"pods", Partitioner::pods}});
  line.partition.tile_bytes =
      given.value("tile", Bytes{line.partition.tile_bytes}, Bytes{0}, Bytes{std::int64_t{1} << 40}).value;
  if (given.has("predict-ranks")) line.predict_ranks = parse_rank_counts(given.text("predict-ranks", ""));
  if (given.has("network")) {
    if (line.predict_ranks.empty()) fail("option --network has no effect without --predict-ranks");
    line.network = parse_network(given.text("network", ""));
  }
  if (given.has("longest")) line.longest_rung_s = seconds("longest");
  line.reserve_bytes =
      given.value("reserve", Bytes{line.reserve_bytes}, Bytes{0}, Bytes{std::int64_t{1} << 40}).value;
  line.over = given.all("over");
  line.best = given.value("best", line.best, 0u, 1000u);
  line.most = given.value("most", line.most, 1u, 1'000'000u);
  line.check_grain = given.value("check-grain", 0u, 1u, TrainSettings::max_grain);
  if (line.check_grain > 0 && !line.resume.empty())
    fail("option --check-grain: a run that is resumed has not seen its first iteration");
  if (given.has("check-steps")) {
    if (line.check_grain == 0) fail("option --check-steps has no effect without --check-grain");
    line.check_steps = parse_step_range(given.text("check-steps", ""));
  }
  line.io = given.choice<RecordMode>("io", {{"auto", RecordMode::automatic},
                                            {"collective", RecordMode::collective},
                                            {"gather", RecordMode::gather}});
}

/// What the runs of a study are told, and what of it decides their results.
void hand_on_options(const Given& given, StudyLine& study) {
  // Each run has files of its own.
  const Texts own{"out", "summary", "progress", "resume", "checkpoint"};
  // set: the resolved scenario tells; so does the catalogue; plugins are told by their contents.
  const Texts not_deciding{"set",    "catalogue",  "plugin",           "engine",
                           "window", "block",      "partitioner",      "tile",
                           "io",     "exit-after", "checkpoint-every", "checkpoint-wall"};
  const auto is_in = [](const Texts& names, const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const OptionDoc& o : option_docs()) {
    if (!given.has(o.name) || !o.applies_to(Command::run) || is_in(own, o.name)) continue;
    const Texts values = o.is_repeatable ? given.all(o.name) : Texts{given.text(o.name, "")};
    for (const std::string& value : values)
      for (const std::string& word : {std::string("--") + o.name, value}) {
        study.run_options.push_back(word);
        if (!is_in(not_deciding, o.name)) study.deciding.push_back(word);
      }
  }
}

Texts words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

void fill_study(const Given& given, CommandLine& line) {
  StudyLine& study = line.study;
  study.is_asked_for = given.has("jobs") || given.has("merge");
  study.only_merges = given.has("merge");
  if (!study.is_asked_for) {
    for (const char* of_study : {"ranks", "launch", "only", "retry", "summary-only"})
      if (given.has(of_study)) fail(fmt::format("option --{} has no effect without --jobs N", of_study));
    return;
  }
  for (const char* one_file : {"summary", "resume", "checkpoint", "list"})
    if (given.has(one_file)) fail(fmt::format("lightrail sweep takes either --jobs or --{}", one_file));
  if (study.only_merges)
    for (const char* of_runs : {"jobs", "ranks", "launch", "only", "retry", "summary-only", "case"})
      if (given.has(of_runs)) fail(fmt::format("option --{} has no effect beside --merge", of_runs));
  study.jobs = static_cast<std::size_t>(given.value<std::int64_t>("jobs", 0, 0, 10'000));
  study.retries = static_cast<std::size_t>(given.value<std::int64_t>("retry", 0, 0, 1000));
  study.keeps_results = !given.has("summary-only");
  study.only = given.all("only");
  if (given.has("ranks") && given.has("launch")) fail("lightrail sweep takes either --ranks or --launch");
  const auto ranks = given.value<std::int64_t>("ranks", 1, 1, 1'000'000);
  if (ranks > 1) study.launch = {"mpiexec", "-n", std::to_string(ranks)};
  if (given.has("launch")) study.launch = words_of(given.text("launch", ""));
  hand_on_options(given, study);
}

void fill_new(const Given& given, CommandLine& line) {
  NewOptions& made = line.create;
  const std::initializer_list<std::pair<const char*, std::string*>> texts = {
      {"server", &made.server},         {"fabric", &made.fabric}, {"workload", &made.workload},
      {"collective", &made.collective}, {"model", &made.model},   {"trace", &made.trace}};
  for (const auto& [name, text] : texts) {
    *text = given.text(name, "");
    if (given.has(name) && text->empty()) fail(fmt::format("option --{}: no value given", name));
  }
  made.servers = given.value("servers", 0u, 1u, 1'000'000u);
  made.is_ethernet = given.has("ethernet");
  const std::vector<OptionDoc>& all = option_docs();
  line.create_is_told = std::any_of(all.begin(), all.end(), [&](const OptionDoc& o) {
    return given.has(o.name) && o.commands == std::vector{Command::create};
  });
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  for (int i = 0; i < argc; ++i) line.typed += (i ? " " : "") + std::string(argv[i]);
  const Given given = parse_options(argc, argv);
  line.positional = given.all("positional");
  line.help = usage_text();
  if (given.has("version")) return line.command = Command::version, line;
  if (line.positional.empty()) {
    // Nothing typed at all is a question; options without a command are a mistake.
    if (argc > 1 && !given.has("help")) fail("no command given; lightrail --help lists them");
    return line;
  }
  const CommandDoc& command = find_command(line.positional.front());
  if (given.has("help")) return line.help = usage_text(command), line;
  line.command = command.command;
  line.positional.erase(line.positional.begin());
  if (line.positional.size() < command.min_arguments || line.positional.size() > command.max_arguments)
    fail(fmt::format("lightrail {} takes {}, got {} arguments", command.name, command.arguments,
                     line.positional.size()));
  check_options(given, command);
  line.settings = given.all("set");
  line.plugins = given.all("plugin");
  if (std::find(line.plugins.begin(), line.plugins.end(), "") != line.plugins.end())
    fail("option --plugin: no file given");
  line.catalogue = given.text("catalogue", "");
  line.out = given.text("out", "");
  // As --checkpoint has it; not a file of that name in the folder that happens to be the current one.
  if (line.out == "none") fail("option --out: there is always a result (of a file called none: ./none)");
  line.summary_file = given.text("summary", "");
  line.format = given.text("format", line.format);
  line.has_seed = given.has("seed");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  line.seed = static_cast<std::uint64_t>(given.value<std::int64_t>("seed", 0, 0, most));
  line.map = given.has("map");
  line.dot = given.has("dot");
  line.bom = given.has("bom");
  line.budget = given.has("budget");
  line.list = given.has("list");
  line.json = given.has("json");
  line.sweep_case = given.value<std::int64_t>("case", -1, 0, most);
  if (line.list && given.has("case")) fail("lightrail sweep takes either --list or --case N");
  fill_run(given, line);
  fill_study(given, line);
  fill_new(given, line);
  if (command.command == Command::sweep && !line.list && !given.has("case"))
    for (const char* of_one : {"resume", "checkpoint"})
      if (given.has(of_one) && given.text(of_one, "") != "none")
        fail(fmt::format("option --{} belongs to one point of a sweep (name it with --case N)", of_one));
  return line;
}

}  // namespace lightrail
