#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"

namespace lightrail {

/// A part of a model that can run by itself.
struct SubModel {
  Model model;                         ///< without resources: what they say of components is of the whole
  std::vector<ComponentId> component;  ///< by component of the whole; invalid: left out
};

/// Of a component, what a SubModel takes over.
struct Kept {
  bool is_kept = false;
  std::uint16_t spare_ports = 0;  ///< behind its own ones, not connected
};

/// The components that `kept` (by id) says, in their order and with all their ports, and the links between
/// them; a port whose other end is left out is not connected. Tables that others have an index into (kinds,
/// specs, link classes, names) stay as they are.
[[nodiscard]] SubModel sub_model(const Model& whole, const std::vector<Kept>& kept);

}  // namespace lightrail
