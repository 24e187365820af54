#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using lightrail::test::errors_of;
using Texts = std::vector<std::string>;

TEST_CASE("every element and attribute knows its line") {
  test::ScenarioFiles files;
  files.write(
      "main.xml",
      "<scenario name=\"x\">\r\n  <cluster\r\n    servers=\"2\"\r\n    pxn=\"on\"/>\r\n</scenario>\r\n");
  const Scenario scenario = files.load();
  const Element* cluster = scenario.root.child("cluster");
  REQUIRE(cluster);
  CHECK(cluster->line == 2);
  CHECK(cluster->find("servers")->line == 3);
  CHECK(cluster->find("pxn")->line == 4);
  // A mistake is shown at its attribute; where that is not given, at the element.
  CHECK(cluster->error_at("pxn", "x").line == 4);
  CHECK(cluster->error_at("gpus", "x").line == 2);
}

TEST_CASE("files that are no scenario are refused") {
  CHECK(errors_of("") == Texts{"DIR/main.xml:1: the file is empty"});
  CHECK(errors_of(" \n ") == Texts{"DIR/main.xml:1: the file is empty"});
  CHECK(errors_of(std::string("\x89HDF\r\n\x1a\n\0\0", 10)) ==
        Texts{"DIR/main.xml:1: not an XML text (it holds zero bytes; expected UTF-8)"});
  CHECK(errors_of("<cluster/>") ==
        Texts{"DIR/main.xml:1: the root element is <cluster> (expected <scenario>)"});
  CHECK(errors_of("<scenario/>\n<scenario/>") ==
        Texts{"DIR/main.xml:2: a second root element <scenario> after <scenario>"});
  CHECK(errors_of("{\"a\": 1}") == Texts{"DIR/main.xml:1: not well-formed XML: no document element found"});
}

TEST_CASE("broken XML is refused with its line") {
  CHECK(errors_of("<scenario>\n<cluster>\n</scenario>") ==
        Texts{"DIR/main.xml:3: not well-formed XML: start-end tags mismatch"});
  CHECK(errors_of("<scenario>\n<cluster servers=3/>\n</scenario>") ==
        Texts{"DIR/main.xml:2: not well-formed XML: error parsing element attribute"});
  CHECK(errors_of("<scenario>").size() == 1);
}

TEST_CASE("a repeated attribute is an error") {
  CHECK(errors_of("<scenario>\n<a x='1'\n x='2'/>\n</scenario>") ==
        Texts{"DIR/main.xml:3: <a> has attribute 'x' twice"});
}

TEST_CASE("text belongs in <doc>") {
  CHECK(errors_of("<scenario><doc>any prose</doc></scenario>").empty());
  CHECK(errors_of("<scenario>\n<cluster> 30 servers </cluster></scenario>") ==
        Texts{"DIR/main.xml:2: unexpected text '30' in <cluster> (values are attributes; prose belongs in "
              "<doc>)"});
}

TEST_CASE("a missing file and a folder are named") {
  test::ScenarioFiles files;
  CHECK(files.errors() == Texts{"cannot read 'DIR/main.xml' (No such file or directory)"});
  files.write("main.xml/inside", "");
  CHECK(files.errors() == Texts{"cannot read 'DIR/main.xml' (it is a directory)"});
}

TEST_CASE("deep nesting is refused, not followed") {
  std::string text = "<scenario>";
  for (int i = 0; i < 100'000; ++i) text += "<a>";
  for (int i = 0; i < 100'000; ++i) text += "</a>";
  CHECK(errors_of(text + "</scenario>") == Texts{"DIR/main.xml:1: <a> is nested more than 64 levels deep"});
}

TEST_CASE("document type entities are not expanded") {
  const std::string text =
      "<!DOCTYPE scenario [<!ENTITY a \"1\"><!ENTITY b \"&a;&a;&a;\">]>\n<scenario><x v=\"&b;\"/></scenario>";
  test::ScenarioFiles files;
  CHECK(test::value_at(files.write("main.xml", text).load().root, "x@v") == "&b;");
}

TEST_CASE("at most twenty mistakes are listed") {
  std::string text = "<scenario>";
  for (int i = 0; i < 50; ++i) text += "\n<a x=\"${y}\"/>";
  CHECK(errors_of(text + "</scenario>").size() == 20);
}
