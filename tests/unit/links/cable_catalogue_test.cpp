#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "links/cable.hpp"
#include "tests/unit/links/link_xml.hpp"

using namespace lightrail;

TEST_CASE("every link of the catalogue is valid, has light enough and leaves nothing unread") {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("configs/links"))
    names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  REQUIRE(names.size() >= 12);
  for (const std::string& name : names) {
    INFO(name);
    const Scenario scenario = test::scenario_of("<link catalogue=\"links/" + name + "\"/>");
    ErrorList errors;
    const LinkClass link = evaluate(*scenario.root.child("link"), TrainSettings{}, errors);
    report_unread(*scenario.root.child("link"), errors);
    CHECK(test::texts(errors) == "");
    CHECK(link.rate.value > 0);
    CHECK(link.name == name);
  }
}

TEST_CASE("NVLink carries what NCCL measures") {
  // 12 x 20.0, 18 x 20.6, 18 x 40.1 GB/s.
  const auto rate = [](const std::string& name) {
    const Scenario scenario = test::scenario_of("<link catalogue=\"links/" + name + "\"/>");
    ErrorList errors;
    return evaluate(*scenario.root.child("link"), TrainSettings{}, errors).rate.value / 8;
  };
  CHECK(rate("nvlink3") == 240'000'000'000);
  CHECK(rate("nvlink4") == 370'800'000'000);
  CHECK(rate("nvlink5") == 721'800'000'000);
}

TEST_CASE("PCI Express carries what the NIC of its time needs") {
  const auto rate = [](const std::string& name) {
    const Scenario scenario = test::scenario_of("<link catalogue=\"links/" + name + "\"/>");
    ErrorList errors;
    return evaluate(*scenario.root.child("link"), TrainSettings{}, errors).rate;
  };
  CHECK(rate("pcie_gen4_x16") > rate("hdr_copper"));
  CHECK(rate("pcie_gen5_x16") > rate("ndr_copper"));
}
