#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/nic/fabric_ports.hpp"
#include "components/nic/notices.hpp"
#include "network/health/nic_health.hpp"
#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/credit/shared_credits.hpp"
#include "network/port/crossbar.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/injector.hpp"
#include "network/port/pause/pause_spec.hpp"
#include "network/transport/acknowledged_pacing.hpp"
#include "network/transport/arriving_batches.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/discards.hpp"
#include "network/transport/lane_map.hpp"
#include "network/transport/net_plugin.hpp"
#include "network/transport/nic_returns.hpp"
#include "network/transport/notice_pacer.hpp"
#include "network/transport/repair_receiver.hpp"
#include "network/transport/repair_sender.hpp"
#include "network/transport/retransmission.hpp"
#include "network/transport/service_levels.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/restart_control.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail {

/// What keeps the fabric from overfilling a NIC's buffer, and the NIC that of the fabric.
enum class NicFlowControl : std::uint8_t { credits, pauses };

/// Of which classes a NIC repairs losses: of those that are not lossless, or of all of them.
enum class RepairOf : std::uint8_t { lossy, all };

/// When a device is told that its message was sent: its last byte is on the wire, or it was acknowledged.
enum class NicCompletion : std::uint8_t { sent, acknowledged };

/// How acknowledgements and notices leave a NIC: as the rest of their class, paused with it, or in spite of
/// that, ahead of everything.
enum class NicAnswers : std::uint8_t { in_class, first };

