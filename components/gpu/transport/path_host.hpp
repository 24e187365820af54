#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/transport/arrivals.hpp"
#include "components/gpu/transport/attempt_addresses.hpp"
#include "components/gpu/transport/gpu_ports.hpp"
#include "components/gpu/transport/nvlink_planes.hpp"
#include "components/gpu/transport/proxy_queue.hpp"
#include "components/gpu/transport/send_token.hpp"
#include "engine/base/prefetch.hpp"
#include "engine/model/component.hpp"
#include "engine/model/output_selection.hpp"
#include "network/port/egress_bank.hpp"
#include "network/port/injector.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/link_change.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

struct NcclSettings;

/// Who sends messages in parts: a path, or what stands before the paths.
class PartListener {
 public:
  /// A part of its message number `message` has left, or will have for sure, at `at` (>= now).
  virtual void on_part_sent(std::uint32_t message, SimTime at) = 0;

 protected:
  ~PartListener() = default;
};

/// Told what comes of messages for the program.
class DeliveryListener {
 public:
  /// The owner will be woken at `end`.
  virtual void on_wake_set(SimTime now, Owner owner, SimTime end) = 0;
  /// A row of the table messages.
  virtual void on_row(Owner owner, std::span<const std::int64_t> row) = 0;

 protected:
  ~DeliveryListener() = default;
};

/// What a GPU's paths work with: its ports, its proxy thread, the messages that have come in, and who waits
/// for the end of what was sent. Knows none of the paths. Plain state.
class PathHost final : private SentListener {
 public:
  PathHost(const BuildContext& build, EndpointId self);

  [[nodiscard]] const AddressBook& book() const { return book_; }
  [[nodiscard]] EndpointId self() const { return self_; }
  [[nodiscard]] const AddressBook::Entry& here() const { return book_[self_]; }
  /// Whether an endpoint is in this GPU's server.
  [[nodiscard]] bool is_near(EndpointId endpoint) const { return book_[endpoint].server == here().server; }
  [[nodiscard]] bool is_gpu(EndpointId endpoint) const { return endpoint.value < book_.gpu_count; }
  [[nodiscard]] bool is_connected(PortIndex port) const {
    return port < egress_.port_count() && egress_.is_connected(port);
  }
  /// Joined to a NIC that the fabric reaches.
  [[nodiscard]] bool has_nic() const { return is_connected(GpuPort::nic) && here().lid.is_valid(); }
  /// "endpoint 3 (gpu3)".
  [[nodiscard]] std::string name_of(EndpointId endpoint) const;
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

  /// GpuPort::nvlink for every port to a plane of the NVSwitch; `port` itself for others.
  [[nodiscard]] PortIndex side_of(PortIndex port) const {
    return port >= GpuPort::second_nic && planes_.has(port) ? GpuPort::nvlink : port;
  }

  /// Puts a message on NVLink (by the plane that its flow takes) or PCIe to the host, behind what waits
  /// there.
  void inject(Context& context, PortIndex port, const Outgoing& message);
  /// Gives a NIC a work request, by the proxy thread, whose bytes are all here at `ready` (>= now).
  void post(Context& context, SimTime ready, const ProxyQueue::Request& request) {
    proxy_.post(context, ready, request);
  }
  /// The same to the first NIC.
  void post(Context& context, SimTime ready, const WorkRequest& work) {
    post(context, ready, {work, work.address.to(), GpuPort::nic, ProxyQueue::Share::request});
  }
  /// Cuts an own message into work requests for the first NIC, in pieces of at most max_work_bytes.
  void post_transfer(Context& context, const Transfer& transfer);

  /// The NIC will say that work with that address has left; then whom `token` names is told.
  void await_notice(const Address& work, SendToken token);
  /// The NIC gives that work back and will not say so: whom to tell, no longer awaited.
  [[nodiscard]] SendToken take_notice(const Address& work);
  /// It has.
  void on_notice(Context& context, const SentNotice& notice);
  /// A message of this GPU's has left, or will have for sure, at `at` (>= now).
  void tell_sent(Owner owner, SimTime at) { ends_.push_back({owner, at, true}); }
  void tell_sent(SendToken token, SimTime at);
  /// Whom ends of parts are told to.
  void tell_parts_to(PartListener& listener) { part_listener_ = &listener; }
  /// Whom deliveries are told to.
  void listen(DeliveryListener& listener) { delivery_listener_ = &listener; }

  /// A train or control message for this GPU: head now, tail at `tail`.
  void arrive(Context& context, const Train& train, SimTime tail);
  void expect(Context& context, const Expectation& expectation);
  /// A message from `from` has come whole, or will have for sure at message.at: its owner is told.
  void deliver(Context& context, EndpointId from, Connection connection, const Arrivals::Complete& message);

