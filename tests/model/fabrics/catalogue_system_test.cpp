#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "components/registry.hpp"
#include "fabrics/system/build_system.hpp"
#include "network/wire/address_book.hpp"
#include "tests/unit/links/link_xml.hpp"

using namespace lightrail;

namespace {

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("configs/" + folder))
    names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

/// Builds with the real kinds and expects that nothing is wrong or left unread.
Model build(const std::string& inner) {
  const Scenario scenario = test::scenario_of(inner);
  ErrorList errors;
  Model model = build_system(scenario, built_in_kinds(), built_in_fabrics(), errors);
  report_unread(scenario.root, errors);
  CHECK(test::texts(errors) == "");
  return model;
}

/// Two servers on a fabric whose switch and cables suit their NICs and the number of their rails.
std::string pair_of(const std::string& server) {
  std::string switch_kind = "qm9700", host = "ndr_copper", trunk = "ndr_dr4";
  if (server.find("_nvl") != std::string::npos) switch_kind = "q3400";
  if (server == "gb300_nvl72") host = trunk = "xdr_dr8";
  if (server == "dgx_a100") switch_kind = "qm8700", host = trunk = "hdr_copper";
  if (server == "p4de") switch_kind = "qm8700", host = trunk = "100g_copper";
  const std::string parts = "<switch catalogue=\"switches/" + switch_kind +
                            "\"/><link role=\"host\" catalogue=\"links/" + host +
                            "\"/><link role=\"trunk\" catalogue=\"links/" + trunk + "\"/></fabric>";
  std::string others;
  for (const std::string role : {"storage", "frontend"})
    if (server.find("_" + role) != std::string::npos)
      others += "<fabric kind=\"fat-tree\" for=\"" + role + "\">" + parts;
  return "<cluster servers=\"2\"><server catalogue=\"servers/" + server +
         "\"/></cluster><fabric kind=\"rail-optimised\">" + parts + others;
}

}  // namespace

TEST_CASE("every server of the catalogue builds, and every component can be made") {
  REQUIRE(entries("servers").size() >= 4);
  for (const std::string& server : entries("servers")) {
    INFO(server);
    const Model model = build(pair_of(server));
    for (std::uint32_t id = 0; id < model.components.size(); ++id) {
      const ComponentRecord& record = model.components[id];
      if (model.kinds[record.kind]->name == "gpu") continue;  // needs a program
      CHECK(model.kinds[record.kind]->make({ComponentId{id}, record, *model.specs[record.spec], model}) !=
            nullptr);
    }
  }
}

TEST_CASE("links between servers and switches delay enough for wide windows") {
  for (const std::string& server : entries("servers")) {
    INFO(server);
    const Model model = build(pair_of(server));
    SimTime least = time_never;
    for (const LinkRecord& link : model.links)
      if (model.components[link.from.value].atom != model.components[link.to.value].atom)
        least = std::min(least, model.link_classes[link.link_class].latency);
    CHECK(least >= nanoseconds(50));
  }
}

TEST_CASE("a NIC of the catalogue is not faster than its PCI Express link") {
  for (const std::string& server : entries("servers")) {
    INFO(server);
    const Model model = build(pair_of(server));
    BitRate pcie{}, fabric{};
    for (const LinkRecord& link : model.links) {
      const LinkClass& cable = model.link_classes[link.link_class];
      if (cable.medium == "pcie") pcie = cable.rate;
      if (cable.medium == "electrical") fabric = cable.rate;
    }
    CHECK(pcie > fabric);
  }
}

TEST_CASE("a server whose NVSwitch has another buffer is otherwise the catalogue's") {
  const auto nvswitch_of = [](const std::string& children) {
    const Model model = build("<cluster servers=\"1\"><server catalogue=\"servers/dgx_h100\" nics=\"0\">" +
                              children + "</server></cluster><fabric kind=\"none\"/>");
    std::vector<std::string> values;
    for (const ComponentRecord& record : model.components)
      if (model.kinds[record.kind]->name == "nvswitch")
        for (const ParameterValue& value : model.kinds[record.kind]->values(*model.specs[record.spec]))
          if (value.name != "buffer") values.push_back(value.name + "=" + value.value);
    return values;
  };
  const std::vector<std::string> values = nvswitch_of("");
  CHECK(std::find(values.begin(), values.end(), "nvls-efficiency=0.83") != values.end());
  CHECK(nvswitch_of("<nvswitch buffer=\"64 MiB\"/>") == values);
}
