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
    std::size_t coalesced = 0, open = 0;
    for (std::size_t i = 0; i < all["entries"].size(); ++i) take(all["entries"][i], i, coalesced, open);
    notes.push_back(fmt::format(
        "{}: a flight recorder has communications alone: what is between them is CPU time", path_));
    if (coalesced > 0)
      notes.push_back(fmt::format("{}: {} entries 'coalesced' are left out, their parts stand beside them",
                                  path_, coalesced));
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

  void take(const json& entry, std::size_t index, std::size_t& coalesced, std::size_t& open) {
    if (!entry.is_object()) fail(index, "is no object");
    const std::string name = text(entry, "profiling_name");
    if (name.rfind("nccl:", 0) != 0)
      fail(index, fmt::format("'profiling_name' is '{}' (expected nccl:all_reduce and the like)", name));
    if (index == 0) first_record_ = integer(entry, index, "record_id").value_or(0);
    if (name == "nccl:coalesced") {
      ++coalesced;
      return;
    }
    const auto created = integer(entry, index, "time_created_ns");
    if (!created || *created < 0) fail(index, "lacks 'time_created_ns'");
    double ms = 0;
    if (const auto it = entry.find("duration_ms"); it != entry.end() && it->is_number())
      ms = it->get<double>();
    if (!(ms >= 0 && ms <= longest_ms)) fail(index, fmt::format("'duration_ms' {} is out of range", ms));
    open += text(entry, "state") != "completed";
    const Group& group = group_of(entry, index);

    KinetoEvent call;
    call.index = static_cast<std::int64_t>(index);
    call.phase = "X";
    call.category = "cuda_runtime";
    call.name = "cudaLaunchKernel";
    call.thread = "main";
    call.start_ns = *created;
    call.duration_ns = 0;
    call.correlation = static_cast<std::int64_t>(index) + 1;
    on_event_(call);

    KinetoEvent kernel = call;
    kernel.category = "kernel";
    kernel.name = "ncclDevKernel_" + name.substr(5);
    kernel.thread = fmt::format("{}{}", group.name, text(entry, "is_p2p") == "true" ? " p2p" : "");
    kernel.duration_ns = std::llround(ms * 1e6);
    kernel.collective = name.substr(5);
    kernel.dtype = first_type(entry);
    kernel.in_elements = elements(entry, index, "input_sizes");
    kernel.out_elements = elements(entry, index, "output_sizes");
    kernel.group_name = group.name;
    kernel.group_description = group.description;
    kernel.group_ranks = group.ranks;
    kernel.group_size = static_cast<std::int64_t>(group.members.size());
    set_peer(name, group, index, kernel);
    on_event_(kernel);
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
  void set_peer(const std::string& name, const Group& group, std::size_t index, KinetoEvent& kernel) const {
    const bool is_send = name.rfind("nccl:send", 0) == 0;
    if (!is_send && name.rfind("nccl:recv", 0) != 0) return;
    const std::size_t arrow = name.find(is_send ? "->" : "<-");
    std::size_t peer = 0;
    const char *begin =
                   name.data() + std::min(name.size(), arrow == std::string::npos ? name.size() : arrow + 2),
               *end = name.data() + name.size();
    const auto [stop, code] = std::from_chars(begin, end, peer);
    if (code != std::errc{} || stop != end || peer >= group.members.size())
      fail(index,
           fmt::format("'{}' names no member of group '{}' (expected nccl:send 0->1)", name, group.name));
    (is_send ? kernel.target_rank : kernel.source_rank) = group.members[peer];
  }

  const std::string& path_;
  const std::function<void(const KinetoEvent&)>& on_event_;
  std::map<std::string, Group> groups_;
  std::int64_t first_record_ = 0;
};

}  // namespace

bool is_flight_recorder(const std::string& path) {
  GzipFile file(path);
  std::array<char, 4096> begin{};
  const auto count = file.sgetn(begin.data(), static_cast<std::streamsize>(begin.size()));
  const std::string text(begin.data(), static_cast<std::size_t>(std::max<std::streamsize>(0, count)));
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