struct NicSpec final : BufferedSpec, NetPluginSpec, DeviceTraits, LaneMapSpec, PauseSpec {
  std::uint32_t ports = 1;  ///< to the fabric
  PortChoice port_choice = PortChoice::flow;
  SimTime fail_over = milliseconds(100);  ///< until a port's flows go over to the other one, and come back
  BitRate port_rate{400'000'000'000};
  BitRate pcie_rate{504'000'000'000};
  std::int64_t message_rate = 200'000'000;
  Bytes buffer{512 * 1024};
  Bytes reserve{0};  ///< of `buffer`, what only its lane may use; 0: all of it
  NicFlowControl flow_control = NicFlowControl::credits;
  std::uint32_t lanes = 2;
  std::string lane_list;  ///< by service level, "0,0,1"; "": as <lanes> says
  LaneMap lane_table;     ///< the one that says so
  SimTime send_latency{0}, receive_latency{0};
  SimTime retransmit_timeout = Retransmission::infiniband_timeout;
  std::uint32_t retries = max_retries;
  LossRepair repair = LossRepair::go_back_n;
  RepairOf repair_of = RepairOf::lossy;
  NicCompletion completion = NicCompletion::sent;
  NicAnswers answers = NicAnswers::in_class;
  SimTime error_interval = microseconds(500);
  Watts power{0};
  NicRole for_role = NicRole::compute;  ///< of others: behind a host, for all of its server
  SimTime nccl_latency{0}, message_time{0};
  bool is_simple_only = false;
  Bytes staged_bytes{0};
  BitRate staged_rate{0};

  [[nodiscard]] NetPlugin net_plugin() const override {
    return {nccl_latency, is_simple_only, message_time, staged_bytes, staged_rate};
  }
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::nic; }
  [[nodiscard]] std::uint32_t fabric_ports() const override { return ports; }
  [[nodiscard]] const LaneMap& lane_map() const override { return lane_table; }
  [[nodiscard]] Watts electrical_power() const override { return power; }
  /// With pauses: classes that may lose what they carry, bit k for lane k.
  [[nodiscard]] LaneMask lossy_lanes() const {
    return static_cast<LaneMask>(~pauses_.settings().lossless & ((1u << lanes) - 1));
  }
  /// With pauses: classes whose losses it repairs.
  [[nodiscard]] LaneMask repaired_lanes() const {
    return repair_of == RepairOf::all ? static_cast<LaneMask>((1u << lanes) - 1) : lossy_lanes();
  }
  /// Call when parameters of pauses have changed.
  void settle();
  [[nodiscard]] InputBuffer input_buffer(PortIndex port) const override;

 private:
  PauseFlowControl pauses_;
};

/// A network adapter: port 0 is the fabric (with ports="2" port 1 as well: FabricPorts), the ports behind it
/// are PCIe to its GPUs, then to its host or storage server.
///
/// Send: a work request (WorkRequest) is cut into trains; connections take turns train by train, attached
/// devices too; a device's trains go at the lower of PCIe and fabric rate. Work requests start at
/// message_rate at most. Receive: trains are forwarded to the PCIe port of their endpoint, which a GPU is
/// told of by batches (ArrivingBatches); their buffer is free when they have left over PCIe, so a slow PCIe
/// pushes back into the fabric. What an optical switch lost is sent again when the retransmission timer ends
/// (selective repeat), a few times; what arrived corrupt the link replays at once. Where circuits change a
/// GPU has back what NicReturns says. A message to an endpoint on the same NIC loops back. What classes lose
/// that are not lossless, or any, is repaired (RepairSender, RepairReceiver): their trains are numbered and
/// acknowledged, and how fast flows are sent may go by that (AcknowledgedPacing). While its cable is down
/// (NicHealth) nothing leaves; a GPU that another NIC of its server can stand in for has its work back when
/// the outage is known to senders. Where jobs are restarted it throws away what is left of an earlier
/// attempt, and tells of a message that it has sent as often as it may, which ends the run elsewhere. Assumes
/// work requests and completions are small (latency of PCIe, no bandwidth). Leaves out: one limit over
/// several PCIe links, memory registration and caches, acknowledgements of lossless classes.
///
/// With role="storage" it has the host behind it, which passes on what its GPUs read and write: trains that
/// the host sends go on to the fabric as they come in, from a buffer as large as the one towards the fabric.
class Nic final : public Component, private SentListener {
 public:
  /// `returns`: what it gives the device on its first port, a GPU, that belongs to no endpoint here.
  Nic(const BuildContext& build, const NicReturns& returns);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void tell_hot(HotLines& lines) const override;
  void prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const override;
  void finish(Context& context) override;
  [[nodiscard]] bool is_idle_wake(const Event& event) const override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  static constexpr std::uint32_t none = Notices::none;
  void on_sent(Context& context, std::uint64_t token, SimTime tail) override;
  void count_trains(const BuildContext& build);
  [[nodiscard]] bool hears_batches(PortIndex device) const {
    return device < ArrivingBatches::max_ports && (hears_batches_ >> device & 1) != 0;
  }
  bool receive(const Frame& train, const Frame& came, PortIndex in, Context& context);
  void send_on(const Frame& train, PortIndex port, Context& context);
  void receive_numbered(const NumberedTrain& train, bool is_marked, PortIndex in, Context& context);
  void receive_trimmed(const NumberedTrain& header, PortIndex in, Context& context);
  void refuse(const NumberedTrain& train, Context& context);
  void tell_of_early(const std::vector<Frame>& early, const Frame& missing, Context& context);
  void acknowledge(const Acknowledgement& message, Context& context);
  void on_acknowledgement(const Acknowledgement& message, PortIndex in, Context& context);
  void answer(const Frame& frame, Context& context);
  bool has_room_for(const Frame& frame, PortIndex in, Context& context);
  void tell_pacing(const Acknowledgement& message, const RepairSender::Answer& answer, SimTime now);
  void on_repair_timer(const Address& flow, Context& context);
  void repeat(const std::vector<RepairSender::Again>& again, Context& context);
  void record_repair(Context& context) const;
  [[nodiscard]] Frame on_marked(const Frame& train, Context& context);
  void notify(const Frame& train, Context& context);
  void on_notice(const Frame& frame, PortIndex in, Context& context);
  void accept_work(const DeferredWork& work, Context& context);
  void handle_event(const Event& event, PortIndex port, Context& context);
  void handle_own(const Event& event, Context& context);
  void handle_arrival(const Payload& p, PortIndex port, Context& context);
  void watch(Context& context);
  void give_back_all(Context& context);
  void spread_again(Context& context);
  [[nodiscard]] bool gives_back(PortIndex device, SimTime now) const;
  void give_back(Context& context, PortIndex device, const Frame& head, std::int64_t bytes, bool notify);
  void send_again(const Train& back, Context& context);
  void send_original(const Train& back, Context& context);
  void flush(const restart_control::Flush& order, Context& context);
  void drop(const Injector::Rest& rest, Context& context);
  void drop_notice(std::uint64_t token, Context& context);
  std::int64_t forget(const Address& flow, Context& context);
  void give_up(const Frame& train, const char* why, Context& context);
  void tell_of_break(const Address& broken, Context& context);
  /// What it belongs to is an earlier attempt of the job whose server this is.
  [[nodiscard]] bool is_over(const Address& address) const {
    return address.connection().attempt() < attempt_;
  }
  void start_work(const DeferredWork& work, Context& context);
  void send_message(Outgoing message, const DeferredWork& work, Context& context);
  [[nodiscard]] std::uint8_t lane_of(const Address& address, bool is_control) const;
  /// Of a class: "not lossless".
  [[nodiscard]] const char* why_repaired() const {
    return spec_.repair_of == RepairOf::all ? "repaired (repair-of=\"all\")" : "not lossless";
  }
  [[nodiscard]] std::string circuit_here(const Context& context) const;
  [[nodiscard]] PortIndex port_of(EndpointId endpoint) const;  ///< 0: not attached here
  /// To a device: the first port behind those to the fabric.
  [[nodiscard]] PortIndex first_device() const { return static_cast<PortIndex>(spec_.ports); }
  /// The same where `endpoint` is not attached here, as of a neighbour's GPU.
  [[nodiscard]] PortIndex port_or_first(EndpointId endpoint) const {
    return std::max(port_of(endpoint), first_device());
  }
  /// Of the NIC that takes what is for `to`.
  [[nodiscard]] Lid lid_of(EndpointId to, SimTime now) const;
  /// To the fabric, for what goes to flow.to() on that lane.
  [[nodiscard]] PortIndex port_for(const Address& flow, std::uint8_t lane, SimTime now) const;
  /// Whether what is sent on a lane must not be overtaken: its repair would take that for a loss.
  [[nodiscard]] bool is_in_order(std::uint8_t lane) const {
    return repair_ && repair_->sender.is_lossy(lane) && spec_.repair != LossRepair::trimming;
  }
  void post(const Outgoing& message, SimTime now);
  Injector& injector(std::uint32_t port) {
    return port < spec_.ports ? fabric_[port] : loops_[port - spec_.ports];
  }
  [[noreturn]] void fail(const Context& context, const std::string& what) const;
  [[noreturn]] void fail_unexpected(const Payload& p, PortIndex port, const Context& context) const;

