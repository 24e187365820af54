#include "workloads/import/kineto/flight_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/gzip_file.hpp"
#include "workloads/import/kineto/nccl_metadata.hpp"

namespace lightrail {

namespace {

using nlohmann::json;

constexpr std::int64_t most_elements = std::int64_t{1} << 45;
constexpr double longest_ms = 4.5e9;  // 52 days

struct Group {
  std::string name, description, ranks;  ///< ranks: JSON text
  std::vector<std::int64_t> members;
};

class Reader {
 public:
  Reader(const std::string& path, const std::function<void(const KinetoEvent&)>& on_event)
      : path_(path), on_event_(on_event) {}

  void read(std::vector<std::string>& notes) {
    GzipFile file(path_);
    std::istream stream(&file);
    stream.exceptions(std::ios::badbit);
    const json all = json::parse(stream, nullptr, false);
    if (!all.is_object() || !all.contains("entries") || !all["entries"].is_array())
      throw InputErrors(
          InputError{path_, 0, "broken JSON (expected a flight recorder: {\"entries\": [...]})"});
    if (all.contains("pg_config")) read_groups(all["pg_config"]);
    const json& entries = all["entries"];
    const std::vector<std::size_t> executed_by = executions(entries);
    std::size_t coalesced = 0, open = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool is_batch = i > 0 && executed_by[i - 1] == i;
      if (is_coalesced(entries[i]) && !is_batch) {
        ++coalesced;
        continue;
      }
      take(entries[i], i);
      if (executed_by[i] == i)
        execute(entries[i], i, is_batch, open);
      else
        call(i, entries[executed_by[i]]);
    }
    notes.emplace_back("a flight recorder has communications alone: what is between them is CPU time");
    if (coalesced > 0)
      notes.push_back(fmt::format(
          "{}: {} entries 'coalesced' are left out, their collectives stand beside them", path_, coalesced));
    if (open > 0)
      notes.push_back(
          fmt::format("{}: {} entries had not completed when the recorder was written", path_, open));
    if (first_record_ > 0)
      notes.push_back(
          fmt::format("{}: the recorder's buffer has lost the first {} entries", path_, first_record_));
  }

 private:
  [[noreturn]] void fail(std::size_t index, const std::string& what) const {
    throw InputErrors(InputError{path_, 0, fmt::format("entry {}: {}", index, what)});
  }

  static std::string text(const json& of, const char* key) {
    const auto it = of.find(key);
    return it == of.end() || it->is_null() ? std::string()
           : it->is_string()               ? it->get<std::string>()
                                           : it->dump();
  }
  std::optional<std::int64_t> integer(const json& entry, std::size_t index, const char* key) const {
    const auto it = entry.find(key);
    if (it == entry.end() || it->is_null()) return std::nullopt;
    if (!it->is_number_integer()) fail(index, fmt::format("'{}' is no whole number", key));
    return it->get<std::int64_t>();
  }

  void read_groups(const json& groups) {
    if (!groups.is_object()) throw InputErrors(InputError{path_, 0, "'pg_config' is no object"});
    for (const auto& [key, value] : groups.items()) {
      if (!value.is_object()) continue;
      Group group;
      group.name = text(value, "name").empty() ? key : text(value, "name");
      group.description = text(value, "desc");
      group.ranks = text(value, "ranks");
      group.members = number_list(group.ranks).numbers;
      groups_[group.name] = group;
    }
  }

  static bool is_coalesced(const json& entry) {
    return entry.is_object() && text(entry, "profiling_name") == "nccl:coalesced";
  }
  static bool is_message(const json& entry) {
    const std::string name = entry.is_object() ? text(entry, "profiling_name") : "";
    return name.rfind("nccl:send", 0) == 0 || name.rfind("nccl:recv", 0) == 0;
  }

  /// Of every entry the one that executes it: itself, or for sends and receives that PyTorch batched the
  /// entry 'coalesced' right behind them, which has their group and their numbers in it.
  static std::vector<std::size_t> executions(const json& entries) {
    std::vector<std::size_t> executed_by(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      executed_by[i] = i;
      if (!is_coalesced(entries[i])) continue;
      const auto keys = batch_keys(entries[i]);
      for (std::size_t k = i; k-- > 0 && is_message(entries[k]) && batch_keys(entries[k]) == keys;)
        executed_by[k] = i;
    }
    return executed_by;
  }
  static std::array<std::string, 4> batch_keys(const json& entry) {
    return {text(entry, "process_group"), text(entry, "pg_id"), text(entry, "collective_seq_id"),
            text(entry, "p2p_seq_id")};
  }

  /// [[4, 2048], [8]]: of all tensors.
  std::int64_t elements(const json& entry, std::size_t index, const char* key) const {
    const auto it = entry.find(key);
    if (it == entry.end() || it->is_null()) return 0;
    if (!it->is_array()) fail(index, fmt::format("'{}' is no list", key));
    std::int64_t all = 0;
    for (const json& tensor : *it) {
      if (!tensor.is_array()) fail(index, fmt::format("'{}' holds no sizes of tensors", key));
      std::int64_t product = 1;
      for (const json& size : tensor) {
        if (!size.is_number_integer() || size.get<std::int64_t>() < 0)
          fail(index, fmt::format("'{}' holds {}", key, size.dump().substr(0, 40)));
        const auto n = size.get<std::int64_t>();
        product = n > 0 && product > most_elements / n ? most_elements : product * n;
      }
      all = std::min(all + product, most_elements);
    }
    return all;
  }

