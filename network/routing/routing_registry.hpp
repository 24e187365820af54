#pragma once
#include <memory>
#include <string>
#include <vector>

#include "network/routing/routing_kind.hpp"

namespace lightrail {

/// The routings this run knows: the built-in list, then plugins.
class RoutingRegistry {
 public:
  /// Throws InputErrors when the name is taken.
  void add(std::shared_ptr<const RoutingKind> kind);
  /// Null when unknown.
  [[nodiscard]] std::shared_ptr<const RoutingKind> find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::vector<std::shared_ptr<const RoutingKind>>& kinds() const { return kinds_; }
  /// "static: destination-mod-k; ecmp: ...".
  [[nodiscard]] std::string documentation() const;

 private:
  std::vector<std::shared_ptr<const RoutingKind>> kinds_;
};

/// Every routing of this source tree, by an explicit list.
[[nodiscard]] RoutingRegistry built_in_routings();

}  // namespace lightrail
