#include "workloads/import/chakra/chakra_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/gzip_file.hpp"

namespace lightrail {

namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& path, std::size_t index, const std::string& what) {
  throw InputErrors(InputError{path, 0, fmt::format("node {} of workload_graph: {}", index, what)});
}

/// Place of a node's kind or collective in its schema, which writers give by number or by name.
std::optional<std::int64_t> number_or_name(const json& value, const std::vector<std::string>& names) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto it = std::find(names.begin(), names.end(), value.get<std::string>());
  return it == names.end() ? std::nullopt : std::optional<std::int64_t>(it - names.begin());
}

const std::vector<std::string>& node_names() {
  static const std::vector<std::string> all{"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                            "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                            "COMM_RECV_NODE", "COMM_COLL_NODE"};
  return all;
}

const std::vector<std::string>& collective_names() {
  static const std::vector<std::string> all{
      "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
      "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};
  return all;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  [[nodiscard]] ChakraNode node_of(const json& from, std::size_t index) const {
    if (!from.is_object()) fail(path_, index, "is no object");
    ChakraNode node;
    const auto id = integer(from, index, "Id");
    if (!id || *id < 0) fail(path_, index, "lacks its 'Id'");
    node.id = static_cast<std::uint64_t>(*id);
    if (from.contains("Name") && from["Name"].is_string()) node.name = from["Name"].get<std::string>();
    const auto type =
        from.contains("NodeType") ? number_or_name(from["NodeType"], node_names()) : std::nullopt;
    if (!type || *type < 1 || *type > 7)
      fail(path_, index, "'NodeType' is no kind of node (1 ... 7, or COMP_NODE ...)");
    node.type = static_cast<int>(*type);
    node.data_dependencies = ids(from, index, "data_deps");
    node.control_dependencies = ids(from, index, "ctrl_deps");
    const auto runtime = integer(from, index, "runtime");
    if (runtime.value_or(0) < 0) fail(path_, index, fmt::format("'runtime' {} is negative", *runtime));
    node.duration_us = static_cast<std::uint64_t>(runtime.value_or(0));
    node.is_cpu = integer(from, index, "is_cpu_op").value_or(0) != 0;
    node.operations = integer(from, index, "num_ops");
    node.tensor_bytes = integer(from, index, "tensor_size");
    if (from.contains("comm_type")) node.collective = number_or_name(from["comm_type"], collective_names());
    node.bytes = integer(from, index, "comm_size");
    node.from = integer(from, index, "comm_src");
    node.to = integer(from, index, "comm_dst");
    node.tag = integer(from, index, "comm_tag");
    if (from.contains("pg_name"))
      node.group = from["pg_name"].is_string() ? from["pg_name"].get<std::string>() : from["pg_name"].dump();
    return node;
  }

 private:
  std::optional<std::int64_t> integer(const json& from, std::size_t index, const char* key) const {
    const auto it = from.find(key);
    if (it == from.end() || it->is_null()) return std::nullopt;
    if (it->is_boolean()) return it->get<bool>() ? 1 : 0;
    if (!it->is_number_integer()) fail(path_, index, fmt::format("'{}' is no whole number", key));
    return it->get<std::int64_t>();
  }
  std::vector<std::uint64_t> ids(const json& from, std::size_t index, const char* key) const {
    std::vector<std::uint64_t> all;
    const auto it = from.find(key);
    if (it == from.end() || it->is_null()) return all;
    if (!it->is_array()) fail(path_, index, fmt::format("'{}' is no list", key));
    for (const json& id : *it) {
      if (!id.is_number_integer() || id.get<std::int64_t>() < 0)
        fail(path_, index, fmt::format("'{}' holds {}", key, id.dump().substr(0, 40)));
      all.push_back(id.get<std::uint64_t>());
    }
    return all;
  }
  const std::string& path_;
};

}  // namespace

bool is_chakra_json(const std::string& path) {
  GzipFile file(path);
  std::array<char, 4096> begin{};
  const auto count = file.sgetn(begin.data(), static_cast<std::streamsize>(begin.size()));
  const std::string text(begin.data(), static_cast<std::size_t>(std::max<std::streamsize>(0, count)));
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' &&
         text.find("\"workload_graph\"") != std::string::npos;
}

void read_chakra_json(const std::string& path, const std::function<void(ChakraNode&)>& on_node) {
  GzipFile file(path);
  std::istream stream(&file);
  stream.exceptions(std::ios::badbit);
  const json all = json::parse(stream, nullptr, false);
  if (!all.is_object() || !all.contains("workload_graph") || !all["workload_graph"].is_array())
    throw InputErrors(InputError{path, 0, "broken JSON (expected {\"workload_graph\": [...]})"});
  const Reader reader(path);
  std::size_t index = 0;
  for (const json& from : all["workload_graph"]) {
    ChakraNode node = reader.node_of(from, index++);
    on_node(node);
  }
}

}  // namespace lightrail
