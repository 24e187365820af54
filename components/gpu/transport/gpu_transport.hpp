#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "components/gpu/transport/arrivals.hpp"
#include "components/gpu/transport/paths/delegation.hpp"
#include "components/gpu/transport/paths/rail_circuit_client.hpp"
#include "components/gpu/transport/proxy_queue.hpp"
#include "engine/base/small_array.hpp"
#include "engine/model/address_book.hpp"
#include "engine/model/output_selection.hpp"
#include "network/port/egress_bank.hpp"
#include "network/port/injector.hpp"

namespace lightrail {

/// Kinds of a GPU's events to itself; WireKind has the low numbers.
enum class GpuWake : std::uint8_t {
  received = 32,  ///< a: slot, b: sub
  timer,          ///< a: slot, b: sub
  op_end,         ///< a: op, b: how often its end was set
  forward_train,  ///< where circuits join servers: a train for another one is whole; its own fields follow
  forward_control,
  proxy,
  rail  ///< a circuit has been idle for long enough
};

/// How one GPU's messages go: to itself through its memory (read and written once each at the memory's
/// bandwidth), over NVLink, over PCIe through its host where there is no NVSwitch, or through its NIC. With
/// PXN a message to another server's GPU on another rail goes over NVLink to the local GPU of that rail,
/// which hands it to its own NIC when it has arrived. Where circuits join servers, GPUs delegate
/// (delegation.hpp) or ask for a circuit (rail_circuit_client.hpp). Counts what it sends by dimension and,
/// where recorded, by receiver.
class GpuTransport final : public Transport, private SentListener {
 public:
  static constexpr PortIndex nvlink_port = 0, nic_port = 1, host_port = 2, control_port = 3,
                             scheduler_port = 4;

  GpuTransport(const BuildContext& build, EndpointId self, BitRate memory_bandwidth);