  /// What all entries have: checks it, and begins their event.
  void take(const json& entry, std::size_t index) {
    if (!entry.is_object()) fail(index, "is no object");
    name_ = text(entry, "profiling_name");
    if (name_.rfind("nccl:", 0) != 0)
      fail(index, fmt::format("'profiling_name' is '{}' (expected nccl:all_reduce and the like)", name_));
    if (index == 0) first_record_ = integer(entry, index, "record_id").value_or(0);
    const Group& group = group_of(entry, index);
    event_.clear();
    event_.index = static_cast<std::int64_t>(index);
    event_.phase = "X";
    event_.thread = "main";
    event_.start_ns = created_ns(entry, index);
    event_.duration_ns = 0;
    event_.collective = name_.substr(5);
    event_.dtype = first_type(entry);
    event_.in_elements = elements(entry, index, "input_sizes");
    event_.out_elements = elements(entry, index, "output_sizes");
    event_.group_name = group.name;
    event_.group_description = group.description;
    event_.group_ranks = group.ranks;
    event_.group_size = static_cast<std::int64_t>(group.members.size());
    set_peer(group, index);
  }

  [[nodiscard]] std::int64_t created_ns(const json& entry, std::size_t index) const {
    const auto created = integer(entry, index, "time_created_ns");
    if (!created || *created < 0) fail(index, "lacks 'time_created_ns'");
    return *created;
  }

  /// The call of a part of a batch, which comes before the batch is launched.
  void call(std::size_t index, const json& batch) {
    event_.category = "cpu_op";
    event_.name = "record_param_comms";
    event_.start_ns = std::min(*event_.start_ns, std::max<std::int64_t>(1, created_ns(batch, index)) - 1);
    on_event_(event_);
  }

  /// A launch and its kernel.
  void execute(const json& entry, std::size_t index, bool is_batch, std::size_t& open) {
    double ms = 0;
    if (const auto it = entry.find("duration_ms"); it != entry.end() && it->is_number())
      ms = it->get<double>();
    if (!(ms >= 0 && ms <= longest_ms)) fail(index, fmt::format("'duration_ms' {} is out of range", ms));
    open += text(entry, "state") != "completed";
    event_.correlation = event_.index + 1;

    KinetoEvent launch;
    launch.index = event_.index;
    launch.phase = event_.phase;
    launch.category = "cuda_runtime";
    launch.name = "cudaLaunchKernel";
    launch.thread = event_.thread;
    launch.start_ns = event_.start_ns;
    launch.duration_ns = 0;
    launch.correlation = event_.correlation;
    on_event_(launch);

    event_.category = "kernel";
    event_.name = "ncclDevKernel_" + (is_batch ? "SendRecv" : event_.collective);
    const bool is_p2p = is_batch || text(entry, "is_p2p") == "true";
    event_.thread = fmt::format("{}{}", event_.group_name, is_p2p ? " p2p" : "");
    event_.duration_ns = std::llround(ms * 1e6);
    on_event_(event_);
  }

  static std::string first_type(const json& entry) {
    for (const char* key : {"input_dtypes", "output_dtypes"})
      if (const auto it = entry.find(key);
          it != entry.end() && it->is_array() && !it->empty() && (*it)[0].is_string())
        return (*it)[0].get<std::string>();
    return "";
  }

  const Group& group_of(const json& entry, std::size_t index) {
    std::string name;
    if (const auto it = entry.find("process_group"); it != entry.end() && it->is_array() && !it->empty())
      name = (*it)[0].is_string() ? (*it)[0].get<std::string>() : (*it)[0].dump();
    if (name.empty()) name = text(entry, "pg_id");
    const auto found = groups_.find(name);
    if (found == groups_.end()) fail(index, fmt::format("process group '{}' is not in 'pg_config'", name));
    return found->second;
  }

  /// "nccl:send 0->1", "nccl:recv 1<-0": ranks of the group.
  void set_peer(const Group& group, std::size_t index) {
    const bool is_send = name_.rfind("nccl:send", 0) == 0;
    if (!is_send && name_.rfind("nccl:recv", 0) != 0) return;
    const std::size_t arrow = name_.find(is_send ? "->" : "<-");
    std::size_t peer = 0;
    const char *begin = name_.data() +
                        std::min(name_.size(), arrow == std::string::npos ? name_.size() : arrow + 2),
               *end = name_.data() + name_.size();
    const auto [stop, code] = std::from_chars(begin, end, peer);
    if (code != std::errc{} || stop != end || peer >= group.members.size())
      fail(index,
           fmt::format("'{}' names no member of group '{}' (expected nccl:send 0->1)", name_, group.name));
    (is_send ? event_.target_rank : event_.source_rank) = group.members[peer];
  }

  const std::string& path_;
  const std::function<void(const KinetoEvent&)>& on_event_;
  std::map<std::string, Group> groups_;
  std::int64_t first_record_ = 0;
  KinetoEvent event_;  ///< of the entry at hand
  std::string name_;   ///< its profiling_name
};

}  // namespace

bool is_flight_recorder(const std::string& path) {
  const std::string text = beginning_of(path, 4096);
  if (!text.empty() && text[0] == '\x80')
    throw InputErrors(InputError{path, 0,
                                 "a pickle, as PyTorch's flight recorder writes it: give it as JSON "
                                 "(json.dump(pickle.load(open(FILE, 'rb')), open(FILE + '.json', 'w')))"});
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  const bool is_kineto = has("\"schemaVersion\"") || has("\"traceEvents\"") || has("\"deviceProperties\"") ||
                         has("\"distributedInfo\"") || has("\"ph\"");
  return !is_kineto && (has("\"entries\"") || has("\"pg_config\"") || has("\"pg_status\"") ||
                        has("\"nccl_version\"") || has("\"comm_lib_version\""));
}

void read_flight_recorder(const std::string& path, const std::function<void(const KinetoEvent&)>& on_event,
                          std::vector<std::string>& notes) {
  Reader(path, on_event).read(notes);
}

}  // namespace lightrail
