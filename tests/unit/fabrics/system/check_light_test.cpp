#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "fabrics/circuits/circuits.hpp"
#include "fabrics/system/system_text.hpp"
#include "tests/unit/fabrics/graph_xml.hpp"

using namespace lightrail;
using namespace lightrail::test;
using Catch::Contains;

namespace {

std::string through_ocs(const std::string& ocs) {
  return graph(node(0) + node(1) + "<ocs name=\"o\" ports=\"4\" " + ocs + wire("n0:0", "o:0", "fibre") +
               wire("n1:0", "o:1", "fibre"));
}

}  // namespace

TEST_CASE("circuits are read both ways and one way") {
  CHECK(parse_circuits("0-4 1>5 7-7") == Circuits{{0, 4}, {4, 0}, {1, 5}, {7, 7}});
  CHECK(parse_circuits("") == Circuits{});
  CHECK(parse_circuits("x 1- -3 2-3") == Circuits{{2, 3}, {3, 2}});
}

TEST_CASE("light through an optical switch has one budget for both ways when they are alike") {
  // -0.8 - 0.5 - 0.1 - 2 x (0.5 + 0.004) - 2.0 + 4.4 = -0.008 with 2 dB: refused; 1.5 dB leaves 0.49 dB.
  const Model model = system(through_ocs("circuits=\"0-1\" insertion-loss=\"1.5 dB\"/>"));
  const std::string text = budget_text(model);
  CHECK_THAT(text, Contains("light budget of n0:0 -> o -> n1:0"));
  CHECK_THAT(text, Contains("optical switch o"));
  CHECK_THAT(text, Contains("0.49 dB"));
  CHECK_THAT(text, !Contains("n1:0 -> o -> n0:0"));
}

TEST_CASE("an optical switch that loses too much light is refused with the path's budget") {
  const std::string text = problems(through_ocs("circuits=\"0-1\" insertion-loss=\"2.5 dB\"/>"));
  CHECK_THAT(text, Contains("the light margin is negative, -0.51 dB:"));
  CHECK_THAT(text, Contains("light budget of n0:0 -> o -> n1:0"));
  CHECK_THAT(text, Contains("optical switch o                               2.50 dB"));
}

TEST_CASE("light that a schedule will give is checked too") {
  const std::string xml = graph(node(0) + node(1) + node(2) +
                                    "<ocs name=\"o\" ports=\"4\" circuits=\"0-1\" insertion-loss=\"1.5 dB\">"
                                    "<schedule><at time=\"1 ms\" circuits=\"0-2\"/></schedule></ocs>" +
                                    wire("n0:0", "o:0", "fibre") + wire("n1:0", "o:1", "fibre") +
                                    "<link from=\"n2:0\" to=\"o:2\" kind=\"optical\" rate=\"400 Gb/s\" "
                                    "length=\"10 m\" connectors=\"3\">"
                                    "<transceiver catalogue=\"optics/400g_dr4\"/></link>",
                                "allow-unreachable=\"on\"");
  CHECK_THAT(problems(xml), Contains("light budget of n0:0 -> o -> n2:0"));
}

TEST_CASE("the fibre of a path counts as a whole against the reach") {
  std::string xml = through_ocs("circuits=\"0-1\" insertion-loss=\"0 dB\"/>");
  for (std::size_t at = 0; (at = xml.find("length=\"10 m\"", at)) != std::string::npos; ++at)
    xml.replace(at, 13, "length=\"300 m\"");
  CHECK_THAT(problems(xml),
             Contains("600 m of fibre on n0:0 -> o -> n1:0 is beyond the reach of the transceivers (500 m)"));
}

TEST_CASE("copper cannot enter an optical switch") {
  CHECK_THAT(problems(graph(node(0) + node(1) + "<ocs name=\"o\" ports=\"4\" circuits=\"0-1\"/>" +
                            wire("n0:0", "o:0") + wire("n1:0", "o:1", "fibre"))),
             Contains("<link> to optical switch 'o' must be optical, not electrical"));
}

TEST_CASE("each direction of a link to an optical switch has the delays of its end") {
  const Model model = system(through_ocs("circuits=\"0-1\" insertion-loss=\"1 dB\"/>"));
  const auto latency = [&](const char* from, std::uint32_t port) {
    const LinkId out = model.ports[model.components[find(model, from).value].first_port + port].out;
    return model.link_classes[model.links[out.value].link_class].latency;
  };
  // Module and 10 m of fibre there; fibre, module, two codewords and the decoder back.
  CHECK(latency("n0", 0) == nanoseconds(30 + 49));
  CHECK(latency("o", 0) == nanoseconds(49 + 30) + picoseconds(25'600) + nanoseconds(70));
}

TEST_CASE("every path that an optical switch could make is listed with its margin") {
  const std::string text = budget_text(system(through_ocs("circuits=\"0-1\" insertion-loss=\"1.5 dB\"/>")));
  CHECK_THAT(
      text,
      Contains("paths through optical switches\no    0 -> 1    loss  1.50 dB  margin   0.49 dB  bit errors"));
  CHECK_THAT(text, Contains("o    1 -> 0    loss  1.50 dB  margin   0.49 dB"));
}
