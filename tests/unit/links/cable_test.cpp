#include <cstdint>
#include <string>

#include "links/cable.hpp"

#include <catch2/catch.hpp>

#include "links/electrical/electrical_spec.hpp"
#include "tests/unit/links/link_xml.hpp"

using namespace lightrail;

namespace {

const std::string module =
    "<transceiver launch=\"-0.8 dBm\" tdecq=\"1.4 dB\" sensitivity=\"-4.4 dBm\" sensitivity-tdecq=\"0.9 dB\" "
    "latency=\"30 ns\""
    " power=\"8 W\" reach=\"2 km\"/>";

LinkClass link(const std::string& xml, ErrorList& errors) {
  const Scenario scenario = test::scenario_of(xml);
  return evaluate(*scenario.root.child("link"), TrainSettings{}, errors);
}
LinkClass link(const std::string& xml) {
  ErrorList errors;
  LinkClass result = link(xml, errors);
  CHECK(test::texts(errors) == "");
  return result;
}
std::string problems(const std::string& xml) {
  ErrorList errors;
  link(xml, errors);
  return test::texts(errors);
}
std::string optical(const std::string& attributes) {
  return "<link kind=\"optical\" rate=\"400 Gb/s\" " + attributes + ">" + module + "</link>";
}

}  // namespace

TEST_CASE("a fibre of 100 m adds 490 ns") {
  const SimTime none = link(optical("length=\"0 m\"")).latency;
  CHECK(link(optical("length=\"100 m\"")).latency - none == nanoseconds(490));
  CHECK(link(optical("length=\"0.1 m\"")).latency - none == picoseconds(490));
}

