#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/csv.hpp"
#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "workloads/import/aicb/aicb.hpp"
#include "workloads/import/aicb/aicb_writer.hpp"
#include "workloads/import/fastest_members.hpp"
#include "workloads/import/number_range.hpp"
#include "workloads/import/text_lines.hpp"

namespace lightrail {

namespace {

const std::map<std::string, CollectiveType>& collective_types() {
  static const std::map<std::string, CollectiveType> all{
      {"all_reduce", CollectiveType::all_reduce},         {"all_gather", CollectiveType::all_gather},
      {"reduce_scatter", CollectiveType::reduce_scatter}, {"all_to_all", CollectiveType::all_to_all},
      {"broadcast", CollectiveType::broadcast},           {"barrier", CollectiveType::barrier}};
  return all;
}

const std::map<std::string, AicbGroup>& group_names() {
  static const std::map<std::string, AicbGroup> all{{"tp_group", AicbGroup::tp},
                                                    {"dp_group", AicbGroup::dp},
                                                    {"ep_group", AicbGroup::ep},
                                                    {"ep_dp_group", AicbGroup::dp_ep},
                                                    {"all", AicbGroup::world}};
  return all;
}

template <class T>
std::vector<std::string> names_of(const std::map<std::string, T>& all) {
  std::vector<std::string> names;
  for (const auto& [name, value] : all) names.push_back(name);
  return names;
}

/// One operation of the run.
struct Row {
  std::string name;
  AicbPart part;
  std::int64_t group_size = 0;   ///< 0: the row does not say it
  std::int64_t elapsed_ns = -1;  ///< of a communication; -1: not recorded
  std::int64_t epoch = 1;
};

class Reader {
 public:
  Reader(const std::string& path, const std::function<void(const Row&, const Reader&)>& on_row)
      : lines_(path), on_row_(on_row) {}

  std::uint32_t ranks = 0;  ///< of "[rank0 ~ rank127]"; 0: it lacks

  void run() {
    std::string line;
    bool has_line = lines_.next(line);
    if (has_line && line.rfind("[rank", 0) == 0) {
      first_line(line);
      has_line = lines_.next(line);
    }
    if (!has_line) lines_.fail("the file is empty (expected an AICB workload: comm_type,comm_group,...)");
    header(line);
    while (lines_.next(line))
      if (!line.empty()) row(line);
  }
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }
  /// Epochs that have rows.
  [[nodiscard]] std::int64_t ended_epochs() const { return epoch_ - (is_begun_ ? 0 : 1); }

 private:
  [[nodiscard]] std::optional<std::int64_t> integer(const std::string& text) const {
    std::int64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || (end != text.data() + text.size() && std::string(end) != ".0"))
      return std::nullopt;
    return value;
  }

  void first_line(const std::string& line) {
    const std::size_t at = line.find('~');
    const std::size_t begin = at == std::string::npos ? at : line.find_first_of("0123456789", at);
    const std::size_t end = line.find_last_of("0123456789");
    const auto last =
        begin == std::string::npos ? std::nullopt : integer(line.substr(begin, end - begin + 1));
    if (!last || *last < 0 || *last >= (1 << 20))
      fail(fmt::format("invalid ranks '{}' (expected [rank0 ~ rankN])", line.substr(0, 60)));
    ranks = static_cast<std::uint32_t>(*last + 1);
  }
  void header(const std::string& line) {
    const auto names = csv_cells(line);
    for (std::size_t i = 0; i < names.size(); ++i) column_[names[i]] = i;
    for (const char* needed : {"comm_type", "comm_group", "comm_group_size", "msg_size"})
      if (!column_.contains(needed)) fail(fmt::format("the header lacks the column '{}'", needed));
    width_ = names.size();
  }
  [[nodiscard]] std::string cell(const std::vector<std::string>& cells, const char* column) const {
    auto it = column_.find(column);
    if (it == column_.end() || cells[it->second] == "None") return "";
    const std::string& text = cells[it->second];
    const std::size_t dot = text.find('.');
    const bool is_enumeration = text.rfind("CommType.", 0) == 0 || text.rfind("CommGroup.", 0) == 0;
    return is_enumeration ? text.substr(dot + 1) : text;
  }

