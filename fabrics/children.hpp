#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabrics/system/system_builder.hpp"
#include "network/wire/connection.hpp"

namespace lightrail {

inline constexpr std::uint32_t max_endpoints = 1u << endpoint_bits;

/// none: the child has no use here and giving it is a mistake.
enum class Need : std::uint8_t { required, optional, none };

/// The one child of that name; null when absent. Two of them, one too few or a useless one are mistakes.
[[nodiscard]] const Element* only_child(const Element& parent, const std::string& name, Need need,
                                        ErrorList& errors);

/// The component that the child describes.
[[nodiscard]] std::optional<Part> part_child(const Element& parent, const std::string& child,
                                             const std::string& kind, Need need, SystemBuilder& builder);

/// Refuses a switch that cannot route as it says: in a fabric of groups or another one, with the lanes it
/// has. The error is at the `routing` of `element`, or at `element`.
void check_routing(const Element& element, const Spec& device, bool has_groups, ErrorList& errors);

/// The <link role="..."> children of an element.
class LinkRoles {
 public:
  LinkRoles(const Element& parent, std::vector<std::string> roles, SystemBuilder& builder);
  /// The cable of a role; null when absent or wrong.
  [[nodiscard]] std::optional<std::uint32_t> cable(const std::string& role, Need need) const;
  /// The same for a cable that ends at an optical switch: its light is checked with the whole path.
  [[nodiscard]] std::optional<std::uint32_t> cable_to_ocs(const std::string& role, Need need) const;
  [[nodiscard]] bool has(const std::string& role) const { return elements_.count(role) > 0; }
  /// For errors about the cable: its element, or the parent.
  [[nodiscard]] InputError place(const std::string& role) const;

 private:
  const Element& parent_;
  SystemBuilder& builder_;
  std::map<std::string, const Element*> elements_;
};

}  // namespace lightrail
