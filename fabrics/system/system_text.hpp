#pragma once
#include <string>

#include "engine/model/model.hpp"

namespace lightrail {

/// What the model consists of, for people: components by kind, cables by kind and place, tiers with their
/// ports, endpoints and lids. About a line for each kind of thing, however large the system is.
[[nodiscard]] std::string map_text(const Model& model);

/// The model as a Graphviz graph: a box for each atom (a server is one box), an edge for each pair of atoms
/// that cables join, labelled with their number.
[[nodiscard]] std::string dot_text(const Model& model);

/// The light budget of every distinct optical path; "" when nothing is optical.
[[nodiscard]] std::string budget_text(const Model& model);

}  // namespace lightrail
