#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/controller/controller.hpp"
#include "tests/unit/components/controller/commands.hpp"

namespace lightrail::test {

/// A region of three servers of one GPU and two optical NICs each; GPUs and optical switch played by probes,
/// 1 us of control network. NIC k of server s is port 2 s + k of the switch. Circuits of 400 Gb/s, packet
/// NICs of a server worth one of them.
struct RegionBed {
  NetworkBed bed;
  ComponentId ocs, controller;
  std::vector<ComponentId> gpus;
  std::shared_ptr<ControllerSpec> spec = std::make_shared<ControllerSpec>();
  std::shared_ptr<Regions> regions = std::make_shared<Regions>();

  explicit RegionBed(ReconfigurePolicy policy, SimTime expected_dark = milliseconds(25)) {
    spec->policy = policy;
    spec->expected_dark = expected_dark;
    spec->packet_share = 1;
    for (std::uint32_t s = 0; s < 3; ++s) gpus.push_back(bed.add_endpoint(s));
    ocs = bed.add_endpoint(3);
    controller = bed.add(controller_kind(), spec, "controller");
    const auto wire = bed.link_class(microseconds(1), BitRate{400'000'000'000});
    bed.connect(controller, 0, ocs, 0, wire);
    for (std::uint32_t s = 0; s < 3; ++s)
      bed.connect(controller, static_cast<PortIndex>(1 + s), gpus[s], 0, wire);
    // The bed numbers the controller by its id.
    regions->regions.resize(controller.value + 1);
    regions->regions.back().servers = {0, 1, 2};
    regions->regions.back().circuits = {{0, 1, 0, 0}, {0, 2, 1, 0}, {1, 2, 1, 1}};
    for (std::uint32_t s = 0; s < 3; ++s) regions->place_of_server.push_back({controller.value, s});
    regions->optical_nics = {0, 1};
    regions->gpu_of_nic = {0, 0};
    regions->is_controlled = true;
    regions->circuit_rate = BitRate{400'000'000'000};
    bed.finish_model().add<Regions>(regions);
  }
  /// All GPUs announce call `number` [us]: KiB from 0 to 1, from 0 to 2 and from 1 to 2.
  void announce(int us, std::uint32_t number, std::uint32_t kib01, std::uint32_t kib02, std::uint32_t kib12) {
    const auto say = [&](std::uint32_t gpu, const Payload& p) {
      bed.script(gpus[gpu], microseconds(us), 0, p);
    };
    using namespace region_control;
    say(0, to_payload(Demand{.units = kib01, .member = 1, .call = number}));
    say(0, to_payload(Demand{.units = kib02, .member = 2, .call = number}));
    say(1, to_payload(Demand{.units = kib12, .member = 2, .call = number}));
    for (std::uint32_t gpu = 0; gpu < 3; ++gpu) say(gpu, to_payload(DemandEnd{.call = number}));
  }
  void drained(int us, std::uint32_t epoch) {
    for (const ComponentId gpu : gpus)
      bed.script(gpu, microseconds(us), 0, to_payload(region_control::Drained{.epoch = epoch}));
  }
  void alarm(int us, std::uint32_t port) {
    bed.script(ocs, microseconds(us), 0, to_payload(region_control::Alarm{.port = port}));
  }
  void lit(int us) { bed.script(ocs, microseconds(us), 0, to_payload(region_control::Lit{})); }
  void begun(int us) {
    for (const ComponentId gpu : gpus)
      bed.script(gpu, microseconds(us), 0, to_payload(region_control::Begun{}));
  }
  /// Circuits of every command, one way each.
  std::vector<Circuits> beams() {
    std::vector<Circuits> all = commands_to(bed, ocs);
    for (Circuits& c : all) std::sort(c.begin(), c.end());
    return all;
  }
  /// The same for circuits of both directions.
  std::vector<Circuits> commands() {
    std::vector<Circuits> all = beams();
    for (Circuits& c : all) {  // both directions are commanded: one is enough here
      std::erase_if(c, [](const auto& pair) { return pair.first > pair.second; });
      std::sort(c.begin(), c.end());
    }
    return all;
  }
  /// (NIC, server at the far end) of a GPU's circuits, as it was told last.
  Circuits circuits_of(std::uint32_t gpu) {
    Circuits all;
    for (const Arrival& a : bed.arrivals(gpus[gpu])) {
      if (kind_of(a.payload) == MessageKind::pause) all.clear();
      if (kind_of(a.payload) != MessageKind::circuit) continue;
      const auto circuit = as<region_control::Circuit>(a.payload);
      all.emplace_back(circuit.nic, circuit.member);
    }
    return all;
  }
  std::size_t told(std::uint32_t gpu, MessageKind kind) {
    std::size_t count = 0;
    for (const Arrival& a : bed.arrivals(gpus[gpu])) count += kind_of(a.payload) == kind;
    return count;
  }
};

}  // namespace lightrail::test
