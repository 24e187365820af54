#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/element.hpp"
#include "engine/scenario/merge_entry.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/variables.hpp"

namespace lightrail {

/// Turns elements as written into the resolved tree: includes and catalogue references read, variables
/// replaced, citations checked and dropped. Bounded in files, elements and depth, so that no input can blow
/// up.
class Resolver {
 public:
  /// Both must outlive the resolver.
  Resolver(const ScenarioOptions& options, ErrorList& errors);

  /// False: the file has no usable root; errors say why.
  bool resolve_file(const std::string& path, Element& root);
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  Variables& variables() { return variables_; }
  /// Whether every included file stands in the tree, and there is a catalogue where one is asked for.
  [[nodiscard]] bool is_whole() const { return is_whole_ && !lacks_catalogue_; }

 private:
  const Element* read(const std::string& path, const InputError& referrer);
  void resolve_element(const Element& raw, int depth, Element& out);
  void resolve_children(const Element& raw, int depth, bool is_root, Element& out);
  void include(const Element& raw, int depth, Element& out);
  void include_file(const Element& raw, int depth, Element& out);
  void apply_catalogue(const Attribute& reference, int depth, Element& out);
  void check_source(const Element& raw);
  bool enter(const std::string& path, const InputError& place, const std::string& what);

  Catalogue catalogue_;
  const ChildIdentities& identities_;
  ErrorList& errors_;
  Variables variables_;
  std::map<std::string, Element> cache_;  ///< by path, as written
  std::set<std::string> unusable_;
  std::vector<std::string> files_;
  std::vector<std::string> open_;  ///< the chain of files being resolved
  bool is_whole_ = true, lacks_catalogue_ = false;
  std::size_t element_count_ = 0, inclusion_count_ = 0;
};

}  // namespace lightrail
