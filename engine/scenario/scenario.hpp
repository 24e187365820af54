#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/element.hpp"
#include "engine/scenario/merge_entry.hpp"

namespace lightrail {

/// What a run starts from: the resolved tree and every input file's text (stored in the result).
struct Scenario {
  std::string path;
  Element root;  ///< <scenario>
  std::map<std::string, std::string> variables;
  std::vector<std::string> inputs;  ///< files read, in the order of reading
  std::string resolved_xml;         ///< canonical text of the resolved tree, the same for every rank
};

struct ScenarioOptions {
  std::vector<std::string> settings;  ///< --set name=value, in order
  Catalogue catalogue;                ///< configs/
  ChildIdentities identities = {};    ///< what tells children of catalogue entries apart
};

/// Reads, includes, substitutes `${name}` and `${expression}`, applies catalogue references. Throws
/// InputErrors with every mistake found. Paths inside a file are relative to that file.
[[nodiscard]] Scenario load_scenario(const std::string& path, const ScenarioOptions& options);

/// Every attribute and element that no one read, as errors with did-you-mean where `known` helps.
void report_unread(const Element& root, ErrorList& errors);

/// The closest of `known` to `word` (edit distance <= 2 or a third of its length), or "".
[[nodiscard]] std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace lightrail
