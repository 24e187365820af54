#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using Texts = std::vector<std::string>;

TEST_CASE("an include inserts the children of the file's root, relative to the including file") {
  test::ScenarioFiles files;
  files.write("main.xml", "<scenario><include file='parts/a.xml'/></scenario>")
      .write("parts/a.xml",
             "<scenario name='a'><variable name='n' value='3'/><include file='b.xml'/></scenario>")
      .write("parts/b.xml", "<scenario>\n<cluster servers='${n}'/></scenario>");
  const Scenario s = files.load();
  CHECK(test::value_at(s.root, "cluster@servers") == "3");
  CHECK(s.root.child("cluster")->line == 2);
  CHECK(s.root.child("cluster")->file == files.folder() + "/parts/b.xml");
  CHECK(s.inputs == Texts{files.folder() + "/main.xml", files.folder() + "/parts/a.xml",
                          files.folder() + "/parts/b.xml"});
}

TEST_CASE("what the including file defines first stands") {
  test::ScenarioFiles files;
  files.write("main.xml", "<scenario><variable name='n' value='5'/><include file='a.xml'/></scenario>")
      .write("a.xml", "<scenario><variable name='n' value='3'/><cluster servers='${n}'/></scenario>");
  CHECK(test::value_at(files.load().root, "cluster@servers") == "5");
}

TEST_CASE("a cycle of includes is printed as a chain") {
  test::ScenarioFiles files;
  files.write("main.xml", "<scenario>\n<include file='a.xml'/></scenario>")
      .write("a.xml", "<scenario>\n\n<include file='b.xml'/></scenario>")
      .write("b.xml", "<scenario><include file='a.xml'/></scenario>");
  CHECK(files.errors() ==
        Texts{"DIR/b.xml:1: <include> of 'a.xml' includes itself (DIR/a.xml -> DIR/b.xml -> DIR/a.xml)"});
  files.write("a.xml", "<scenario><include file='./main.xml'/></scenario>");
  CHECK(files.errors() == Texts{"DIR/a.xml:1: <include> of './main.xml' includes itself (DIR/main.xml -> "
                                "DIR/a.xml -> DIR/main.xml)"});
}

TEST_CASE("a missing include is named where it is asked for") {
  test::ScenarioFiles files;
  files.write("main.xml", "<scenario>\n<include file='no.xml'/>\n<include/></scenario>");
  CHECK(
      files.errors() ==
      Texts{
          "DIR/main.xml:2: <include> attribute 'file': cannot read 'DIR/no.xml' (No such file or directory)",
          "DIR/main.xml:3: <include> lacks the required attribute 'file'"});
}

TEST_CASE("an include takes nothing but a file, and a root that is included nothing but a name") {
  test::ScenarioFiles files;
  files.write("main.xml", "<scenario><include file='a.xml' x='1'><b/></include></scenario>")
      .write("a.xml", "<scenario name='a' seed='3'/>");
  CHECK(files.errors() ==
        Texts{"DIR/main.xml:1: <include> has no attribute 'x'",
              "DIR/main.xml:1: <include> has no element <b>",
              "DIR/a.xml:1: <scenario> attribute 'seed' has no effect in an included file"});
}

TEST_CASE("includes that multiply stop at 10,000") {
  test::ScenarioFiles files;
  std::string previous = "main.xml";
  for (int i = 0; i < 20; ++i) {
    const std::string next = "f" + std::to_string(i) + ".xml";
    files.write(previous,
                "<scenario><include file='" + next + "'/><include file='" + next + "'/></scenario>");
    previous = next;
  }
  files.write(previous, "<scenario><a/></scenario>");
  const Texts errors = files.errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].find("more than 10000 includes and catalogue references") != std::string::npos);
}

TEST_CASE("a resolved scenario is canonical and loads to itself") {
  test::ScenarioFiles files;
  files.write("main.xml",
              "<scenario name='x'><variable name='n' value='3 &lt; 4'/><!-- c --><doc>d</doc>"
              "<b z='1' a='${n}'/><sweep><vary name='n' values='a b'/></sweep></scenario>");
  const std::string resolved = files.load().resolved_xml;
  CHECK(resolved == "<scenario name=\"x\">\n  <b a=\"3 &lt; 4\" z=\"1\"/>\n</scenario>\n");
  CHECK(files.write("main.xml", resolved).load().resolved_xml == resolved);
}
