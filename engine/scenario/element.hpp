#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

/// More mistakes than this are not looked for.
inline constexpr std::size_t max_errors = 20;

/// Collects mistakes; throw_if_any() ends the stage that found them. Stops by itself at max_errors.
class ErrorList {
 public:
  void add(InputError error);  ///< the 20th throws
  void throw_if_any() const;
  [[nodiscard]] bool is_empty() const { return errors_.empty(); }
  [[nodiscard]] std::size_t size() const { return errors_.size(); }

 private:
  std::vector<InputError> errors_;
};

struct Attribute {
  std::string name, value;
  std::string file;
  int line = 0;
  mutable bool is_read = false;  ///< set by Element's getters; what stays unread is an error at the end
};

/// A scenario element after includes, variables and catalogue references are resolved. Attributes of a
/// catalogue entry keep their own file and line, so an error names the file that is wrong.
class Element {
 public:
  std::string name;
  std::string file;
  int line = 0;
  std::string catalogue;  ///< "gpus/h100_sxm" when it came from the catalogue, else empty
  std::vector<Attribute> attributes;
  std::vector<Element> children;

  /// The attribute gets this value; added where the element has none of that name.
  void set(const std::string& attribute, const std::string& value);
  /// Null when absent; marks it read.
  const Attribute* find(std::string_view attribute) const;
  /// The first child of that name, or null; marks it read.
  [[nodiscard]] const Element* child(std::string_view child_name) const;
  std::vector<const Element*> children_named(std::string_view child_name) const;
  [[nodiscard]] InputError error(const std::string& what) const { return {file, line, what}; }
  /// At the place of an attribute, given or not.
  [[nodiscard]] InputError error_at(std::string_view attribute, const std::string& what) const;
  mutable bool is_read = false;
  /// Names that were asked for, for the did-you-mean of what stays unread.
  mutable std::vector<std::string> asked_attributes, asked_children;
};

}  // namespace lightrail
