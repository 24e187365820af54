#include "app/catalogue/catalogue_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <pugixml.hpp>
#include <sstream>

#include "engine/scenario/xml_file.hpp"

namespace lightrail {
namespace {

/// The comment above the root element on one line.
std::string comment_of(const std::string& file) {
  pugi::xml_document document;
  if (!document.load_file(file.c_str(), pugi::parse_default | pugi::parse_comments)) return "";
  std::string text;
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_element) break;
    if (node.type() != pugi::node_comment) continue;
    std::istringstream words(node.value());
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

/// How closely a word of a source's `parameter` names a figure: more for a longer one, most for its name.
std::optional<std::size_t> closeness(const std::string& word, const std::string& figure) {
  if (word == figure) return figure.size() + 1;
  if (word.empty() || word.back() != '*') return std::nullopt;
  if (figure.compare(0, word.size() - 1, word, 0, word.size() - 1) != 0) return std::nullopt;
  return word.size() - 1;
}

class Reader {
 public:
  Reader(const ChildIdentities& identities, CatalogueEntry& entry) : identities_(identities), entry_(entry) {}

  void read(const Element& element, const std::string& part) {
    around_.push_back(&element);
    const std::vector<std::string> identity = part.empty() ? std::vector<std::string>{} : naming(element);
    for (const Attribute& a : element.attributes) {
      const bool names_it = std::find(identity.begin(), identity.end(), a.name) != identity.end();
      if (a.name == "catalogue")
        refer(part, a.value);
      else if (!names_it)
        entry_.values.push_back(with_source(part, a));
    }
    for (const Element& child : element.children)
      if (child.name != "source") read(child, (part.empty() ? "" : part + ", ") + label(child));
    around_.pop_back();
  }

 private:
  void refer(const std::string& part, const std::string& entry) {
    if (part.empty())
      entry_.base = entry;
    else
      entry_.parts.push_back({part, entry});
  }

  [[nodiscard]] std::vector<std::string> naming(const Element& element) const {
    const auto it = identities_.find(element.name);
    if (it == identities_.end()) return {"name", "role"};
    std::vector<std::string> names;
    for (const IdentifyingAttribute& by : it->second) names.push_back(by.name);
    return names;
  }

  [[nodiscard]] std::string label(const Element& element) const {
    std::string text = element.name;
    for (const std::string& name : naming(element))
      for (const Attribute& a : element.attributes)
        if (a.name == name) text += fmt::format(" {}={}", name, a.value);
    return text;
  }

  [[nodiscard]] EntryValue with_source(const std::string& part, const Attribute& figure) const {
    EntryValue value{part, figure.name, figure.value, "", ""};
    for (auto level = around_.rbegin(); level != around_.rend() && value.kind.empty(); ++level)
      find_source(**level, level == around_.rbegin(), value);
    return value;
  }

  static void find_source(const Element& element, bool is_own, EntryValue& value) {
    std::size_t closest = 0;
    bool is_found = false;
    for (const Element* source : element.children_named("source")) {
      const Attribute* parameter = source->find("parameter");
      std::istringstream words(parameter ? parameter->value : "");
      for (std::string word; words >> word;) {
        const auto close = closeness(word, value.name);
        if (!close || (is_found && *close <= closest) || (word == "*" && !is_own)) continue;
        is_found = true, closest = *close;
        const Attribute *kind = source->find("kind"), *text = source->find("text");
        value.kind = kind ? kind->value : "", value.source = text ? text->value : "";
      }
    }
  }

  const ChildIdentities& identities_;
  CatalogueEntry& entry_;
  std::vector<const Element*> around_;  ///< the element that is read, behind those it stands in
};

}  // namespace

CatalogueEntry read_entry(const Catalogue& catalogue, const std::string& name,
                          const ChildIdentities& identities) {
  ErrorList errors;
  CatalogueEntry entry;
  Element root;
  entry.name = name;
  entry.file = catalogue.file_of(name, {}, errors);
  errors.throw_if_any();
  const bool is_read = read_xml_file(entry.file, {}, root, errors);
  errors.throw_if_any();
  LIGHTRAIL_EXPECT(is_read);
  entry.element = root.name;
  entry.text = comment_of(entry.file);
  Reader(identities, entry).read(root, "");
  return entry;
}

}  // namespace lightrail