  void row(const std::string& line) {
    const auto cells = csv_cells(line);
    if (cells.size() != width_) fail(fmt::format("{} columns (the header has {})", cells.size(), width_));
    const std::string type = cell(cells, "comm_type");
    Row row;
    row.name = cell(cells, "stage").empty() ? type : cell(cells, "stage");
    row.epoch = epoch_;
    is_begun_ = true;
    if (type == "epoch_end") {
      ++epoch_;
      is_begun_ = false;
      return;
    }
    if (type == "computation") {
      const std::string elapsed = cell(cells, "_elapsed_time");
      char* end = nullptr;
      const double ms = std::strtod(elapsed.c_str(), &end);
      if (elapsed.empty() || *end != '\0' || !(ms >= 0 && ms < 1e9))
        fail(fmt::format("a computation without a duration (_elapsed_time '{}')", elapsed));
      row.part.compute_ns = std::llround(ms * 1e6);
      return on_row_(row, *this);
    }
    if (type == "isend" || type == "irecv")
      fail(fmt::format("'{}' in a list that stands for all ranks: nothing says who takes the other part",
                       type));
    auto known = collective_types().find(type);
    if (known == collective_types().end())
      fail("unknown node kind: " + invalid_choice(type, names_of(collective_types())));
    row.part.collective = known->second;
    const std::string group = cell(cells, "comm_group");
    auto place = group_names().find(group);
    if (place == group_names().end())
      fail("unknown comm_group: " + invalid_choice(group, names_of(group_names())));
    row.part.group = place->second;
    const auto bytes = integer(cell(cells, "msg_size")), size = integer(cell(cells, "comm_group_size"));
    if (!bytes && row.part.collective != CollectiveType::barrier)
      fail(fmt::format("a collective without a size (msg_size '{}')", cell(cells, "msg_size")));
    if (bytes.value_or(0) < 0 || bytes.value_or(0) > largest_operation_bytes)
      fail(fmt::format("msg_size {} is out of range (0 ... {})", *bytes, largest_operation_bytes));
    row.part.bytes = bytes.value_or(0);
    const std::string elapsed = cell(cells, "_elapsed_time");
    const double ms = std::strtod(elapsed.c_str(), nullptr);
    if (!elapsed.empty() && ms > 0 && ms < 1e9) row.elapsed_ns = std::llround(ms * 1e6);
    if (cell(cells, "comm_group_size").empty()) return on_row_(row, *this);
    if (!size || *size < 1 || *size > (1 << 20))
      fail(fmt::format("comm_group_size '{}' is no number of GPUs", cell(cells, "comm_group_size")));
    row.group_size = *size;
    on_row_(row, *this);
  }

  TextLines lines_;
  const std::function<void(const Row&, const Reader&)>& on_row_;
  std::map<std::string, std::size_t> column_;
  std::size_t width_ = 0;
  std::int64_t epoch_ = 1;
  bool is_begun_ = false;  ///< the open epoch has a row
};

/// The sizes of the groups, from a first reading.
AicbWorkload read_sizes(const AicbOptions& options, std::int64_t& epochs) {
  std::map<AicbGroup, std::int64_t> sizes;
  std::set<AicbGroup> unsized;
  const std::function<void(const Row&, const Reader&)> take = [&](const Row& row, const Reader& reader) {
    if (row.group_size == 0 && row.part.collective != CollectiveType::none) unsized.insert(row.part.group);
    if (row.group_size == 0) return;
    auto [it, is_new] = sizes.try_emplace(row.part.group, row.group_size);
    if (it->second != row.group_size)
      reader.fail(fmt::format("comm_group_size {}, but {} in a row before", row.group_size, it->second));
  };
  Reader reader(options.file, take);
  reader.run();
  epochs = std::max<std::int64_t>(1, reader.ended_epochs());
  auto size = [&](AicbGroup group, std::int64_t otherwise) {
    auto it = sizes.find(group);
    return static_cast<std::uint32_t>(it == sizes.end() ? otherwise : it->second);
  };
  AicbWorkload workload;
  workload.gpus = options.gpus ? options.gpus : reader.ranks;
  if (workload.gpus == 0) workload.gpus = size(AicbGroup::world, 0);
  auto fail = [&](const std::string& what) { throw InputErrors(InputError{options.file, 0, what}); };
  if (workload.gpus == 0) fail("the number of GPUs lacks: no '[rank0 ~ rankN]' line and no 'ranks' given");
  // Only one of these may follow from the others.
  for (const auto& [group, column] :
       {std::pair{AicbGroup::tp, "tp_group"}, std::pair{AicbGroup::ep, "ep_group"}})
    if (unsized.contains(group) && !sizes.contains(group))
      fail(fmt::format("no row says how many GPUs a {} has (comm_group_size)", column));
  workload.tp = size(AicbGroup::tp, 1);
  workload.ep = size(AicbGroup::ep, 1);
  const std::int64_t dp = size(AicbGroup::dp, std::max<std::int64_t>(1, workload.gpus / workload.tp));
  const std::int64_t without_stages = dp * workload.tp;
  if (workload.gpus % without_stages != 0)
    fail(fmt::format("{} GPUs do not split into groups of tp {} and dp {}", workload.gpus, workload.tp, dp));
  workload.pp = static_cast<std::uint32_t>(workload.gpus / without_stages);
  if (dp % workload.ep != 0) fail(fmt::format("dp {} does not split into groups of ep {}", dp, workload.ep));
  if (size(AicbGroup::dp_ep, dp / workload.ep) != dp / workload.ep)
    fail(fmt::format("ep_dp_group of {}, but dp {} / ep {} is {}", size(AicbGroup::dp_ep, 0), dp, workload.ep,
                     dp / workload.ep));
  if (size(AicbGroup::world, workload.gpus) != workload.gpus)
    fail(fmt::format("the group of all has {} ranks, but there are {}", size(AicbGroup::world, 0),
                     workload.gpus));
  return workload;
}

}  // namespace