  EndpointId self() const override { return self_; }
  Medium medium(EndpointId peer) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, EndpointId to, Connection connection) override;
  void expect(Context& context, const Expectation& expectation) override;
  void wake_after(Context& context, SimTime delay, Owner owner) override;
  bool wants_demand(std::uint16_t dimension) const override;
  void announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) override;
  bool predicts_from_history() const override;
  void announce_absence(Context& context) override;
  bool start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) override;

  /// Anything that came in on a port except WireKind::sent.
  void on_wire(Context& context, const Payload& payload, PortIndex port);
  /// WireKind::sent of the NIC.
  void on_notice(Context& context, const Payload& payload);
  /// The component's own events that concern the transport: WireKind::wake, forward_*, proxy.
  void on_wake(Context& context, const Payload& payload);
  /// Hands each MessageEnd since the last call to `told`, after everything above: told(end) may send.
  template <class Told>
  void tell_ends(Told&& told) {
    for (std::size_t i = 0; i < ends_.size(); ++i) told(MessageEnd{ends_[i]});
    ends_.clear();
  }

  /// Fetch what the next events touch; these read the object.
  void prefetch() const {
    egress_.prefetch_all();
    __builtin_prefetch(injectors_.data());
  }
  void prefetch_arrival(const Payload& payload) const;

  /// Rows of traffic, traffic_matrix, link_use, queue.
  void finish(Context& context);
  /// Of what has come in [B]: nothing has asked for it.
  std::int64_t unclaimed_bytes() const { return arrivals_.unclaimed(); }
  double link_energy_pj() const { return egress_.link_energy_pj(); }
  std::vector<std::string> waits_for() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  enum class Way : std::uint8_t { local, nvlink, host, nic, none };
  struct Counter {
    std::int64_t bytes = 0, messages = 0;
  };
  /// An own message of which `left` bytes wait for circuits.
  struct Held {
    Transfer transfer{};
    std::int64_t left = 0;
  };
  struct Notice {
    std::uint64_t flow = 0;  ///< receiver and connection
    Owner owner{};
  };

  Way way_to(EndpointId to) const;
  bool is_connected(PortIndex port) const { return port < in_lines_.size() && egress_.is_connected(port); }
  bool has_rail(std::uint16_t nic) const { return nic < rails_.size() && rails_[nic]; }
  void count(const Transfer& transfer);
  void send_to_switch(Context& context, const Transfer& transfer);
  void send_local(Context& context, const Transfer& transfer);
  void send_to_nic(Context& context, const Transfer& transfer);
  void forward(Context& context, const Payload& payload, SimTime tail);
  void inject(Context& context, PortIndex port, const Outgoing& message);
  void pump(Context& context, PortIndex port);
  // By delegates, where circuits join servers (gpu_delegates.cpp).
  bool is_delegated(EndpointId to) const {
    return delegation_ && book_[to].server != book_[self_].server && to.value < book_.gpu_count;
  }
  void announce(Context& context, std::span<const PeerBytes> demand, bool is_predicted);
  void tell_begun(Context& context);
  void send_by_delegates(Context& context, const Transfer& transfer);
  std::int64_t beside_circuits(const Transfer& transfer) const;
  void send_on_circuits(Context& context, const Held& message);
  /// Ways that a part of a message may take.
  enum class Over : std::uint8_t { all, circuits, packets };
  void send_parts(Context& context, const Transfer& transfer, std::int64_t bytes, bool is_end, Over over);
  void send_over(Context& context, std::uint16_t nic, const Payload& work, bool notify, Owner owner);
  void hand_over(Context& context, const Payload& work, std::uint16_t local, bool is_scatter,
                 std::uint64_t token);
  void post_to_circuit(Context& context, Payload work, bool is_own, Owner owner);
  void pass_on(Context& context, const Payload& payload);
  void on_circuit_sent(Context& context);
  void check_returned(Context& context, const Payload& payload) const;
  void on_control(Context& context, const Payload& payload);
  // Where rails are optical switches (gpu_rails.cpp).
  bool is_on_rail(EndpointId to) const { return rail_ && book_[to].server != book_[self_].server; }
  void send_on_rail(Context& context, const Payload& message, bool is_by_gpu, bool is_own, Owner owner);
  void post_on_rail(Context& context, const RailCircuitClient::Work& work);
  void send_control_on_rail(Context& context, const Payload& control);
  void on_rail_control(Context& context, const Payload& payload);
  void arrive(Context& context, const Payload& payload, SimTime tail);
  void settle(Context& context, std::uint64_t flow, std::uint32_t slot);
  void on_sent(Context& context, std::uint64_t token, SimTime tail) override;
  std::string name_of(EndpointId endpoint) const;
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

  // What a train's arrival reads comes first, in few cache lines.
  const Model& model_;
  const AddressBook& book_;
  const OutputSelection* output_;
  EndpointId self_;
  bool is_pxn_ = false;
  std::unique_ptr<RailCircuitClient> rail_;  ///< null: no photonic rails
  std::unique_ptr<Delegation> delegation_;   ///< null: no circuits
  SmallArray<LineTime, 5> in_lines_;         ///< by port
  BitRate memory_bandwidth_;
  Arrivals arrivals_;
  std::vector<MessageEnd> ends_;  ///< empty between events
  SimTime memory_free_at_{};

  std::vector<std::optional<Injector>>
      injectors_;  ///< by port; none for the NIC and where nothing is connected
  ProxyQueue proxy_;
  std::vector<Notice> notices_;
  std::vector<Counter> by_dimension_;
  EgressBank egress_;
  std::vector<bool> rails_;                            ///< by NIC index: a GPU of this server has it
  std::vector<Held> held_transfers_;                   ///< own, for circuits that change or come later
  std::vector<Payload> held_;                          ///< of others, at their delegate
  std::map<std::uint32_t, std::int64_t> by_receiver_;  ///< payload [B]; only where recorded
};

}  // namespace lightrail