  /// Both sides of what classes lose that are not lossless.
  struct Repair {
    RepairSender sender;
    RepairReceiver receiver;
    EntropyValues values;  ///< of what `sender` sends
  };

  // A line of what every event looks at and most trains that come in, which lasts into batches_, then what
  // most events touch.
  const AddressBook* book_;  ///< of its fabric
  const NicSpec& spec_;
  const NicHealth* health_ = nullptr;  ///< null: its cable never fails, and nobody stands in
  std::uint32_t hears_batches_ = 0;    ///< fixed: bit k: the device at port k is told of batches
  EndpointId first_endpoint_{};        ///< fixed: of endpoint_at_, behind the ports to the fabric
  ArrivingBatches batches_;
  FabricPorts fabric_;
  Crossbar crossbar_;

  SmallArray<EndpointId, 4> endpoint_at_;  ///< by port
  std::unique_ptr<Repair> repair_;         ///< null: with credits nothing is lost
  std::uint32_t mtu_bytes_ = 0;            ///< fixed: of the fabric [B]
  std::uint32_t attempt_ = 0;              ///< of the job whose server this is
  const NicReturns returns_;
  bool counts_trains_ = false;  ///< fixed: that it sends
  bool restarts_jobs_ = false;  ///< fixed
  SimTime work_interval_;
  SimTime work_free_at_{};
  Notices notices_;
  const ServiceLevels* levels_;     ///< null: the lane is what the device says
  const LaneMap* lanes_ = nullptr;  ///< null: a level is a lane
  std::vector<Injector> loops_;     ///< by port - first_device(): back to the device there
  const Model& model_;
  const CongestionControl* congestion_ = nullptr;  ///< null: nobody marks as InfiniBand does
  const Dcqcn* dcqcn_ = nullptr;                   ///< null: marks of an Ethernet are passed over
  AcknowledgedPacing* pacing_ = nullptr;           ///< of `fabric_`; null: it does not go by acknowledgements
  NoticePacer notice_pacer_;                       ///< of flows whose marks have come in, with DCQCN
  SimTime watched_until_{};                        ///< a timer asks after the cable then
  SimTime looked_until_{};   ///< until then nothing that waits for the cable can go another way
  std::int64_t resent_ = 0;  ///< trains and control messages
  Discards discards_;
};

[[nodiscard]] std::shared_ptr<const ComponentKind> nic_kind();

}  // namespace lightrail
