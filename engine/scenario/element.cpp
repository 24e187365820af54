#include "engine/scenario/element.hpp"

#include <algorithm>
#include <utility>

namespace lightrail {

namespace {

void remember(std::vector<std::string>& asked, std::string_view name) {
  if (std::find(asked.begin(), asked.end(), name) == asked.end()) asked.emplace_back(name);
}

}  // namespace

void ErrorList::add(InputError error) {
  errors_.push_back(std::move(error));
  if (errors_.size() >= max_errors) throw_if_any();
}

void ErrorList::throw_if_any() const {
  if (!errors_.empty()) throw InputErrors(errors_);
}

void Element::set(const std::string& attribute, const std::string& value) {
  for (Attribute& a : attributes)
    if (a.name == attribute) {
      a.value = value;
      return;
    }
  attributes.push_back({attribute, value, file, line});
}

const Attribute* Element::find(std::string_view attribute) const {
  remember(asked_attributes, attribute);
  for (const Attribute& a : attributes)
    if (a.name == attribute) {
      a.is_read = true;
      return &a;
    }
  return nullptr;
}

InputError Element::error_at(std::string_view attribute, const std::string& what) const {
  const Attribute* given = find(attribute);
  return given ? InputError{given->file, given->line, what} : error(what);
}

const Element* Element::child(std::string_view child_name) const {
  remember(asked_children, child_name);
  for (const Element& c : children)
    if (c.name == child_name) {
      c.is_read = true;
      return &c;
    }
  return nullptr;
}

std::vector<const Element*> Element::children_named(std::string_view child_name) const {
  remember(asked_children, child_name);
  std::vector<const Element*> found;
  for (const Element& c : children)
    if (c.name == child_name) {
      c.is_read = true;
      found.push_back(&c);
    }
  return found;
}

}  // namespace lightrail
