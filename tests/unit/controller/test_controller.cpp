#include <catch2/catch.hpp>

#include "components/controller/controller.hpp"
#include "tests/unit/controller/commands.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// A region of three servers of one GPU and two optical NICs each; GPUs and optical switch played by probes,
/// 1 us of control network. NIC k of server s is port 2 s + k of the switch. Circuits of 400 Gb/s, packet
/// NICs of a server worth one of them.
struct RegionBed {
  NetworkBed bed;
  ComponentId ocs, controller;
  std::vector<ComponentId> gpus;
  std::shared_ptr<ControllerSpec> spec = std::make_shared<ControllerSpec>();

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
    auto regions = std::make_shared<Regions>();
    // The bed numbers the controller by its id.
    regions->regions.resize(controller.value + 1);
    regions->regions.back().servers = {0, 1, 2};
    regions->regions.back().circuits = {{0, 1, 0, 0}, {0, 2, 1, 0}, {1, 2, 1, 1}};
    for (std::uint32_t s = 0; s < 3; ++s) regions->place_of_server.push_back({controller.value, s});
    regions->optical_nics = {0, 1};
    regions->gpu_of_nic = {0, 0};
    regions->is_controlled = true;
    regions->circuit_rate = BitRate{400'000'000'000};
    bed.finish_model().set_resource<Regions>(regions);
  }
  /// All GPUs announce call `number` [us]: KiB from 0 to 1, from 0 to 2 and from 1 to 2.
  void announce(int us, std::uint32_t number, std::uint32_t kib01, std::uint32_t kib02, std::uint32_t kib12) {
    const auto say = [&](std::uint32_t gpu, const Payload& p) {
      bed.script(gpus[gpu], microseconds(us), 0, p);
    };
    say(0, control_payload(ControlKind::demand, 1, number, kib01));
    say(0, control_payload(ControlKind::demand, 2, number, kib02));
    say(1, control_payload(ControlKind::demand, 2, number, kib12));
    for (std::uint32_t gpu = 0; gpu < 3; ++gpu) say(gpu, control_payload(ControlKind::demand_end, 0, number));
  }
  void drained(int us, std::uint32_t epoch) {
    for (const ComponentId gpu : gpus)
      bed.script(gpu, microseconds(us), 0, control_payload(ControlKind::drained, 0, epoch));
  }
  void alarm(int us, std::uint32_t port) {
    bed.script(ocs, microseconds(us), 0, control_payload(ControlKind::alarm, port));
  }
  void lit(int us) { bed.script(ocs, microseconds(us), 0, control_payload(ControlKind::lit)); }
  /// Circuits of every command.
  std::vector<Circuits> commands() {
    std::vector<Circuits> all = commands_to(bed, ocs);
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
      if (control_kind_of(a.payload) == ControlKind::pause) all.clear();
      if (control_kind_of(a.payload) == ControlKind::circuit) all.emplace_back(a.payload.a, a.payload.b);
    }
    return all;
  }
  std::size_t told(std::uint32_t gpu, ControlKind kind) {
    std::size_t count = 0;
    for (const Arrival& a : bed.arrivals(gpus[gpu])) count += control_kind_of(a.payload) == kind;
    return count;
  }
};

}  // namespace

