#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/nvswitch/recall_desk.hpp"
#include "engine/base/small_array.hpp"
#include "network/health/health_table.hpp"
#include "network/health/spare_servers.hpp"
#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/crossbar.hpp"
#include "network/port/device_traits.hpp"
#include "network/reduction/reductions.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

/// How a GPU's traffic uses the chips of an NVSwitch: `packet`: every message all of them, in proportion to
/// their links; `flow`: all that two endpoints send on a connection takes one.
enum class PlaneHash : std::uint8_t { packet, flow };

struct NvswitchSpec final : BufferedSpec, MulticastSpec, DeviceTraits {
  std::uint32_t ports = 8;
  BitRate port_rate{3'600'000'000'000};
  Bytes buffer{1024 * 1024};
  std::uint32_t lanes = 2;
  SimTime latency{0};
  Watts power{0};
  double nvls_efficiency = 0;
  std::uint32_t planes = 1;
  std::uint32_t gpu_links = 0;  ///< NVLinks of a GPU; 0: one a plane
  PlaneHash plane_hash = PlaneHash::packet;

  [[nodiscard]] double multicast_efficiency() const override { return nvls_efficiency; }
  [[nodiscard]] SimTime switching_latency() const override { return latency; }
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::nvswitch; }
  [[nodiscard]] std::uint32_t radix() const override { return ports; }
  [[nodiscard]] Watts electrical_power() const override { return power; }
  /// A GPU's links to each chip, as evenly as may be (18 over 4: 4, 5, 4, 5).
  [[nodiscard]] std::vector<std::uint32_t> plane_shares() const override;
  /// Ports are told apart by chip.
  [[nodiscard]] std::uint32_t separate_planes() const { return plane_hash == PlaneHash::flow ? planes : 1; }

  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override {
    return {static_cast<std::uint8_t>(lanes), buffer.value, &credit_flow_control()};
  }
};

/// The NVSwitches of one server as a crossbar: port i leads to local GPU i. With `plane-hash="flow"` every
/// chip has ports of its own, chip k of a server of n GPUs ports k * n + i; what came in on a chip leaves by
/// it.
///
/// A train to a GPU of this server goes to its port. A train to another server (PXN) goes to the local GPU on
/// the destination's rail, which hands it to its NIC; where several local GPUs share that NIC, the
/// destination's local number chooses among them; where this server has fewer NICs, rails are counted round.
/// NVLS: a train to be reduced is kept until all members of its group in this server have sent theirs, then
/// the sum goes to the head; a multicast train goes to all of them, the sender too. A folded ring's train is
/// kept likewise, then as much goes to every member. The arithmetic itself takes no time beyond `latency`;
/// that it does not reach the links' rate is in the senders' wire bytes
/// (`nvls-efficiency`). Assumes, where flows are not hashed, one full-bandwidth plane whatever the number of
/// chips, and memory for what waits to be summed (in truth the switch reads when all are ready). Leaves out
/// NVLink errors.
///
/// Links of chips may fail (HealthTable). A train that is here already when the link to its GPU goes down is
/// sent again, in the place of its source, when that link is back or senders know of the failure, then by any
/// chip whose link is up; where none will be the run ends with an error, or, where jobs are restarted, it is
/// thrown away: its job is stopped.
class Nvswitch final : public Component {
 public:
  explicit Nvswitch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void tell_hot(HotLines& lines) const override {
    lines.add_all(self_, spares_);
    crossbar_.tell_hot(lines);
    lines.add_all(health_, gpu_at_);
  }
  void prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const override;
  [[nodiscard]] bool is_idle_wake(const Event& event) const override;
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  static constexpr PortIndex unroutable = 0xfffe;
  /// On the first chip.
  [[nodiscard]] PortIndex port_to(EndpointId to) const;
  /// A guess, by which a train that came in on `port` leaves; unroutable: none.
  [[nodiscard]] PortIndex likely_port(const Frame& frame, PortIndex port) const;
  /// What port `first` of the first chip is on the chip of `port`.
  [[nodiscard]] PortIndex beside(PortIndex port, PortIndex first) const {
    return static_cast<PortIndex>(port - local(port) + first);
  }
  [[nodiscard]] PortIndex local(PortIndex port) const { return static_cast<PortIndex>(port % chip_ports_); }
  /// A chip's ports of the group's members in this server: the group of the connection that `head` is in.
  [[nodiscard]] std::vector<PortIndex> members(const Context& context, const Train& train,
                                               EndpointId head) const;
  /// ... of a group for which this switch adds and multicasts; fails where it cannot.
  [[nodiscard]] std::vector<PortIndex> nvls_members(const Context& context, const Train& train,
                                                    EndpointId head) const;
  /// Of the GPUs, or a timer of its own, about what is recalled. False: it is something else.
  bool on_recall(Context& context, const Payload& payload, PortIndex port);
  /// A train or control message, wherever it goes.
  void on_train(Context& context, const Payload& payload, PortIndex port);
  /// To the delegate that the train names.
  void delegate(Context& context, const Frame& frame, PortIndex port);
  void dispatch(const Event& event, PortIndex port, Context& context);
  void on_own(const Payload& payload, Context& context);
  void on_cut_off(Context& context);
  void send_again(const Frame& frame, Context& context);
  /// When a link to the GPU at port `first` of the first chip, of any chip, goes down or comes back next.
  [[nodiscard]] SimTime next_look(PortIndex first, SimTime now) const;
  [[nodiscard]] LinkId link_at(PortIndex port) const;
  void take(Context& context, const Train& train, PortIndex port);
  void fold(Context& context, const Train& train, PortIndex port);
  void reduce(Context& context, const Train& train, PortIndex port);
  void multicast(Context& context, const Train& train, PortIndex port);

  const Model& model_;
  const ComponentId self_;
  const NvswitchSpec& spec_;
  const AddressBook* book_;
  const SpareServers* spares_;  ///< null: none stands for another
  Crossbar crossbar_;
  Reductions reductions_;
  Discards discards_;
  // What every train needs besides.
  const HealthTable* health_ = nullptr;  ///< null: no link ever fails
  std::unique_ptr<RecallDesk> desk_;     ///< null: nothing is recalled here
  std::uint32_t server_ = 0;
  std::uint32_t chip_ports_ = 1;      ///< of one chip
  SmallArray<EndpointId, 8> gpu_at_;  ///< by port of a chip
  std::vector<std::vector<PortIndex>>
      on_rail_;  ///< by NIC of the server: a chip's ports of the GPUs that use it
};

[[nodiscard]] std::shared_ptr<const ComponentKind> nvswitch_kind();

}  // namespace lightrail
