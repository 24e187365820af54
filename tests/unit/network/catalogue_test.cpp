#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/nic/nic.hpp"
#include "components/nvswitch/nvswitch.hpp"
#include "components/ocs/ocs.hpp"
#include "components/switch/switch.hpp"
#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/xml_file.hpp"
#include "links/optical/optical_spec.hpp"

using namespace lightrail;

namespace {

std::vector<std::string> texts_of(const ErrorList& errors) {
  std::vector<std::string> texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    for (const InputError& error : e.errors()) texts.push_back(to_string(error));
  }
  return texts;
}

}  // namespace

TEST_CASE("every network device of the catalogue is valid, and each of its figures has a source") {
  const std::vector<std::pair<std::string, std::shared_ptr<const ComponentKind>>> folders = {
      {"switches/", switch_kind()},
      {"ethernet-switches/", ethernet_switch_kind()},
      {"nics/", nic_kind()},
      {"nvswitches/", nvswitch_kind()},
      {"ocs/", ocs_kind()}};
  Catalogue catalogue("configs");
  for (const auto& [folder, kind] : folders) {
    int found = 0;
    for (const std::string& entry : catalogue.entries()) {
      if (entry.rfind(folder, 0) != 0) continue;
      CAPTURE(entry);
      ++found;
      Element root;
      ErrorList errors;
      REQUIRE(read_xml_file(catalogue.file_of(entry, {}, errors), {}, root, errors));
      CHECK(root.name == kind->name);
      kind->make_spec(root, errors);
      report_unread(root, errors);
      CHECK(texts_of(errors) == std::vector<std::string>{});
      auto sources = root.children_named("source");
      for (const Attribute& figure : root.attributes)
        CHECK(std::any_of(sources.begin(), sources.end(), [&](const Element* source) {
          return source->find("parameter")->value == figure.name;
        }));
    }
    CHECK(found >= 3);
  }
}

TEST_CASE(
    "every optical module of the catalogue is valid, and each of its figures has a source of some kind") {
  Catalogue catalogue("configs");
  int found = 0;
  for (const std::string& entry : catalogue.entries()) {
    if (entry.rfind("optics/", 0) != 0) continue;
    CAPTURE(entry);
    ++found;
    Element root;
    ErrorList errors;
    REQUIRE(read_xml_file(catalogue.file_of(entry, {}, errors), {}, root, errors));
    CHECK(root.name == "transceiver");
    TransceiverSpec spec;
    transceiver_table().parse(root, spec, errors);
    CHECK(texts_of(errors) == std::vector<std::string>{});
    const auto sources = root.children_named("source");
    for (const Attribute& figure : root.attributes) {
      CAPTURE(figure.name);
      const auto source = std::find_if(sources.begin(), sources.end(), [&](const Element* candidate) {
        return candidate->find("parameter")->value == figure.name;
      });
      REQUIRE(source != sources.end());
      const std::string kind = (*source)->find("kind")->value;
      CHECK((kind == "datasheet" || kind == "published" || kind == "measured" || kind == "estimate"));
      CHECK((*source)->find("text")->value.size() > 10);
    }
  }
  CHECK(found >= 9);
}