namespace {

/// "2" or "2-4", of `count` epochs; "": all.
std::pair<std::int64_t, std::int64_t> chosen_epochs(const AicbOptions& options, std::int64_t count) {
  if (options.epochs.empty()) return {1, count};
  const auto [begin, end] = parse_range(options.epochs, options.file);
  if (begin < 1 || end > count)
    throw InputErrors(InputError{options.file, 0,
                                 fmt::format("steps {}: the run has epochs 1 to {}", options.epochs, count)});
  return {begin, end};
}

/// What a rank's rows say of times, as one rank's capture.
struct Times {
  std::int64_t computed_ns = 0;
  FastestMembers communications;

  [[nodiscard]] Capture capture() const {
    Capture all;
    if (communications.count() == 0) return all;
    communications.into(all);
    all.collectives = communications.count();
    all.step_ps = computed_ns * 1000 + all.fastest_sum_ps;
    // One row after the other: all of it is exposed.
    all.ranks.push_back({0, all.step_ps, computed_ns * 1000, all.fastest_sum_ps, all.fastest_sum_ps});
    return all;
  }
};

}  // namespace

void import_aicb_csv(const AicbOptions& options, JobOutput& output) {
  std::int64_t epochs = 0;
  const AicbWorkload workload = read_sizes(options, epochs);
  const auto [first, last] = chosen_epochs(options, epochs);
  output.begin(workload.gpus);
  const AicbGroups groups(workload, output.job());
  const std::uint16_t split = add_expert_split(options.experts, workload.ep, 0, output.job());
  AicbWriter out(groups, output);
  std::int64_t empty = 0, untimed = 0;
  Times times;
  const std::function<void(const Row&, const Reader&)> write = [&, first = first, last = last](
                                                                   const Row& row, const Reader&) {
    if (row.epoch < first || row.epoch > last) return;
    const std::uint32_t name = output.job().name(row.name);
    out.compute(row.part.compute_ns, name);
    out.collective(row.part, name, split, true);
    times.computed_ns += row.part.compute_ns;
    if (row.part.collective == CollectiveType::none) return;
    const bool is_empty = row.part.bytes == 0 && row.part.collective != CollectiveType::barrier;
    empty += is_empty;
    untimed += row.elapsed_ns < 0;
    if (row.elapsed_ns >= 0 && !is_empty)
      times.communications.add(row.part.collective, row.part.bytes, row.elapsed_ns * 1000);
  };
  Reader(options.file, write).run();
  JobBuilder& job = output.job();
  if (options.epochs.empty() && epochs > 1)
    job.note(fmt::format(
        "{}: {} epochs are replayed as one iteration, whose time is that of all (steps chooses some)",
        options.file, epochs));
  if (empty > 0) job.note(fmt::format("{}: {} communications of 0 B are left out", options.file, empty));
  if (untimed == 0) job.job().capture = times.capture();
  const std::uint32_t program = out.end("every rank");
  for (std::uint32_t gpu = 0; gpu < workload.gpus; ++gpu) job.assign(gpu, program);
}

}  // namespace lightrail
