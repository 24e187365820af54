#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/crossbar.hpp"
#include "network/port/device_traits.hpp"
#include "network/reduction/reductions.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

struct NvswitchSpec final : BufferedSpec, MulticastSpec, DeviceTraits {
  std::uint32_t ports = 8;
  BitRate port_rate{3'600'000'000'000};
  Bytes buffer{1024 * 1024};
  std::uint32_t lanes = 2;
  SimTime latency{0};
  Watts power{0};
  double nvls_efficiency = 0;

  [[nodiscard]] double multicast_efficiency() const override { return nvls_efficiency; }
  [[nodiscard]] SimTime switching_latency() const override { return latency; }
  [[nodiscard]] DeviceRole role() const override { return DeviceRole::nvswitch; }
  [[nodiscard]] std::uint32_t radix() const override { return ports; }
  [[nodiscard]] Watts electrical_power() const override { return power; }

  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override {
    return {static_cast<std::uint8_t>(lanes), buffer.value, &credit_flow_control()};
  }
};

/// The NVSwitch plane of one server as a crossbar: port i leads to local GPU i.
///
/// A train to a GPU of this server goes to its port. A train to another server (PXN) goes to the local GPU on
/// the destination's rail, which hands it to its NIC; where several local GPUs share that NIC, the
/// destination's local number chooses among them; where this server has fewer NICs, rails are counted round.
/// NVLS: a train to be reduced is kept until all members of its group in this server have sent theirs, then
/// the sum goes to the head; a multicast train goes to all of them, the sender too. A folded ring's train is
/// kept likewise, then as much goes to every member. The arithmetic itself takes no time beyond `latency`;
/// that it does not reach the links' rate is in the senders' wire bytes
/// (`nvls-efficiency`). Assumes one full-bandwidth plane whatever the number of chips, and memory for what
/// waits to be summed (in truth the switch reads when all are ready). Leaves out the chips' planes, NVLink
/// errors.
class Nvswitch final : public Component {
 public:
  explicit Nvswitch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void prefetch() const override { crossbar_.prefetch_all(); }
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override { crossbar_.save(out), reductions_.save(out); }
  void load(StateReader& in) override { crossbar_.load(in), reductions_.load(in); }

 private:
  static constexpr PortIndex unroutable = 0xfffe;
  [[nodiscard]] PortIndex port_to(EndpointId to) const;
  /// Ports of the group's members in this server: the group of the connection that `head` is in.
  [[nodiscard]] std::vector<PortIndex> members(const Context& context, const Train& train,
                                               EndpointId head) const;
  /// ... of a group for which this switch adds and multicasts; fails where it cannot.
  [[nodiscard]] std::vector<PortIndex> nvls_members(const Context& context, const Train& train,
                                                    EndpointId head) const;
  /// To the delegate that the train names.
  void delegate(Context& context, const Frame& frame, PortIndex port);
  void take(Context& context, const Train& train, PortIndex port);
  void fold(Context& context, const Train& train, PortIndex port);
  void reduce(Context& context, const Train& train, PortIndex port);
  void multicast(Context& context, const Train& train, PortIndex port);

  const Model& model_;
  const NvswitchSpec& spec_;
  const AddressBook* book_;
  Crossbar crossbar_;
  Reductions reductions_;
  std::uint32_t server_ = 0;
  std::vector<EndpointId> gpu_at_;               ///< by port
  std::vector<std::vector<PortIndex>> on_rail_;  ///< by NIC of the server: ports of the GPUs that use it
};

[[nodiscard]] std::shared_ptr<const ComponentKind> nvswitch_kind();

}  // namespace lightrail
