#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/kind.hpp"
#include "network/circuits/regions.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/region_control.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// What a GPU knows of the circuits of its server, and so which NICs, each owned by a delegate GPU, take a
/// message to another server. With a controller: announces demand, waits for its exchange's turn, holds what
/// is for circuits while they change and says when the last of its own has gone. Plain state.
class Delegation {
 public:
  Delegation(const BuildContext& build, const Regions& regions, const AddressBook& book, EndpointId self);

  /// NICs of this server that lead to an endpoint of another one. `alone`: not over packet NICs too where
  /// circuits lead there.
  [[nodiscard]] std::vector<std::uint16_t> ways(EndpointId to, bool over_circuits, bool alone = false) const;
  /// Whether traffic of the dimension to that endpoint takes circuits.
  [[nodiscard]] bool takes_circuits(std::uint16_t dimension, EndpointId to) const;
  /// NIC `nic` has a circuit that leads to `to`, directly or by relay.
  [[nodiscard]] bool leads_to(std::uint16_t nic, EndpointId to) const;
  [[nodiscard]] bool owns(std::uint16_t nic) const { return own_nic_ == nic; }
  [[nodiscard]] std::uint16_t own_nic() const { return own_nic_; }
  [[nodiscard]] bool is_optical(std::uint16_t nic) const {
    return nic < peer_.size() && regions_.is_optical(nic);
  }
  [[nodiscard]] std::uint16_t gpu_of(std::uint16_t nic) const { return regions_.gpu_of_nic[nic]; }
  [[nodiscard]] std::uint32_t member() const { return place_.member; }
  [[nodiscard]] bool gathers() const { return regions_.gathers; }
  [[nodiscard]] bool scatters() const { return regions_.scatters; }
  [[nodiscard]] bool relays() const { return !region().next_hop.empty(); }

  [[nodiscard]] bool is_paused() const { return is_paused_; }
  /// A message went to the NIC for a circuit, or has left it. gone(): true when that was the last one a pause
  /// waited for.
  void posted() { ++outstanding_; }
  bool gone();
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }

  /// Whether exchanges of the dimension wait for the controller.
  [[nodiscard]] bool is_announced(std::uint16_t dimension) const;
  [[nodiscard]] bool is_controlled() const { return regions_.is_controlled; }
  [[nodiscard]] Prediction prediction() const { return regions_.predicts; }
  [[nodiscard]] bool is_early() const { return regions_.is_early; }
  /// Demand by member of the region, as announced [B]; a prediction is off by what `prediction` says.
  [[nodiscard]] std::vector<std::int64_t> by_member(std::span<const PeerBytes> demand,
                                                    bool is_predicted) const;
  /// Number of the exchange that is announced now.
  std::uint32_t next_call() { return announced_++; }
  [[nodiscard]] bool is_announced_ahead() const { return announced_ > started_; }
  /// The next exchange starts, or waits until on_live says so: false.
  bool start(Owner owner);

  /// True once for an exchange of which the controller wants to know that it has begun, when it has.
  bool take_begin_request();
  /// Of an exchange's `bytes` for `to`: what takes packet NICs at once.
  [[nodiscard]] std::int64_t beside(EndpointId to, std::int64_t bytes) const;
  /// Of an exchange's `bytes` for `to` over circuits: what waits for later ones.
  [[nodiscard]] std::int64_t later(EndpointId to, std::int64_t bytes) const;

  /// From the controller. on_pause: true when nothing is on the way. on_live: owners that may start.
  bool on_pause(std::uint32_t epoch);
  void on_circuit(std::uint32_t nic, std::uint32_t member);
  void on_later(const region_control::Share& share);
  void on_beside(const region_control::Share& share);
  std::vector<Owner> on_live(std::uint32_t calls, bool is_asked);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  [[nodiscard]] const Regions::Region& region() const { return regions_.regions[place_.region]; }
  [[nodiscard]] Regions::Place place_of(EndpointId to) const { return regions_.place(book_[to].server); }

  const Regions& regions_;
  const AddressBook& book_;
  Regions::Place place_;
  std::uint16_t own_nic_ = 0xffff, dimension_ = 0xffff;

  std::vector<std::uint32_t> peer_;                ///< by NIC: member at the far end of its circuit
  std::vector<std::uint32_t> changed_;             ///< what the controller has said since the pause
  std::vector<std::uint32_t> later_, later_then_;  ///< by member: now, and from the next `live` on
  std::vector<std::uint32_t> beside_, beside_then_;
  std::vector<Owner> waiting_;
  std::uint32_t outstanding_ = 0, epoch_ = 0;
  std::uint32_t announced_ = 0, started_ = 0, granted_ = 0;  ///< exchanges
  bool is_paused_ = false, is_asked_ = false;  ///< asked: tell the controller when the exchange begins
};

}  // namespace lightrail
