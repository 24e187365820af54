#include "app/study/point_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "engine/base/hash.hpp"
#include "engine/base/whole_file.hpp"
#include "engine/record/provenance.hpp"
#include "engine/scenario/write_xml.hpp"

namespace lightrail {
namespace {

std::uint64_t hash_of(const std::string& text) {
  return checksum(std::as_bytes(std::span(text)));
}

/// Points of a sweep mostly name the same files, of which traces may be large.
std::uint64_t hash_of_file(const std::string& path) {
  static std::map<std::string, std::uint64_t> known;
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  return known[path] = hash_of(read_whole(path));
}

}  // namespace

std::string point_key(const Scenario& scenario, const RunInputs& inputs) {
  Element root = scenario.root;
  std::erase_if(root.children, [](const Element& child) {
    return child.name == "sweep" || child.name == "variable" || child.name == "doc";
  });
  std::uint64_t state = hash_combine(hash_of(inputs.version), hash_of(write_xml(root)));
  for (const std::string& word : inputs.options) state = hash_combine(state, hash_of(word));
  for (const std::string& file : inputs.files) state = hash_combine(state, hash_of_file(file));
  return fmt::format("{:016x}", state);
}

std::string program_version(const std::string& executable) {
  std::string version = fmt::format("{} ({})", software_version(), git_describe());
  const std::string_view commit = git_describe();
  if (commit.ends_with("-dirty") || commit == "unknown")
    version += fmt::format(" {:016x}", hash_of_file(executable));
  return version;
}

}  // namespace lightrail
