#include <catch2/catch.hpp>

#include <string>

#include "tests/unit/fabrics/graph_xml.hpp"

using namespace lightrail;
using namespace lightrail::test;
using Catch::Contains;

namespace {
const std::string two = node(0) + node(1) + "<switch name=\"s\" ports=\"4\"/>";
}

TEST_CASE("a link that names nothing is refused with its line and a suggestion") {
  const std::string text = problems(graph(two + "\n" + wire("n0:0", "s:0") + "\n" + wire("n11:0", "s:1")));
  CHECK_THAT(text, Contains(".xml:5: <link> attribute 'from': no component 'n11' (did you mean 'n1'?)"));
}

TEST_CASE("ports are checked") {
  CHECK_THAT(problems(graph(two + wire("n0", "s:0"))),
             Contains("invalid port 'n0' (expected component:number)"));
  CHECK_THAT(problems(graph(two + wire("n0:x", "s:0"))),
             Contains("invalid port 'n0:x' (expected component:number)"));
  CHECK_THAT(problems(graph(two + wire("n0:0", "s:4"))),
             Contains("switch 's' has no port 4 (4 ports: 0 to 3)"));
  CHECK_THAT(problems(graph(two + wire("g0:3", "s:0"))),
             Contains("gpu 'g0' has no port 3 (3 ports: 0 to 2)"));
  CHECK_THAT(problems(graph(two + wire("n0:0", "s:0") + wire("n1:0", "s:0"))),
             Contains("port 0 of 's' is used twice"));
  CHECK_THAT(problems(graph(two + wire("s:0", "s:1"))), Contains("<link> joins 's' to itself"));
  CHECK_THAT(problems(graph(two + "<link to=\"s:1\" " + copper + "/>")),
             Contains("<link> lacks the required attribute 'from'"));
}

TEST_CASE("links between components that do not fit are refused") {
  CHECK_THAT(problems(graph(two + wire("g0:0", "s:0"))),
             Contains("<link> joins port 0 of gpu 'g0' to switch 's' (expected nvswitch)"));
  CHECK_THAT(problems(graph(two + wire("n0:2", "s:0"))),
             Contains("<link> joins port 2 of nic 'n0' to switch 's' (expected gpu or host or storage)"));
  CHECK_THAT(
      problems(graph(two + "<storage-server name=\"d\"/>" + wire("s:0", "d:0"))),
      Contains(
          "<link> joins port 0 of switch 's' to storage 'd' (expected a switch, an ocs or port 0 of a nic)"));
}

TEST_CASE("dangling ports and lonely components are named") {
  const std::string joined = two + wire("n0:0", "s:0") + wire("n1:0", "s:1");
  CHECK_THAT(problems(graph(two + wire("n0:0", "s:0"))), Contains("port 0 of nic 'n1' is dangling"));
  CHECK_THAT(problems(graph(joined + "<gpu name=\"z\"/>")), Contains("no link reaches gpu 'z'"));
  CHECK_THAT(problems(graph(joined + "<switch name=\"z\" ports=\"4\"/>")),
             Contains("no link reaches switch 'z'"));
  CHECK_THAT(problems(cluster(2, 2, 2) + graph("<switch name=\"s\" ports=\"4\"/>" + wire("nic0:0", "s:0") +
                                               wire("nic2:0", "s:1"))),
             Contains("port 0 of nic1 is dangling: neither <graph> nor <fabric> joins 2 of 4 NICs"));
}

TEST_CASE("names are unique and may not look like ports") {
  CHECK_THAT(problems(graph(two + "<switch name=\"n0\" ports=\"4\"/>")),
             Contains("a component 'n0' exists already"));
  CHECK_THAT(problems(cluster(2, 1, 1, "") + graph("<switch name=\"nic1\" ports=\"4\"/>")),
             Contains("a component 'nic1' exists already"));
  CHECK_THAT(problems(graph("<switch name=\"a:1\" ports=\"4\"/>")),
             Contains("component name 'a:1' has a ':'"));
  CHECK_THAT(problems(graph("<switch ports=\"4\"/>")),
             Contains("<switch> lacks the required attribute 'name'"));
}