TEST_CASE("an optical link has two passes through modules, the fibre and FEC at the receiver") {
  // 30 + 10 x 4.9 + 30 + 25.6 + 70 ns.
  CHECK(
      link(optical("length=\"10 m\" fec=\"rs-544-514\" fec-interleave=\"2\" fec-decode=\"70 ns\"")).latency ==
      picoseconds(204'600));
}

TEST_CASE("through an optical switch light passes one module on each side and one decoder in all") {
  const Scenario scenario = test::scenario_of(optical("length=\"10 m\""));
  ErrorList errors;
  const Cable cable = read_cable(*scenario.root.child("link"), errors);
  const TrainSettings trains;
  const SimTime to = evaluate(cable, CableEnds::to_ocs, SimTime{0}, trains).latency;
  const SimTime from = evaluate(cable, CableEnds::from_ocs, SimTime{0}, trains).latency;
  CHECK(to == nanoseconds(30 + 49));
  CHECK(from == nanoseconds(49 + 30) + picoseconds(95'600));
  CHECK(evaluate(cable, CableEnds::between_ocs, SimTime{0}, trains).latency == nanoseconds(49));
  CHECK(to + from == evaluate(cable, CableEnds::both, SimTime{0}, trains).latency + nanoseconds(49));
}

TEST_CASE("bit errors that come in bursts spoil more codewords") {
  // A margin of 1.1 dB. A burst of 11 bits touches two symbols, one of 41 bits five.
  const auto failure = [](const std::string& bursts) {
    return link(optical("length=\"5 m\" connectors=\"4\" " + bursts)).light.codeword_failure;
  };
  CHECK(failure("burst-bits=\"1\"") == failure(""));
  CHECK(failure("burst-bits=\"11\"") > 2 * failure(""));
  CHECK(failure("burst-bits=\"41\"") > 2 * failure("burst-bits=\"11\""));
}

// docs/grain.md and scenarios/grain/moe.xml measure what this pair costs; a new default needs new figures.
TEST_CASE("by default a packet has 4 KiB, a train 16 packets, on NVLink 32, and nothing is sent ahead") {
  const TrainSettings trains;
  CHECK(trains.mtu == Bytes{4096});
  CHECK(trains.grain == 16);
  CHECK(trains.nvlink_grain == 32);
  CHECK(trains.send_ahead == SimTime{0});
}

TEST_CASE("a link spends one module's power on each direction") {
  // 8 W / 400 Gb/s = 20 pJ/bit.
  CHECK(link(optical("")).energy_pj_per_bit == Approx(20.0));
}

TEST_CASE("a copper cable delays by its length over its velocity") {
  // 2.099 m at 0.7 c: 10.0022 ns.
  const std::string copper = "<link kind=\"electrical\" rate=\"400 Gb/s\" velocity=\"0.7\" ";
  CHECK(link(copper + "length=\"2.099 m\"/>").latency == picoseconds(10'002));
  CHECK(link(copper + "length=\"2.099 m\" serdes-latency=\"5 ns\" fec=\"rs-272-257\" fec-decode=\"30 ns\"/>")
            .latency == picoseconds(10'002 + 5'000 + 6'400 + 30'000));
}

TEST_CASE("the payload rate is the line rate times the efficiency") {
  CHECK(link("<link kind=\"electrical\" rate=\"400 Gb/s\" efficiency=\"0.96\"/>").rate ==
        BitRate{384'000'000'000});
  CHECK(link(optical("efficiency=\"0.96\"")).rate == BitRate{384'000'000'000});
}

TEST_CASE("NVLink adds up its links and takes trains of its own grain") {
  const LinkClass nvlink =
      link("<link kind=\"nvlink\" links=\"18\" rate-per-link=\"20.6 GB/s\" latency=\"50 ns\"/>");
  CHECK(nvlink.rate == BitRate{2'966'400'000'000});
  CHECK(nvlink.latency == nanoseconds(50));
  CHECK(nvlink.medium == "nvlink");
  CHECK(nvlink.grain == TrainSettings{}.nvlink_grain);
}

TEST_CASE("PCI Express rates follow from generation and lanes") {
  // 16 GT/s x 16 x 128/130 and 64 GT/s x 16 x 236/256.
  const auto rate = [](std::uint32_t generation, std::uint32_t lanes) {
    PcieSpec spec;
    spec.generation = generation;
    spec.lanes = lanes;
    return static_cast<double>(spec.line_rate().value) / 1e9;
  };
  CHECK(rate(3, 16) == Approx(8 * 16 * 128.0 / 130));
  CHECK(rate(4, 16) == Approx(16 * 16 * 128.0 / 130));
  CHECK(rate(5, 8) == Approx(32 * 8 * 128.0 / 130));
  CHECK(rate(6, 16) == Approx(64 * 16 * 236.0 / 256));
}

TEST_CASE("a link without any delay still has the least latency") {
  CHECK(link("<link kind=\"electrical\" rate=\"1 Gb/s\" length=\"0 m\"/>").latency == picoseconds(1));
}

TEST_CASE("the pipeline of the device at the end counts with the link") {
  ErrorList errors;
  const Scenario scenario =
      test::scenario_of("<link kind=\"nvlink\" links=\"1\" rate-per-link=\"1 GB/s\" latency=\"50 ns\"/>");
  const Cable cable = read_cable(*scenario.root.child("link"), errors);
  CHECK(evaluate(cable, CableEnds::both, nanoseconds(130), TrainSettings{}).latency == nanoseconds(180));
}

TEST_CASE("every effective parameter is kept with the place it came from") {
  ErrorList errors;
  const Scenario scenario = test::scenario_of(optical("length=\"20 m\""));
  const Cable cable = read_cable(*scenario.root.child("link"), errors);
  const auto find = [&](const std::string& name) {
    for (const ParameterValue& value : cable.values)
      if (value.name == name) return value;
    return ParameterValue{};
  };
  CHECK(find("length").value == "20 m");
  CHECK_THAT(find("length").source, Catch::EndsWith(".xml:2"));
  CHECK(find("fibre-delay").value == "4.9 ns");
  CHECK(find("fibre-delay").source == "default");
  CHECK(find("transceiver.power").value == "8 W");
}

TEST_CASE("a link must say what kind it is") {
  CHECK_THAT(problems("<link rate=\"1 Gb/s\"/>"),
             Catch::Contains("<link> lacks the required attribute 'kind'"));
  CHECK_THAT(problems("<link kind=\"optcal\"/>"),
             Catch::Contains("<link> attribute 'kind': invalid choice 'optcal'"));
}

TEST_CASE("a fibre needs transceivers") {
  CHECK_THAT(problems("<link kind=\"optical\" rate=\"400 Gb/s\"/>"),
             Catch::Contains("<link> of kind 'optical' lacks a <transceiver>"));
}

TEST_CASE("a link with too little light is refused with its budget") {
  CHECK_THAT(problems(optical("length=\"2 km\" connectors=\"6\"")),
             Catch::Contains("the light margin is negative, -0.80 dB"));
}

TEST_CASE("the documentation has every attribute of a link once, with the kinds that take it") {
  const auto docs = link_documentation();
  REQUIRE(docs.size() == 3);
  CHECK(docs[0].first == "link");
  std::string lengths, links;
  for (const ParameterDoc& parameter : docs[0].second) {
    if (parameter.name == "length") lengths += parameter.doc;
    if (parameter.name == "links") links += parameter.doc;
  }
  CHECK(lengths == "optical, electrical: of the cable");
  CHECK(links == "nvlink (required): parallel NVLinks of a GPU");
}
