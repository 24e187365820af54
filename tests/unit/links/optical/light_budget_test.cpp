#include <memory>
#include <string>

#include "links/optical/light_budget.hpp"

#include <catch2/catch.hpp>

#include "links/cable.hpp"
#include "tests/unit/links/link_xml.hpp"

using namespace lightrail;

namespace {

/// DR4's figures: -0.8 dBm at 1.4 dB of eye closure, -4.4 dBm at 0.9 dB; 0.1 dB allowance.
OpticalSpec dr4() {
  OpticalSpec spec;
  spec.rate = BitRate{400'000'000'000};
  spec.length = Metres{500};
  spec.transceiver.launch = PowerDbm{-0.8};
  spec.transceiver.tdecq = Decibel{1.4};
  spec.transceiver.sensitivity = PowerDbm{-4.4};
  spec.transceiver.sensitivity_tdecq = Decibel{0.9};
  return spec;
}

}  // namespace

TEST_CASE("the margin is launch power less every loss less sensitivity") {
  // -0.8 - (1.4 - 0.9) - 0.1 - 2 x 0.5 - 0.5 km x 0.4 + 4.4 = 1.8 dB.
  const OpticalSpec spec = dr4();
  const LightBudget budget = light_budget("a -> b", {{&spec, "", Decibel{0}}});
  CHECK(budget.margin().value == Approx(1.8));
  CHECK(budget.lines.size() == 4);
  CHECK(budget.lines.back().after.value == Approx(-2.6));
}

TEST_CASE("DR4 has 3.0 dB for its channel, as IEEE 802.3 gives it") {
  OpticalSpec spec = dr4();
  spec.connectors = 0;
  spec.length = Metres{0};
  CHECK(light_budget("", {{&spec, "", Decibel{0}}}).margin().value == Approx(3.0));
}

TEST_CASE("a path through an optical switch loses both stretches and the switch") {
  // 1.8 dB as above, less another 1.0 + 0.2 dB and 2.5 dB: -1.9 dB.
  const OpticalSpec spec = dr4();
  const LightBudget budget =
      light_budget("a -> o -> b", {{&spec, "o", Decibel{2.5}}, {&spec, "", Decibel{0}}});
  CHECK(budget.margin().value == Approx(-1.9));
  CHECK(budget.length == Metres{1000});
}

TEST_CASE("splices count each") {
  OpticalSpec spec = dr4();
  spec.splices = 3;
  CHECK(light_budget("", {{&spec, "", Decibel{0}}}).margin().value == Approx(1.5));
}

TEST_CASE("a receiver that is specified for a worse signal than it gets gains nothing") {
  OpticalSpec spec = dr4();
  spec.transceiver.sensitivity_tdecq = Decibel{3.4};
  CHECK(light_budget("", {{&spec, "", Decibel{0}}}).margin().value == Approx(2.3));
}

TEST_CASE("a negative margin is refused with the whole budget printed") {
  OpticalSpec spec = dr4();
  spec.connectors = 10;
  ErrorList errors;
  check_budget(light_budget("a -> b", {{&spec, "", Decibel{0}}}), {"x.xml", 7, ""}, errors);
  const std::string text = test::texts(errors);
  CHECK_THAT(text, Catch::Contains("x.xml:7: the light margin is negative, -2.20 dB:"));
  for (const char* line :
       {"light budget of a -> b", "transmitter (OMA, least)", "-0.80 dBm", "eye closure 1.4 dB over 0.9 dB",
        "connectors, 10 x 0.5 dB", "5.00 dB", "fibre, 500 m x 0.4 dB/km", "receiver needs (OMA)", "-4.40 dBm",
        "margin", "-2.20 dB"})
    CHECK_THAT(text, Catch::Contains(line));
}

TEST_CASE("fibre beyond the transceivers' reach is refused though there is light enough") {
  OpticalSpec spec = dr4();
  spec.length = Metres{501};
  ErrorList errors;
  check_budget(light_budget("a -> b", {{&spec, "", Decibel{0}}}), {"x.xml", 7, ""}, errors);
  CHECK(test::texts(errors) ==
        "x.xml:7: 501 m of fibre on a -> b is beyond the reach of the transceivers (500 m)\n");
}

TEST_CASE("circulators and the allowance for age cost light") {
  OpticalSpec spec = dr4();
  spec.circulators = 2;
  spec.ageing = Decibel{0.1};
  CHECK(light_budget("", {{&spec, "", Decibel{0}}}).margin().value == Approx(1.8 - 2 * 0.8 - 0.1));
}

TEST_CASE("a budget says how often FEC will fail") {
  // A margin of 0 dB: bit errors at KP4's threshold.
  OpticalSpec spec = dr4();
  spec.ageing = Decibel{1.8};
  const LightBudget budget = light_budget("", {{&spec, "", Decibel{0}}});
  CHECK(budget.bit_error_rate() == Approx(2.4e-4).epsilon(1e-6));
  CHECK(budget.failure() == Approx(8.152e-13).epsilon(1e-3));
  CHECK_THAT(budget.text(), Catch::Contains("bit errors before FEC                         2.40e-04") &&
                                Catch::Contains("RS(544,514) cannot correct"));
}

TEST_CASE("a study may ask for less margin than none, a careful one for more") {
  OpticalSpec spec = dr4();
  spec.ageing = Decibel{2.3};  // 0.5 dB too little
  ErrorList errors;
  spec.min_margin = Decibel{-0.5};
  check_budget(light_budget("a", {{&spec, "", Decibel{0}}}), {"x.xml", 7, ""}, errors);
  CHECK(test::texts(errors) == "");
  spec.min_margin = Decibel{1.0};
  spec.ageing = Decibel{1.0};
  check_budget(light_budget("a", {{&spec, "", Decibel{0}}}), {"x.xml", 7, ""}, errors);
  CHECK_THAT(test::texts(errors),
             Catch::Contains("the light margin is 0.80 dB, less than least-margin 1 dB"));
}

TEST_CASE("two halves of a path and the switch between them have the margin of the whole") {
  OpticalSpec spec = dr4();
  spec.splices = 1;
  Cable cable;
  cable.name = "c";
  cable.rate = spec.payload_rate();
  cable.optics = std::make_shared<OpticalSpec>(spec);
  const auto to = evaluate(cable, CableEnds::to_ocs, SimTime{0}, {}).light;
  const auto from = evaluate(cable, CableEnds::from_ocs, SimTime{0}, {}).light;
  const LightBudget whole = light_budget("", {{&spec, "o", Decibel{0.7}}, {&spec, "", Decibel{0}}});
  CHECK(to.level_dbm - 0.7 - from.needed_dbm == Approx(whole.margin().value));
  CHECK(to.codeword_bytes == 640);
}