  /// When the partner of a send or receive first showed that it takes part: the head of the message, or its
  /// clear-to-send. Of the last message for `slot` of the owner since the last call; time 0: there was none.
  [[nodiscard]] SimTime take_first_sign(std::uint32_t slot);

  /// Hands each MessageEnd since the last call to `told`, which may send.
  template <class Told>
  void tell_ends(Told&& told) {
    // By index: what `told` sends may add ends. NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < ends_.size(); ++i) told(MessageEnd{ends_[i]});
    ends_.clear();
  }

  /// In which attempt of its job the GPU is.
  [[nodiscard]] AttemptAddresses& addresses() { return addresses_; }
  [[nodiscard]] const AttemptAddresses& addresses() const { return addresses_; }
  void discard(DiscardedAt where, std::int64_t bytes) { discards_.add(where, bytes); }
  void discard(DiscardedAt where, const Frame& frame) { discards_.add(where, frame); }
  /// Throws away what has come in or has not left yet, and whom it would have been told.
  void drop_all();

  // For GpuTransport and CollectiveMemory alone.
  [[nodiscard]] EgressBank& egress() { return egress_; }
  /// Nothing is on this GPU's line to its NVSwitch, which has one plane, or waits for it.
  [[nodiscard]] bool is_nvlink_at_rest(SimTime now) const {
    return egress_.is_at_rest(GpuPort::nvlink, now) && injectors_[GpuPort::nvlink]->is_idle();
  }
  void on_flow_control(Context& context, PortIndex port, const Payload& message);
  void on_injector_wake(Context& context, std::uint32_t port);
  /// The timer of a link to a plane.
  void on_link_change(Context& context, const LinkChange& change);
  /// What a link that failed did not take goes again, by another plane when its failure is known. Call after
  /// each event where can_lose_links().
  void watch_planes(Context& context);
  [[nodiscard]] bool can_lose_links() const { return can_lose_links_; }
  /// Whether watch_planes() has something to do since its last call.
  [[nodiscard]] bool has_cut_off() const { return egress_.has_cut_off(); }
  /// Whether nothing waits for the link of that timer.
  [[nodiscard]] bool is_idle_change(const LinkChange& change) const;
  void on_proxy_wake(Context& context) { proxy_.on_wake(context); }
  void tell_hot(HotLines& lines) const {
    lines.add_all(self_, injectors_);
    egress_.tell_hot(lines);
  }
  void prefetch_line_of(PortIndex port) const {
    if (port >= injectors_.size()) return;
    egress_.prefetch(port);
    Injector::prefetch_at(&injectors_[port]);
  }
  void prefetch_queue() const { egress_.prefetch_queue(); }
  void prefetch_arrival(std::uint64_t flow) const { arrivals_.prefetch(flow); }
  void finish(Context& context) { egress_.finish(context), discards_.finish(context); }
  [[nodiscard]] std::int64_t unclaimed_bytes() const { return arrivals_.unclaimed(); }
  [[nodiscard]] double link_energy_pj() const { return egress_.link_energy_pj(); }
  [[nodiscard]] std::vector<std::string> waits_for_line() const { return egress_.waits_for(); }
  [[nodiscard]] std::vector<std::string> waits_for_ports() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Notice {
    Address work{};
    std::uint64_t token = 0;  ///< SendToken
  };

  void pump(Context& context, PortIndex port);
  void spread_again(Context& context);
  void post_cut_off(SimTime now);
  [[nodiscard]] SimTime next_look(SimTime now) const;
  [[nodiscard]] bool are_planes_idle() const;
  void settle(Context& context, EndpointId from, Connection connection, std::uint32_t slot);
  void on_sent(Context& context, std::uint64_t token, SimTime tail) override;

  // Two lines that a train's arrival reads, then one that leads to what sends.
  EndpointId self_;
  bool can_lose_links_ = false;  ///< fixed: links of planes_
  AttemptAddresses addresses_;
  std::vector<MessageEnd> ends_;  ///< empty between events
  Arrivals arrivals_;
  std::vector<std::optional<Injector>> injectors_;  ///< by port; none for the NIC and where nothing is joined
  const AddressBook& book_;
  const Model& model_;
  const OutputSelection* output_;
  NvlinkPlanes planes_;
  ProxyQueue proxy_;
  std::vector<Notice> notices_;
  std::vector<SimTime> first_signs_;  ///< by slot of the owner
  EgressBank egress_;
  Discards discards_;
  PartListener* part_listener_ = nullptr;
  DeliveryListener* delivery_listener_ = nullptr;  ///< null: nobody wants to know
  SimTime planes_change_at_ = time_never;          ///< planes_ may choose otherwise then
  SimTime watched_until_{};                        ///< a timer asks after links to planes then
};

/// NCCL's settings of a job; its defaults where there is none.
[[nodiscard]] const NcclSettings& nccl_settings_of(const Model& model);

}  // namespace lightrail
