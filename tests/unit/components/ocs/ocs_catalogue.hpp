#pragma once
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "components/ocs/ocs.hpp"
#include "tests/unit/links/link_xml.hpp"

namespace lightrail::test {

/// configs/ocs/NAME.xml as a scenario has it.
inline std::shared_ptr<OcsSpec> ocs_of_catalogue(const std::string& name) {
  const Scenario scenario = scenario_of("<ocs catalogue=\"ocs/" + name + "\"/>");
  ErrorList errors;
  auto spec = std::make_shared<OcsSpec>(
      static_cast<const OcsSpec&>(*ocs_kind()->make_spec(*scenario.root.child("ocs"), errors)));
  REQUIRE(texts(errors) == "");
  return spec;
}

}  // namespace lightrail::test
