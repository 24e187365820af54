#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/kind.hpp"
#include "workloads/job/gpu_slots.hpp"

using namespace lightrail;

namespace {

/// Two servers of two GPUs. GPU g has a cable to NIC g, but GPU 3 has none; NICs 0 and 2 have one to switch
/// A, NIC 1 to switch B.
class System {
 public:
  System() {
    for (const char* name : {"gpu", "nic", "switch"}) {
      auto kind = std::make_shared<ComponentKind>();
      kind->name = name;
      model.kinds.push_back(kind);
    }
    for (std::uint32_t id = 0; id < 9; ++id) {
      const bool is_switch = id >= 7, is_nic = id >= 4 && id < 7;
      ComponentRecord record;
      record.first_port = static_cast<std::uint32_t>(model.ports.size());
      record.port_count = is_nic ? 2 : is_switch ? 0 : 1;
      record.kind = is_switch ? 2 : is_nic ? 1 : 0;
      model.components.push_back(record);
      model.ports.resize(model.ports.size() + record.port_count);
    }
    book.gpu_count = 4;
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
      book.endpoints.push_back({.server = gpu / 2});
      book.component_of.emplace_back(gpu);
    }
    for (std::uint32_t nic = 0; nic < 3; ++nic) {
      join(nic, 0, nic_a + nic);
      join(nic_a + nic, 1, nic == 1 ? switch_b : switch_a);
    }
  }

  static constexpr std::uint32_t nic_a = 4, switch_a = 7, switch_b = 8;
  Model model;
  AddressBook book;

 private:
  void join(std::uint32_t from, std::uint32_t port, std::uint32_t to) {
    LinkRecord link;
    link.from = ComponentId{from}, link.to = ComponentId{to};
    model.ports[model.components[from].first_port + port].out =
        LinkId{static_cast<std::uint32_t>(model.links.size())};
    model.links.push_back(link);
  }
};

}  // namespace

TEST_CASE("a GPU's leaf is the switch behind its NIC") {
  const System system;
  const GpuSlots slots = gpu_slots(system.model, system.book);
  CHECK(slots.server == std::vector<std::uint32_t>{0, 0, 1, 1});
  CHECK(slots.leaf ==
        std::vector<std::uint32_t>{System::switch_a, System::switch_b, System::switch_a, GpuSlots::nobody});
  CHECK(slots.free_count() == 4);
}
