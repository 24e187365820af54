#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/transport/collective_memory.hpp"
#include "components/gpu/transport/path_host.hpp"
#include "components/gpu/transport/paths/path.hpp"
#include "components/gpu/transport/queue_pair_ends.hpp"
#include "components/gpu/transport/sent_payload.hpp"
#include "engine/base/small_array.hpp"
#include "workloads/collective/transport.hpp"

namespace lightrail {

/// How one GPU's messages go: to itself through its memory (read and written once each at the memory's
/// bandwidth); within its server over NVLink, or over PCIe through its host where there is no NVSwitch; to
/// other servers by the first of its paths that leads there (paths/). Counts what it sends by dimension and,
/// where recorded, by receiver.
class GpuTransport final : public Transport {
 public:
  GpuTransport(const BuildContext& build, EndpointId self, BitRate memory_bandwidth);

  [[nodiscard]] EndpointId self() const override { return host_.self(); }
  [[nodiscard]] Medium medium(EndpointId peer) const override;
  void send(Context& context, const Transfer& transfer) override;
  void send_control(Context& context, EndpointId to, Connection connection) override;
  [[nodiscard]] bool has_slow_control() const override { return has_slow_control_; }
  void expect(Context& context, const Expectation& expectation) override;
  void wake_after(Context& context, SimTime delay, Owner owner) override;
  [[nodiscard]] bool wants_demand(std::uint16_t dimension) const override;
  void announce_ahead(Context& context, std::span<const PeerBytes> demand, bool is_known) override;
  [[nodiscard]] bool predicts_from_history() const override;
  void announce_absence(Context& context) override;
  bool start_exchange(Context& context, std::span<const PeerBytes> demand, Owner owner) override;
  void meet(Context& context, const Appointment& appointment) override;
  void tell_start(Context& context, const RecallableStart& start) override;
  /// What the NVSwitch says of the collective that this GPU told it of last; nothing: it is simulated.
  [[nodiscard]] std::optional<CollectiveMemory::Recalled> on_answer(Context& context,
                                                                    const recall::Answer& answer) {
    return memory_->on_answer(context, answer);
  }
  /// The collective in a slot has ended.
  void end_collective(Context& context, std::uint32_t slot) {
    if (memory_) memory_->end(context, slot, sent_, memory_free_at_ <= context.now());
  }

  /// Anything that came in on a port except MessageKind::sent.
  void on_wire(Context& context, const Payload& payload, PortIndex port);
  void on_notice(Context& context, const SentNotice& notice);
  /// The job is stopped, and attempt number `attempt` will follow: what is under way is thrown away, here and
  /// in the NICs and the host. Messages of earlier attempts that still come in are, too.
  void halt(Context& context, std::uint32_t attempt);
  /// It begins, with the servers that one takes who decides at `decided_at`.
  void begin(std::uint32_t attempt, SimTime decided_at) { host_.addresses().begin(attempt, decided_at); }
  /// The component's own events that concern the transport: MessageKind::wake, GpuWake::forward_..., proxy,
  /// rail.
  void on_wake(Context& context, const Payload& payload);
  /// Hands each MessageEnd since the last call to `told`, after everything above: told(end) may send.
  template <class Told>
  void tell_ends(Told&& told) {
    host_.tell_ends(told);
  }

  /// As PathHost's: of links to planes of the NVSwitch that fail.
  [[nodiscard]] bool can_lose_links() const { return host_.can_lose_links(); }
  [[nodiscard]] bool has_cut_off() const { return host_.has_cut_off(); }
  void watch_planes(Context& context) { host_.watch_planes(context); }
  void on_link_change(Context& context, const LinkChange& change) { host_.on_link_change(context, change); }
  [[nodiscard]] bool is_idle_change(const LinkChange& change) const { return host_.is_idle_change(change); }

  /// As PathHost's.
  [[nodiscard]] SimTime take_first_sign(std::uint32_t slot) { return host_.take_first_sign(slot); }

  /// What most trains touch, and what the functions below read.
  void tell_hot(HotLines& lines) const {
    lines.add_all(in_lines_, splitter_);
    host_.tell_hot(lines);
  }
  /// Before a wake of the line on `port`, or credits there.
  void prefetch_line_of(PortIndex port) const { host_.prefetch_line_of(port); }
  /// Before credits.
  void prefetch_queue() const { host_.prefetch_queue(); }
  void prefetch_arrival(const Payload& payload) const;

  [[nodiscard]] const SentPayload& sent() const { return sent_; }
  /// Counts what was sent besides.
  void count(const SentPayload& more) { sent_ += more; }
  /// Rows of traffic, traffic_matrix, link_use, queue.
  void finish(Context& context);
  /// Of what has come in [B]: nothing has asked for it.
  [[nodiscard]] std::int64_t unclaimed_bytes() const {
    return host_.unclaimed_bytes() + (splitter_ ? splitter_->unclaimed_bytes() : 0);
  }
  [[nodiscard]] double link_energy_pj() const { return host_.link_energy_pj(); }
  [[nodiscard]] std::vector<std::string> waits_for() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  /// The first path that leads to an endpoint of another server; fails where there is none.
  [[nodiscard]] Path& path_to(const Context& context, EndpointId to, Cargo cargo) const;
  /// The port on which another endpoint of this server is reached: NVLink or the host's.
  [[nodiscard]] PortIndex port_near(const Context& context, EndpointId to) const;
  /// As it is in this attempt of the job.
  [[nodiscard]] Transfer addressed(Transfer transfer) const;
  void send_addressed(Context& context, const Transfer& transfer);
  void expect_addressed(Context& context, const Expectation& expectation);
  void send_control_addressed(Context& context, EndpointId to, Connection connection);
  void count(const Transfer& transfer);
  static void count(SentPayload& sent, std::uint16_t dimension, std::int64_t payload);
  void send_to_switch(Context& context, const Transfer& transfer);
  void send_local(Context& context, const Transfer& transfer);
  void on_control(Context& context, const Payload& payload);
  /// A train or control message; its tail is here at `tail` (>= now).
  void on_train(Context& context, const Train& train, PortIndex port, SimTime tail);
  [[nodiscard]] SimTime tail_of(const Context& context, std::uint32_t bytes, PortIndex port) const {
    return context.now() + in_lines_[port].of(bytes);
  }

  // What a train's arrival reads comes first, in few cache lines: one of the GPU's, then those of host_.
  SmallArray<LineTime, 4> in_lines_;     ///< by port
  MessageSplitter* splitter_ = nullptr;  ///< queue_pairs_ or a path; null: messages come whole
  PathHost host_;
  std::vector<std::unique_ptr<Path>> paths_;
  std::unique_ptr<QueuePairEnds> queue_pairs_;  ///< null: a connection has one
  ExchangePlanner* planner_ = nullptr;          ///< one of the paths; null: no exchange is announced
  bool has_slow_control_ = false;
  const OutputSelection* output_;
  BitRate memory_bandwidth_;
  SimTime memory_free_at_{};
  SentPayload sent_;
  std::unique_ptr<CollectiveMemory> memory_;  ///< null: nothing of this GPU's is recalled
};

}  // namespace lightrail
