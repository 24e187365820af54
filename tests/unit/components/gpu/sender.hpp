#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "components/gpu/transport/gpu_transport.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"
#include "components/nic/nic.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "tests/support/network_bed.hpp"

namespace lightrail::test {

/// When to send what.
struct Order {
  SimTime at{};
  Transfer transfer{};
};
struct SenderSpec final : Spec {
  std::vector<Order> orders;
  std::vector<Expectation> expected;

  void send(SimTime at, std::uint32_t to, std::int64_t bytes, bool is_by_gpu, std::uint32_t owner) {
    Transfer t;
    t.to = EndpointId{to}, t.payload_bytes = t.wire_bytes = bytes, t.dimension = 0xffff;
    t.notify = true, t.owner = {owner, 0}, t.is_by_gpu = is_by_gpu;
    orders.push_back({at, t});
  }
};

/// A GPU that sends what its spec says and writes down what it is told has left, or has come of what it
/// expects.
class Sender final : public Component {
 public:
  using Told = std::vector<std::pair<std::uint32_t, SimTime>>;
  Sender(const BuildContext& build, Told* told)
      : spec_(static_cast<const SenderSpec&>(build.spec)),
        transport_(build, EndpointId{build.record.number}, BitRate{1'000'000'000'000}),
        told_(told) {}

  void start(Context& context) override {
    for (const Expectation& e : spec_.expected) transport_.expect(context, e);
    for (std::uint32_t i = 0; i < spec_.orders.size(); ++i)
      context.wake(spec_.orders[i].at, to_payload(OwnerWake{.kind = GpuWake::timer, .owner = {i, 0}}));
  }
  void handle(const Event& event, PortIndex port, Context& context) override {
    dispatch(event.payload, port, context);
    transport_.tell_ends([&](const MessageEnd& end) { told_->emplace_back(end.owner.slot, end.at); });
  }
  void save(StateWriter& out) const override { transport_.save(out); }
  void load(StateReader& in) override { transport_.load(in); }

 private:
  void dispatch(const Payload& p, PortIndex port, Context& context) {
    if (port != self_port && kind_of(p) == MessageKind::sent)
      return transport_.on_notice(context, as<SentNotice>(p));
    if (port != self_port) return transport_.on_wire(context, p, port);
    if (gpu_wake_of(p) != GpuWake::timer) return transport_.on_wake(context, p);
    transport_.send(context, spec_.orders[as<OwnerWake>(p).owner.slot].transfer);
  }

  const SenderSpec& spec_;
  GpuTransport transport_;
  Told* told_;
};

inline std::shared_ptr<const ComponentKind> sender_kind(Sender::Told* told) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "sender";
  kind->make = [told](const BuildContext& build) { return std::make_unique<Sender>(build, told); };
  return kind;
}

/// The GPU of server 0 of three, which sends; optical switch and controller of its NIC are probes.
struct SenderBed {
  static constexpr SimTime pcie = nanoseconds(200), fibre = nanoseconds(100), control = microseconds(1);
  NetworkBed bed;
  Sender::Told told;
  std::shared_ptr<SenderSpec> orders = std::make_shared<SenderSpec>();
  ComponentId gpu, nic, ocs, controller;

  explicit SenderBed(std::shared_ptr<const NicSpec> spec) {
    gpu = bed.add(sender_kind(&told), orders, "gpu");
    bed.book().endpoints.push_back({0, Lid{0}, 0, 0});
    bed.book().component_of.push_back(gpu);
    for (std::uint32_t server : {1u, 2u}) bed.add_endpoint(server);
    ocs = bed.add_endpoint(3), controller = bed.add_endpoint(4);
    nic = bed.add(nic_kind(), std::move(spec), "nic");
    bed.connect(gpu, GpuPort::nic, nic, 1, bed.link_class(pcie, BitRate{500'000'000'000}, 4096, 1));
    bed.connect(nic, 0, ocs, 0, bed.link_class(fibre, BitRate{400'000'000'000}, 4096, 1));
    bed.connect(gpu, GpuPort::control, controller, 0,
                bed.link_class(control, BitRate{400'000'000'000}, 4096, 1));
  }
};

}  // namespace lightrail::test
