#include "workloads/import/chakra/chakra_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>

#include "engine/base/error.hpp"
#include "workloads/import/gzip_file.hpp"

namespace lightrail {

namespace {

using nlohmann::json;

/// "" or what is wrong.
std::string take_ranks(const std::string& name, const json& list, std::uint32_t ranks, ChakraGroups& groups) {
  std::vector<std::uint32_t> members;
  if (!list.is_array()) return fmt::format("process group '{}' has no list of ranks", name);
  for (const json& item : list) {
    if (!item.is_number_integer() || item.get<std::int64_t>() < 0 || item.get<std::int64_t>() >= ranks)
      return fmt::format("process group '{}' names rank {} (the trace has {} ranks)", name, item.dump(),
                         ranks);
    members.push_back(item.get<std::uint32_t>());
  }
  std::vector<std::uint32_t> sorted = members;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return fmt::format("process group '{}' names a rank twice", name);
  groups[name] = std::move(members);
  return "";
}

}  // namespace

ChakraGroups read_chakra_groups(const std::string& path, std::uint32_t ranks) {
  auto fail = [&](const std::string& what) { throw InputErrors(InputError{path, 0, what}); };
  GzipFile file(path);
  std::istream stream(&file);
  stream.exceptions(std::ios::badbit);
  json all = json::parse(stream, nullptr, false);
  if (!all.is_object()) fail(R"(expected process groups as JSON: {"0": [0, 1], "1": [2, 3]})");
  ChakraGroups groups;
  for (const auto& [name, list] : all.items())
    if (std::string problem = take_ranks(name, list, ranks, groups); !problem.empty()) fail(problem);
  return groups;
}

std::string parse_chakra_groups(const std::string& values, std::uint32_t ranks, ChakraGroups& groups) {
  const std::size_t begin = values.find("[{"), end = values.rfind("}]");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  const json all = json::parse(values.substr(begin, end + 2 - begin), nullptr, false);
  if (!all.is_array()) return "";
  for (const json& group : all) {
    if (!group.is_object() || !group.contains("pg_name")) continue;
    const json& name = group["pg_name"];
    const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
    const json list = group.contains("ranks") ? group["ranks"] : json::array();
    if (std::string problem = take_ranks(text, list, ranks, groups); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace lightrail
