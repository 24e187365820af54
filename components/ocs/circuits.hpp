#pragma once
#include <cstdint>
#include <vector>

#include "components/ocs/ocs_spec.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"

namespace lightrail {

/// Where the light of each port of an optical switch goes, from when on, and with how many errors; what ports
/// that have failed or stick can do of what is wanted. Writes the rows of the table of circuits.
class Circuits {
 public:
  struct Port {
    PortIndex out = CircuitTable::dark;
    std::uint16_t is_failed = 0, is_stuck = 0, unused = 0;
    SimTime since{};  ///< begin of the present row of the table
    SimTime lit_from{};
    std::int64_t bytes = 0, lost_bytes = 0;  ///< payload since then
    double failure = 0;                      ///< of a codeword on the circuit
  };

  Circuits(const BuildContext& build, const OcsSpec& spec);

  [[nodiscard]] std::size_t size() const { return ports_.size(); }
  [[nodiscard]] Port& operator[](PortIndex port) { return ports_[port]; }
  [[nodiscard]] const Port& operator[](PortIndex port) const { return ports_[port]; }
  /// The fibre out of a port; invalid where there is none.
  [[nodiscard]] LinkId link(std::size_t port) const { return port < links_.size() ? links_[port] : LinkId{}; }
  [[nodiscard]] const LinkLight& light(LinkId link) const;

  /// Circuits become what is possible of `wanted` at `at` (<= now). Returns when the last one that was added
  /// carries data.
  SimTime apply(const CircuitTable& wanted, SimTime at, Context& context);
  /// A port, or all, is in another state.
  void change(const PortChange& change, Context& context);
  /// What the ports can do of what is wanted.
  [[nodiscard]] CircuitTable possible(const CircuitTable& wanted) const;
  /// Circuits of `table` that are not there now; one of both directions counts once.
  [[nodiscard]] std::int64_t added(const CircuitTable& table) const;

  /// The last rows.
  void finish(Context& context);
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  /// Probability that a codeword fails on the path between two ports.
  [[nodiscard]] double failure_of(PortIndex in, PortIndex out) const;
  /// The circuit from `in` is the way back of one that is added with it.
  [[nodiscard]] bool is_other_half(const CircuitTable& table, PortIndex in) const;
  void join(PortIndex port, PortIndex out, SimTime at, SimTime lit_from, Context& context);
  void write_row(Context& context, PortIndex port, SimTime end);

  const Model& model_;
  const OcsSpec& spec_;
  ComponentId id_;
  bool is_recorded_ = false;
  std::vector<LinkId> links_;  ///< by port
  std::vector<Port> ports_;
};

}  // namespace lightrail
