#pragma once
#include <memory>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

/// Immutable values that one stage makes and later ones read, at most one of a type. Copies share them.
class Resources {
 public:
  /// Null adds nothing. A second value of a type is our bug (ContractError).
  template <class T>
  void add(std::shared_ptr<const T> value) {
    if (!value) return;
    const bool is_new = values_.emplace(std::type_index(typeid(T)), std::move(value)).second;
    LIGHTRAIL_EXPECT(is_new);
  }
  /// All that `others` has; a type that both have is our bug.
  void add(const Resources& others) {
    for (const auto& [type, value] : others.values_) {
      const bool is_new = values_.emplace(type, value).second;
      LIGHTRAIL_EXPECT(is_new);
    }
  }
  /// All but the value of that type.
  template <class T>
  [[nodiscard]] Resources without() const {
    Resources others = *this;
    others.values_.erase(std::type_index(typeid(T)));
    return others;
  }
  /// Null when there is none.
  template <class T>
  [[nodiscard]] const T* find() const {
    const auto found = values_.find(std::type_index(typeid(T)));
    return found == values_.end() ? nullptr : static_cast<const T*>(found->second.get());
  }

 private:
  std::unordered_map<std::type_index, std::shared_ptr<const void>> values_;
};

}  // namespace lightrail
