#pragma once
#include "engine/model/address_book.hpp"
#include "network/port/crossbar.hpp"
#include "network/port/device_traits.hpp"
#include "network/reduction/reductions.hpp"
#include "network/routing/port_chooser.hpp"
#include "network/transport/retransmission.hpp"
#include "network/wire/train.hpp"
#include "workloads/collective/group_plan.hpp"

namespace lightrail {

struct SwitchSpec final : BufferedSpec, MulticastSpec, DeviceTraits {
  std::uint32_t ports = 64;
  BitRate port_rate{400'000'000'000};
  Bytes buffer{512 * 1024};
  std::uint32_t lanes = 2;
  SimTime latency{0};
  Routing routing = Routing::fixed;
  std::uint32_t flow_entries = 1024;
  SimTime flowlet_gap = microseconds(1);
  SimTime retransmit_timeout = Retransmission::infiniband_timeout;  ///< of what an optical switch lost
  std::uint32_t retries = max_retries;
  Watts power{0};
  double sharp_efficiency = 0;

  double multicast_efficiency() const override { return sharp_efficiency; }
  SimTime switching_latency() const override { return latency; }

  DeviceRole role() const override { return DeviceRole::packet_switch; }
  std::uint32_t radix() const override { return ports; }
  Watts electrical_power() const override { return power; }
  InputBuffer input_buffer(PortIndex) const override {
    return {static_cast<std::uint8_t>(lanes), buffer.value};
  }
};

/// An InfiniBand-like packet switch: lossless by credits per virtual lane, cut-through, up/down routes.
///
/// Assumes: every input has its own buffer per lane; the crossbar is never the bottleneck; outputs serve
/// trains in the order of their arrival. What an optical switch lost is sent again from here, when the
/// source's retransmission timer would end. SHARP: trains to be reduced are kept until the group's members at
/// the same place of all servers, all joined to this switch, have sent theirs; the sum goes to each; the
/// arithmetic takes no time, its rate is in the senders' wire bytes (`sharp-efficiency`). Leaves out its
/// trees of several switches, priorities between lanes, congestion notification, multicast, link errors,
/// head-of-line blocking inside an input buffer.
class Switch final : public Component {
 public:
  explicit Switch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void prefetch() const override { crossbar_.prefetch_all(); }
  void finish(Context& context) override;
  std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override {
    crossbar_.save(out), chooser_.save(out), reductions_.save(out);
  }
  void load(StateReader& in) override { crossbar_.load(in), chooser_.load(in), reductions_.load(in); }

 private:
  PortIndex port_for(const Frame& frame, Context& context);
  void reduce(Context& context, const Train& train, PortIndex port);
  void send_again(const Train& back, PortIndex port, Context& context);
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

  const Model& model_;
  const SwitchSpec& spec_;
  const AddressBook* book_;
  const SwitchRoute* route_;
  Crossbar crossbar_;
  PortChooser chooser_;
  Reductions reductions_;
};

std::shared_ptr<const ComponentKind> switch_kind();

}  // namespace lightrail
