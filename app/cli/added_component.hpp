#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "engine/model/kind.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// Adds a component of `kind` called `name`, an atom by itself, with `ports` that are not joined yet.
[[nodiscard]] ComponentId add_component(Model& model, std::shared_ptr<const ComponentKind> kind,
                                        std::shared_ptr<const Spec> spec, std::string name,
                                        std::uint16_t ports);

struct ModelPort {
  ComponentId component{};
  PortIndex port = 0;
};
/// Joins two ports; by link class: there and back.
void join_ports(Model& model, ModelPort a, ModelPort b, std::uint16_t there, std::uint16_t back);

}  // namespace lightrail
