#include "app/cli/remark_nics.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "components/nic/nic.hpp"

using namespace lightrail;

namespace {

/// NICs with ports of 400 Gb/s, each on a link of its own rate.
Model model_of(const std::vector<std::int64_t>& links_gbps) {
  Model model;
  model.specs.push_back(std::make_shared<NicSpec>());
  for (const std::int64_t gbps : links_gbps) {
    const auto nic = static_cast<std::uint32_t>(model.components.size());
    model.components.push_back({.first_port = nic, .port_count = 1});
    model.ports.push_back({LinkId{nic}});
    model.links.push_back({.from = ComponentId{nic},
                           .to = ComponentId{nic},
                           .link_class = static_cast<std::uint16_t>(model.link_classes.size())});
    model.link_classes.emplace_back().rate = BitRate{gbps * 1'000'000'000};
  }
  return model;
}

}  // namespace

TEST_CASE("NICs on links of about their rate are as usual") {
  CHECK(remark_nics(Model()).remarks.empty());
  CHECK(remark_nics(model_of({400, 388, 0})).remarks.empty());
}

TEST_CASE("NICs on slower links are told, those of equal rates together") {
  const auto remarks = remark_nics(model_of({200, 400, 200, 100})).remarks;
  REQUIRE(remarks.size() == 2);
  CHECK(remarks[0].about == "nics");
  CHECK(remarks[0].text == "1 NIC with ports of 400 Gb/s is on links of 100 Gb/s, which is what counts");
  CHECK(remarks[1].text == "2 NICs with ports of 400 Gb/s are on links of 200 Gb/s, which is what counts");
}
