#include "workloads/import/kineto/execution_trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/gzip_file.hpp"
#include "workloads/import/trace_files.hpp"

namespace lightrail {

namespace {

using nlohmann::json;

constexpr const char* groups_node = "## process_group:init ##";
constexpr std::int64_t most_ranks = 1 << 20;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? std::string() : value.dump();
}

std::string member(const json& of, const char* key) {
  const auto it = of.find(key);
  return it == of.end() ? std::string() : text_of(*it);
}

std::optional<std::int64_t> whole(const json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return std::nullopt;
}

/// {"attrs": [{"name": "rf_id", "value": 7}]}; older schemas have the key itself.
const json* attribute(const json& node, const char* name) {
  if (const auto attrs = node.find("attrs"); attrs != node.end() && attrs->is_array())
    for (const json& entry : *attrs)
      if (entry.is_object() && member(entry, "name") == name && entry.contains("value"))
        return &entry["value"];
  const auto direct = node.find(name);
  return direct == node.end() ? nullptr : &*direct;
}

std::optional<std::int64_t> number(const json& node, const char* name) {
  const json* value = attribute(node, name);
  return value ? whole(*value) : std::nullopt;
}

std::string text(const json& node, const char* name) {
  const json* value = attribute(node, name);
  return value ? text_of(*value) : std::string();
}

/// "values", "shapes" or "types" of what a node takes.
json input(const json& node, const char* part, const char* older) {
  const auto inputs = node.find("inputs");
  if (inputs != node.end() && inputs->is_object())
    return inputs->contains(part) ? (*inputs)[part] : json::array();
  const auto direct = node.find(older);
  return direct == node.end() ? json::array() : *direct;
}

/// Every item a text, as Kineto's "Concrete Inputs" and "Input type" have them; "Tensor(float)" is "float",
/// "GenericList[Tensor(float),]" too.
std::string as_texts(const json& list, bool is_type) {
  json texts = json::array();
  if (!list.is_array()) return texts.dump();
  for (const json& item : list) {
    std::string word = text_of(item);
    if (is_type)
      if (const std::size_t at = word.find("Tensor("); at != std::string::npos)
        word = word.substr(at + 7, word.find(')', at) - at - 7);
    texts.push_back(word);
  }
  return texts.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// What a record_param_comms says, in Kineto's words.
KinetoEvent communication_call(const json& node) {
  KinetoEvent event;
  event.phase = "X";
  event.category = "cpu_op";
  event.name = "record_param_comms";
  event.collective = text(node, "collective_name");
  event.dtype = text(node, "dtype");
  event.in_elements = number(node, "in_msg_nelems");
  event.out_elements = number(node, "out_msg_nelems");
  for (const auto& [name, target] :
       {std::pair{"in_split_size", &event.in_split}, std::pair{"out_split_size", &event.out_split}})
    if (std::string list = text(node, name); !list.empty()) *target = std::move(list);
  event.first_rank = number(node, "global_rank_start");
  event.rank_stride = number(node, "global_rank_stride");
  event.group_name = text(node, "pg_name");
  event.group_description = text(node, "pg_desc");
  event.group_size = number(node, "pg_size");
  event.input_dims =
      input(node, "shapes", "input_shapes").dump(-1, ' ', false, json::error_handler_t::replace);
  event.input_types = as_texts(input(node, "types", "input_types"), true);
  event.concrete_inputs = as_texts(input(node, "values", "inputs"), false);
  return event;
}

void take_groups(const json& node, std::vector<ProcessGroup>& groups) {
  const json values = input(node, "values", "inputs");
  if (!values.is_array() || values.empty()) return;
  const json list =
      values[0].is_string() ? json::parse(values[0].get<std::string>(), nullptr, false) : values[0];
  if (!list.is_array()) return;
  for (const json& entry : list) {
    if (!entry.is_object() || !entry.contains("ranks") || !entry["ranks"].is_array()) continue;
    ProcessGroup group;
    group.name = member(entry, "pg_name");
    group.description = member(entry, "pg_desc");
    bool is_good = !entry["ranks"].empty();  // an empty list is everybody
    for (const json& rank : entry["ranks"]) {
      const auto value = whole(rank);
      is_good = is_good && value && *value >= 0 && *value < most_ranks;
      if (is_good) group.ranks.push_back(static_cast<std::uint32_t>(*value));
    }
    group.size = static_cast<std::int64_t>(group.ranks.size());
    if (is_good) groups.push_back(std::move(group));
  }
}

/// Hands out the objects in "nodes" one by one and keeps none of them.
void each_node(const std::string& path, const std::function<void(const json&)>& on_node) {
  GzipFile file(path);
  std::istream stream(&file);
  stream.exceptions(std::ios::badbit);
  bool is_inside = false, has_nodes = false;
  const json all = json::parse(
      stream,
      [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth == 1 && event == json::parse_event_t::key) {
          is_inside = parsed == "nodes";
          has_nodes = has_nodes || is_inside;
        }
        if (depth != 2 || event != json::parse_event_t::object_end || !is_inside) return true;
        on_node(parsed);
        return false;
      },
      false);
  if (!all.is_object() || !has_nodes)
    throw InputErrors(InputError{
        path, 0, R"(broken JSON (expected a PyTorch execution trace: {"schema": ..., "nodes": [...]}))"});
}

/// Microseconds, whole or not.
std::optional<std::int64_t> nanoseconds_at(const json& node, const char* key) {
  const auto it = node.find(key);
  if (it == node.end() || !it->is_number()) return std::nullopt;
  if (it->is_number_integer()) {
    const auto us = it->get<std::int64_t>();
    return us > 9'000'000'000'000'000 || us < -9'000'000'000'000'000 ? std::nullopt
                                                                     : std::optional(us * 1000);
  }
  const auto us = it->get<double>();
  return std::abs(us) < 9e15 ? std::optional<std::int64_t>(std::llround(us * 1e3)) : std::nullopt;
}

}  // namespace

