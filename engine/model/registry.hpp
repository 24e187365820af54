#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/model/kind.hpp"

namespace lightrail {

/// The component kinds this run knows: the built-in list, then plugins.
class KindRegistry {
 public:
  /// Throws InputErrors when the name is taken.
  void add(std::shared_ptr<const ComponentKind> kind);
  /// Null when unknown.
  [[nodiscard]] std::shared_ptr<const ComponentKind> find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::vector<std::shared_ptr<const ComponentKind>>& kinds() const { return kinds_; }

 private:
  std::vector<std::shared_ptr<const ComponentKind>> kinds_;
};

}  // namespace lightrail
