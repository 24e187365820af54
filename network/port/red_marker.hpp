#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/quantity.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/state_io.hpp"
#include "network/port/egress_bank.hpp"
#include "network/routing/port_choice.hpp"

namespace lightrail {

/// <ecn> of an Ethernet switch: which packets of a class it marks.
struct EcnSpec {
  std::uint32_t lane = 0;  ///< class
  Bytes kmin{0}, kmax{0};  ///< of a queue
  double pmax = 0;         ///< probability at kmax
  BitRate rate{0};         ///< of ports that kmin and kmax are for, others have them in proportion; 0: of all
};

[[nodiscard]] Describe<EcnSpec> ecn_parameters();
/// "166912 B ... 282624 B, 0.05".
[[nodiscard]] std::string ecn_text(const EcnSpec& spec);

/// Reads the <ecn> of an element. Adds errors: a class that is none of the `lanes` or has two of them, kmin
/// that is above kmax.
[[nodiscard]] std::vector<EcnSpec> read_ecn(const Element& element, std::uint32_t lanes, ErrorList& errors);

/// Marks packets at random by the queue of their class that they find at their output (RED, as ECN uses it):
///   P = 0 up to kmin, pmax (Q - kmin) / (kmax - kmin) up to kmax, 1 above; a step where they are equal.
///   S. Floyd, V. Jacobson: Random Early Detection Gateways for Congestion Avoidance. IEEE/ACM Transactions
///   on Networking 1(4), 1993; with the queue now in place of its average, as switches of data centres do.
///
/// Model: every packet of a train is drawn by itself, with the queue that the first one finds: what has the
/// line before it, of whatever class, and what waits of its own. A train with a marked packet is marked. The
/// draws are of the switch's own salt and their count.
class RedMarker {
 public:
  /// `classes`: not empty; `salt`: of the switch's own draws.
  RedMarker(const BuildContext& build, const std::vector<EcnSpec>& classes, std::uint64_t salt);

  /// `train`, which will leave on `out` and its lane: marked or not.
  [[nodiscard]] Frame marked(const Frame& train, PortIndex out, const EgressBank& egress,
                             const Context& context);
  /// Rows of the table ecn.
  void finish(Context& context) const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

  /// P in 2^-32 of a queue of `bytes`.
  [[nodiscard]] std::uint64_t probability(PortIndex out, std::uint8_t lane, std::int64_t bytes) const;

 private:
  struct Threshold {                  // of a port and lane
    std::int64_t kmin = 0, kmax = 0;  ///< [B]; kmax 0: nothing is marked
    std::uint64_t pmax = 0;           ///< [2^-32]
  };
  struct Count {
    std::int64_t seen = 0, marked = 0;  ///< packets
  };
  [[nodiscard]] static std::size_t index(PortIndex port, std::uint8_t lane) {
    return std::size_t{port} * max_lanes + lane;
  }

  std::vector<Threshold> thresholds_;
  std::vector<Count> counts_;
  std::uint32_t mtu_bytes_ = 1;  ///< fixed: of its links [B]
  TieDraw draw_;
};

}  // namespace lightrail