bool is_execution_trace(const std::string& path) {
  const std::string beginning = beginning_of(path, 4096);
  return beginning.find("\"schema\"") != std::string::npos &&
         beginning.find("\"nodes\"") != std::string::npos;
}

ExecutionTrace read_execution_trace(const std::string& path) {
  ExecutionTrace trace;
  each_node(path, [&](const json& node) {
    const std::string name = member(node, "name");
    if (name == groups_node) take_groups(node, trace.groups);
    if (name != "record_param_comms") return;
    if (const auto id = number(node, "rf_id"))
      trace.calls.try_emplace(*id, nccl_metadata(communication_call(node)));
  });
  return trace;
}

std::vector<ProcessGroup> join_execution_trace(const std::string& path, const std::string& kineto_path,
                                               KinetoEvents& events, std::vector<std::string>& notes) {
  ExecutionTrace trace = read_execution_trace(path);
  std::size_t joined = 0, all = 0;
  for (CommunicationCall& call : events.communication_calls) {
    if (call.trust < 2) continue;
    ++all;
    const auto found = trace.calls.find(call.record_function);
    if (found == trace.calls.end()) continue;
    call.metadata.complete(found->second);
    ++joined;
  }
  if (joined == 0 && all > 0)
    throw InputErrors(InputError{
        path, 0,
        fmt::format("none of the {} communication calls of {} has its rf_id here (is it of another run?)",
                    all, kineto_path)});
  notes.push_back(fmt::format("{}: {} of {} communication calls joined with {} by their record function",
                              kineto_path, joined, all, path));
  return std::move(trace.groups);
}

std::vector<ProcessGroup> read_linked_trace(const std::string& path,
                                            const std::function<void(const KinetoEvent&)>& on_event) {
  std::vector<ProcessGroup> groups;
  std::int64_t index = 0, timed = 0;
  each_node(path, [&](const json& node) {
    const std::string name = member(node, "name"), category = member(node, "cat");
    const auto id = node.contains("id") ? whole(node["id"]) : std::nullopt;
    if (name == groups_node) take_groups(node, groups);
    const auto start = nanoseconds_at(node, "ts");
    if (!start) return void(++index);
    ++timed;
    const bool is_gpu = category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset";
    KinetoEvent event = name == "record_param_comms" ? communication_call(node) : KinetoEvent{};
    event.index = index++;
    event.phase = "X";
    event.category = is_gpu ? category : "cpu_op";
    event.name = name;
    event.thread = text(node, "tid");
    event.start_ns = start;
    event.duration_ns = nanoseconds_at(node, "inclusive_dur");
    if (is_gpu) {
      event.correlation = id;
      event.stream = number(node, "stream");
      event.external_id = number(node, "ctrl_deps");
    } else {
      event.external_id = id;
    }
    on_event(event);
  });
  if (timed == 0)
    throw InputErrors(InputError{
        path, 0,
        "a PyTorch execution trace without times: give Kineto's files, and this one as execution-traces"});
  return groups;
}

std::map<std::uint32_t, std::string> execution_traces_by_rank(const std::vector<std::string>& files,
                                                              const std::string& rank_pattern) {
  std::map<std::uint32_t, std::string> by_rank;
  for (const std::string& file : files) {
    auto rank = rank_pattern.empty() ? std::nullopt : rank_by_pattern(file, rank_pattern);
    if (!rank) rank = rank_by_name(file);
    if (!rank) throw InputErrors(InputError{file, 0, "the name of this execution trace has no rank"});
    const auto [it, is_new] = by_rank.try_emplace(*rank, file);
    if (!is_new)
      throw InputErrors(InputError{
          file, 0, fmt::format("a second execution trace of rank {} (the first is {})", *rank, it->second)});
  }
  return by_rank;
}

}  // namespace lightrail
