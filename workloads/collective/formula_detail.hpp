#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "workloads/collective/send_room.hpp"

namespace lightrail {

/// Where communication takes what a formula says (FormulaTimes) and sends no message: all of it (<run
/// detail="formula">), or what a <formula> of the run names. A Model resource; the GPUs that take part are
/// joined to one or two meetings by their last ports.
struct FormulaDetail {
  /// From a GPU to a meeting or back: an operation that takes less than both ends when it can.
  static constexpr SimTime notice = nanoseconds(100);

  /// Operations of some group kinds in some iterations.
  struct Scope {
    std::vector<bool> kinds;       ///< by group kind; empty: all
    std::vector<bool> iterations;  ///< by iteration; empty: all

    [[nodiscard]] bool has(GroupKindId kind, std::uint32_t iteration) const {
      return (kinds.empty() || kinds[kind.value]) && (iterations.empty() || iterations[iteration]);
    }
  };

  std::vector<EndpointId> gpus;  ///< that are simulated and take part, ascending
  std::vector<Scope> scopes;     ///< empty: all communication
  /// By `gpus`: receive_rate_of() in the whole system, of which a model by formula alone lacks the cables of
  /// NICs; empty: the model has all.
  std::vector<BitRate> receive_rates;
  SendRoom room;  ///< of the whole system
  /// By group kind: whether its groups, each inside one server, meet there; empty: none does.
  std::vector<bool> meets_in_server;
  bool has_two_meetings = false;  ///< some kinds meet in their servers, others do not

  [[nodiscard]] bool has(EndpointId gpu) const { return std::binary_search(gpus.begin(), gpus.end(), gpu); }
  /// Null: the model says.
  [[nodiscard]] const BitRate* receive_rate(EndpointId gpu) const {
    const auto found = std::lower_bound(gpus.begin(), gpus.end(), gpu);
    if (receive_rates.empty() || found == gpus.end() || *found != gpu) return nullptr;
    return &receive_rates[static_cast<std::size_t>(found - gpus.begin())];
  }
  /// Whether an operation of that group kind, not I/O, is one of these.
  [[nodiscard]] bool takes(GroupKindId kind, std::uint32_t iteration) const {
    return scopes.empty() || std::any_of(scopes.begin(), scopes.end(),
                                         [&](const Scope& scope) { return scope.has(kind, iteration); });
  }
  /// A GPU's port to where groups of that kind meet, of its last one on backwards: 1 or 2.
  [[nodiscard]] std::uint16_t port_from_last(GroupKindId kind) const {
    return has_two_meetings && meets_in_server[kind.value] ? 2 : 1;
  }
};

}  // namespace lightrail
