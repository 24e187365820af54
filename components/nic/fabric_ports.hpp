#pragma once
#include <boost/container/small_vector.hpp>
#include <boost/container/vector.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/component.hpp"
#include "network/health/health_table.hpp"
#include "network/health/nic_planes.hpp"
#include "network/port/injector.hpp"

namespace lightrail {

struct QueuePairs;

/// Which port of several what a NIC sends takes.
enum class PortChoice : std::uint8_t {
  flow,  ///< a hash of sender, receiver and connection: a queue pair stays on its port
  load,  ///< of each message the port that has sent all it was given before first
  split  ///< of each message of payload a part by each port
};

/// A NIC's ports to its fabric: one, or two that are cabled to two leaves (dual ToR) and send for the same
/// queue pairs, whose bytes are read over the same PCIe.
///
/// Model: a message is given to a port when it is posted, whole (with `split` in equal parts to both, where
/// both can be used). Ports that cannot be used are passed over:
/// those whose cable went down (or came back) `fail_over` ago or earlier (link aggregation, as LACP or the
/// kernel's bonding has it; what is back before is not noticed), and in a fabric of planes those whose plane
/// senders know to have lost the receiver. Until then what a port was given waits for its cable. Where no
/// port leads to the receiver those whose cable is up are taken, else any. has_changed() says when the owner
/// is to give what has not been sent to ports anew. With one port all of this costs nothing.
/// Assumes that a flow's pace (congestion control) is one for both ports. Leaves out a message's packets on
/// both ports at once.
class FabricPorts {
 public:
  /// `ports`: the component's first ones; `sources` and `latency` as Injector has them.
  FabricPorts(const BuildContext& build, std::uint32_t ports, PortChoice choice, SimTime fail_over,
              const std::vector<Injector::Source>& sources, SimTime latency);
  FabricPorts(const FabricPorts&) = delete;  // its ports read by its clocks
  FabricPorts& operator=(const FabricPorts&) = delete;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(ports_.size()); }
  [[nodiscard]] Injector& operator[](std::uint32_t port) { return ports_[port]; }
  [[nodiscard]] const Injector& operator[](std::uint32_t port) const { return ports_[port]; }
  /// The port for a message of `flow` to the NIC at `lid`. `in_order`: it must not overtake others of its
  /// flow, so that the hash alone chooses.
  [[nodiscard]] PortIndex choose(const Address& flow, Lid lid, bool in_order, SimTime now,
                                 const EgressBank& egress) const;

  /// In how many parts a message leaves, part i by port i; 1: whole, by the port that choose() names.
  [[nodiscard]] std::uint32_t parts_of(const Outgoing& message, Lid lid, SimTime now) const;

  [[nodiscard]] bool is_idle() const;
  /// All of them.
  void repair_by(RepairSender& repair);
  void pace_by(std::unique_ptr<FlowPacing> pacing);
  void pump(Context& context, EgressBank& egress, SentListener& listener);
  [[nodiscard]] std::vector<Injector::Rest> take_all();

  /// Whether some port can be used now, and whether messages wait for one that cannot.
  [[nodiscard]] bool is_usable(const EgressBank& egress, SimTime now) const;
  [[nodiscard]] bool is_held_up(const EgressBank& egress, SimTime now) const;
  /// The first moment after `now` at which a cable goes down or comes back.
  [[nodiscard]] SimTime next_cable_change(const EgressBank& egress, SimTime now) const;
  /// Whether choose() may choose otherwise since the last call that said so: what waits is to be taken and
  /// posted anew.
  [[nodiscard]] bool has_changed(SimTime now);
  /// When that is next so; time_never: no further time.
  [[nodiscard]] SimTime changes_at() const { return changes_at_; }

  /// What prefetch() reads.
  void tell_hot(HotLines& lines) const {
    lines.add(&ports_, sizeof(boost::container::vector<Injector>));  // all of it but the port that lies in it
    if (ports_.size() == 1) ports_.front().tell_hot(lines);
  }
  void prefetch() const {
    if (ports_.size() == 1) ports_.front().prefetch();  // it lies in this object
  }
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  [[nodiscard]] std::vector<PortIndex> open_ports(Lid lid, SimTime now) const;
  [[nodiscard]] PortIndex first_free(const std::vector<PortIndex>& ports, std::uint32_t first, SimTime now,
                                     const EgressBank& egress) const;
  [[nodiscard]] SimTime next_change(SimTime now) const;

  boost::container::small_vector<Injector, 1> ports_;  ///< one comes with the NIC's own cache lines
  PortChoice choice_;                                  ///< fixed
  std::uint64_t salt_;                                 ///< fixed
  const QueuePairs* queue_pairs_;                      ///< null: a connection has one
  /// Of its cables, those that last longer than the fail-over; null: there are none.
  std::unique_ptr<const HealthTable> outages_;
  const NicPlanes* planes_ = nullptr;  ///< null: likewise
  std::vector<LinkId> cables_;         ///< fixed, by port
  std::vector<SimTime> clocks_;        ///< by source; empty: each port's own
  SimTime changes_at_ = time_never;
};

}  // namespace lightrail