TEST_CASE("unknown kinds are refused with a suggestion") {
  CHECK_THAT(problems(graph(two + "<swich name=\"z\"/>")),
             Contains("unknown element <swich> in <graph> (did you mean <switch>?)"));
  CHECK_THAT(problems(graph(two + "<component name=\"z\" kind=\"swich\"/>")),
             Contains("unknown kind of component 'swich' (did you mean 'switch'?)"));
  CHECK_THAT(problems(graph(two + "<component name=\"z\"/>")),
             Contains("<component> lacks the required attribute 'kind'"));
}

TEST_CASE("NICs that cannot reach each other are refused unless allowed") {
  const std::string islands =
      node(0) + node(1) + node(2) + node(3) + wire("n0:0", "n1:0") + wire("n2:0", "n3:0");
  CHECK_THAT(problems(graph(islands)), Contains("in <graph> 8 of 12 ordered pairs of NICs have no path, such "
                                                "as 'n2' to 'n0' (allow-unreachable=\"on\" accepts that)"));
  CHECK(problems(graph(islands, "allow-unreachable=\"on\"")) == "");
  CHECK_THAT(problems(graph(islands, "allow-unreachable=\"perhaps\"")),
             Contains("<graph> attribute 'allow-unreachable'"));
}

TEST_CASE("a GPU sits on the NVSwitch port of its number") {
  CHECK_THAT(problems(graph("<gpu name=\"a\"/><gpu name=\"b\"/><nvswitch name=\"v\"/>" +
                            wire("a:0", "v:1", "nvlink") + wire("b:0", "v:0", "nvlink"))),
             Contains("gpu 'a' is GPU 0 of its server and so belongs to port 0 of nvswitch 'v', not 1"));
}

TEST_CASE("other ports of a cluster's NIC than port 0 are taken") {
  CHECK_THAT(
      problems(cluster(2, 1, 1, "") + graph("<switch name=\"s\" ports=\"4\"/>" + wire("nic0:1", "s:0"))),
      Contains("nic 'nic0' has no port 1 (1 ports: 0 to 0)"));
  CHECK_THAT(
      problems(cluster(2, 1, 1, "") + graph("<switch name=\"s\" ports=\"4\"/>" + wire("nic2:0", "s:0"))),
      Contains("no component 'nic2'"));
}

TEST_CASE("forwarding tables that lead nowhere are refused with their line") {
  const std::string inside = "<switch name=\"s0\" ports=\"4\"/><switch name=\"s1\" ports=\"4\"/>" +
                             wire("nic0:0", "s0:0") + wire("nic1:0", "s1:0") + wire("s0:1", "s1:1");
  auto with = [&](const std::string& routes) {
    return problems(cluster(2, 1, 1) + graph(inside + "<routes " + routes + "/>"));
  };
  CHECK_THAT(with("of=\"s2\" ports=\"1:1\""), Contains("<routes> attribute 'of': no switch 's2'"));
  CHECK_THAT(with("of=\"s0\""), Contains("<routes> lacks the required attribute 'ports'"));
  CHECK_THAT(with("of=\"s0\" ports=\"1\""),
             Contains("invalid route '1' (expected port:NICs, such as 4:8-15,24)"));
  CHECK_THAT(with("of=\"s0\" ports=\"1:a\""), Contains("invalid route '1:a'"));
  CHECK_THAT(with("of=\"s0\" ports=\"3:1\""), Contains("port 3 of 's0' has no link"));
  CHECK_THAT(with("of=\"s0\" ports=\"1:7\""), Contains("no link joins nic7"));
  CHECK_THAT(with("of=\"s0\" ports=\"1:1 0:1\""), Contains("nic1 has two routes"));
  CHECK_THAT(with("of=\"s0\" ports=\"0:1\""), Contains("from 's0' to 'nic1' the way ends at 'nic0'"));
  CHECK_THAT(with("of=\"s1\" ports=\"1:1\""), Contains("from 's1' to 'nic1' the way runs in a circle"));
}
