#include "engine/scenario/merge_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace lightrail {

namespace {

/// Unlike Element::find it leaves the attribute unread.
const Attribute* peek(const Element& element, const std::string& name) {
  for (const Attribute& a : element.attributes)
    if (a.name == name) return &a;
  return nullptr;
}

/// Takes catalogue="none" away from a child that has it.
bool take_none(Element& child) {
  const auto it = std::find_if(child.attributes.begin(), child.attributes.end(), [](const Attribute& a) {
    return a.name == "catalogue" && a.value == no_entry;
  });
  if (it == child.attributes.end()) return false;
  child.attributes.erase(it);
  return true;
}

class Merge {
 public:
  Merge(const std::string& entry, const ChildIdentities& identities, ErrorList& errors)
      : entry_(entry), identities_(identities), errors_(errors) {}

  void lay_over(Element base, Element& given) const {
    const Attribute *kind = peek(given, "kind"), *theirs = peek(base, "kind");
    if (kind && theirs && kind->value != theirs->value)
      return errors_.add({kind->file, kind->line,
                          fmt::format("<{}> is of kind '{}' here and of kind '{}' in catalogue entry '{}' "
                                      "(expected an entry of that kind, or catalogue=\"{}\")",
                                      given.name, kind->value, theirs->value, entry_, no_entry)});
    for (Attribute& a : base.attributes)
      if (!peek(given, a.name)) given.attributes.push_back(std::move(a));
    if (given.catalogue.empty()) given.catalogue = base.catalogue;
    lay_over_children(std::move(base.children), given);
  }

 private:
  void lay_over_children(std::vector<Element> theirs, Element& given) const {
    std::vector<Element> added;
    std::vector<std::size_t> meant;
    const std::size_t count = theirs.size();
    for (Element& child : given.children) {
      std::vector<std::size_t> matches;
      for (std::size_t i = 0; i < count; ++i)
        if (may_mean(child, theirs[i])) matches.push_back(i);
      if (matches.empty()) {
        added.push_back(std::move(child));
      } else if (matches.size() > 1) {
        errors_.add(child.error(fmt::format("<{}> may be any of {} in catalogue entry '{}'{}", child.name,
                                            matches.size(), entry_, hint(child.name))));
      } else if (std::find(meant.begin(), meant.end(), matches[0]) != meant.end()) {
        errors_.add(child.error(fmt::format("<{}> has two <{}> for the same one in catalogue entry '{}'{}",
                                            given.name, child.name, entry_, hint(child.name))));
      } else {
        meant.push_back(matches[0]);
        Element& base = theirs[matches[0]];
        const bool stands_alone = take_none(child) || !child.catalogue.empty();
        if (!stands_alone) {
          const std::string entry = base.catalogue.empty() ? entry_ : base.catalogue;
          Merge(entry, identities_, errors_).lay_over(std::move(base), child);
        }
        base = std::move(child);
      }
    }
    std::move(added.begin(), added.end(), std::back_inserter(theirs));
    given.children = std::move(theirs);
  }

  [[nodiscard]] bool may_mean(const Element& child, const Element& theirs) const {
    if (child.name != theirs.name) return false;
    const std::vector<IdentifyingAttribute>& all = identity_of(child.name);
    return std::all_of(all.begin(), all.end(), [&](const IdentifyingAttribute& by) {
      const Attribute *given = peek(child, by.name), *other = peek(theirs, by.name);
      const std::string& wanted = given ? given->value : by.default_value;
      return wanted.empty() || wanted == (other ? other->value : by.default_value);
    });
  }

  [[nodiscard]] const std::vector<IdentifyingAttribute>& identity_of(const std::string& name) const {
    static const std::vector<IdentifyingAttribute> usual{{"name", ""}, {"role", ""}};
    const auto it = identities_.find(name);
    return it == identities_.end() ? usual : it->second;
  }

  /// " (told apart by: dtype, scaling)".
  [[nodiscard]] std::string hint(const std::string& name) const {
    if (!identities_.count(name)) return "";
    std::string list;
    for (const IdentifyingAttribute& by : identity_of(name)) list += (list.empty() ? "" : ", ") + by.name;
    return " (told apart by: " + list + ")";
  }

  const std::string& entry_;
  const ChildIdentities& identities_;
  ErrorList& errors_;
};

}  // namespace

void merge_entry(Element base, const std::string& entry, const ChildIdentities& identities, Element& given,
                 ErrorList& errors) {
  Merge(entry, identities, errors).lay_over(std::move(base), given);
}

void report_unused_none(const Element& parent, ErrorList& errors) {
  for (const Element& child : parent.children) {
    if (const Attribute* a = peek(child, "catalogue"); a && a->value == no_entry)
      errors.add({a->file, a->line,
                  fmt::format("<{}> attribute 'catalogue': '{}' has no effect (no catalogue entry gives this "
                              "<{}> anything)",
                              child.name, no_entry, child.name)});
    report_unused_none(child, errors);
  }
}

}  // namespace lightrail