TEST_CASE("a port that fails loses its circuit, and others are made for the last demand without it") {
  for (const bool is_saved : {false, true}) {
    RegionBed region(ReconfigurePolicy::always);
    // Even demand, so the circuits of the start stay. Then NIC 0 of server 0 fails, and 0-1 goes with it. Of
    // ports the servers have 1, 2, 2: 1-2 keeps its circuit, and of 0-1 and 0-2 the lower one takes NIC 1.
    region.announce(1, 0, 1024, 1024, 1024);
    region.alarm(20, 0);
    region.drained(30, 1);
    region.lit(60);
    region.bed.run(is_saved ? microseconds(25) : time_never);
    CHECK(region.commands() == std::vector<Circuits>{{{1, 2}, {3, 5}}});
    CHECK(region.circuits_of(0) == Circuits{{1, 1}});
    CHECK(region.circuits_of(2) == Circuits{{1, 1}});
    CHECK(region.told(0, ControlKind::pause) == 1);
    CHECK(region.told(0, ControlKind::live) == 2);  // the call, then the repair
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE(
    "under the policy gain circuits are made around a failed port only where that gains what it costs") {
  // Packet NICs worth a tenth of a circuit take 100 MiB in 21 ms, a circuit in 2.1 ms: 18.9 ms are gained.
  for (const auto& [dark, wanted] : {std::pair{milliseconds(18), Circuits{{1, 2}, {3, 5}}},
                                     {milliseconds(19), Circuits{{1, 4}, {3, 5}}}}) {
    RegionBed region(ReconfigurePolicy::gain, dark);
    region.spec->packet_share = 0.1;
    region.announce(1, 0, 100 * 1024, 1024, 1024);
    region.alarm(20, 0);
    region.drained(30, 1);
    region.lit(60);
    region.bed.run();
    CHECK(region.commands() == std::vector<Circuits>{wanted});
    CHECK(region.circuits_of(0).size() == 1);  // in any case not the one that has gone
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("under the policy never what is left of the circuits stays when a port fails") {
  RegionBed region(ReconfigurePolicy::never);
  region.announce(1, 0, 100 * 1024, 1024, 1024);
  region.alarm(20, 0);
  region.drained(30, 1);
  region.lit(60);
  region.bed.run();
  CHECK(region.commands() == std::vector<Circuits>{{{1, 4}, {3, 5}}});
}

TEST_CASE(
    "a port that fails while its switch is dark is not told of, and has no circuit in the next change") {
  RegionBed region(ReconfigurePolicy::always);
  region.announce(1, 0, 0, 1024, 0);  // both ports of 0 and 2 for each other
  region.drained(10, 1);
  region.alarm(30, 4);  // NIC 0 of server 2
  region.lit(40);
  region.announce(60, 1, 1024, 1024, 1024);
  region.drained(70, 2);
  region.lit(100);
  region.bed.run();
  CHECK(region.commands() == std::vector<Circuits>{{{0, 5}, {1, 4}}, {{0, 5}, {1, 2}}});
  CHECK(region.circuits_of(2) == Circuits{{1, 0}});
  CHECK(region.bed.waits().empty());
}

TEST_CASE("a region whose optical switch fails is told of no circuits and goes on") {
  RegionBed region(ReconfigurePolicy::always);
  region.announce(1, 0, 1024, 1024, 1024);
  region.alarm(20, all_ports);
  region.drained(30, 1);
  region.lit(60);
  region.announce(80, 1, 1024, 1024, 1024);
  region.bed.run();
  CHECK(region.commands() == std::vector<Circuits>{{}});
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) CHECK(region.circuits_of(gpu).empty());
  CHECK(region.told(0, ControlKind::live) == 3);
  CHECK(region.bed.waits().empty());
}

TEST_CASE(
    "under the policy gain an exchange gets its own circuits where that gains more than a change costs") {
  // 100 MiB from 0 to 1 take 2.097 ms over the circuit of the start, half of that over two: 1.0486 ms gained.
  for (const bool is_worth : {true, false}) {
    RegionBed region(ReconfigurePolicy::gain, microseconds(is_worth ? 1048 : 1049));
    region.announce(1, 0, 100 * 1024, 0, 0);
    if (is_worth) region.drained(10, 1), region.lit(30);
    region.bed.run();
    if (is_worth)
      CHECK(region.commands() == std::vector<Circuits>{{{0, 2}, {1, 3}}});
    else
      CHECK(region.commands().empty());
    CHECK(region.told(0, ControlKind::pause) == (is_worth ? 1 : 0));
    CHECK(region.told(0, ControlKind::live) == 1);
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("under the policy once the first exchange alone gets its own circuits") {
  for (const auto policy : {ReconfigurePolicy::once, ReconfigurePolicy::always}) {
    const bool is_once = policy == ReconfigurePolicy::once;
    RegionBed region(policy);
    region.announce(1, 0, 100 * 1024, 0, 0);
    region.drained(10, 1);
    region.lit(30);
    region.announce(60, 1, 0, 100 * 1024, 0);
    if (!is_once) region.drained(70, 2), region.lit(90);
    region.bed.run();
    CHECK(region.commands().size() == (is_once ? 1 : 2));
    CHECK(region.commands()[0] == Circuits{{0, 2}, {1, 3}});
    CHECK(region.circuits_of(0) == (is_once ? Circuits{{0, 1}, {1, 1}} : Circuits{{0, 2}, {1, 2}}));
    CHECK(region.told(0, ControlKind::live) == 2);
    CHECK(region.bed.waits().empty());
  }
}
