#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/model/kind.hpp"
#include "engine/model/model.hpp"

namespace lightrail::test {

/// A small model by hand: components, then cables between them; build() lays the ports in the order of the
/// cables.
class TestModel {
 public:
  /// Components of one atom must be added one after the other.
  ComponentId add(std::shared_ptr<const ComponentKind> kind, std::shared_ptr<const Spec> spec,
                  std::uint32_t atom);
  /// Each in an atom of its own.
  ComponentId add(std::shared_ptr<const ComponentKind> kind, std::shared_ptr<const Spec> spec) {
    return add(std::move(kind), std::move(spec), atoms_);
  }
  void connect(ComponentId a, ComponentId b, SimTime latency, BitRate rate = BitRate{400'000'000'000});
  Model build(std::uint64_t seed = 1);

 private:
  Model model_;
  std::uint32_t atoms_ = 0;
};

}  // namespace lightrail::test
