#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using lightrail::test::errors_of;
using Texts = std::vector<std::string>;

namespace {

const char* text = R"(<scenario name="n${servers}">
  <variable name="servers" value="30"/>
  <variable name="gpus" value="${8 * servers}"/>
  <cluster servers="${servers}" label="x${gpus}y${servers}"/>
</scenario>)";

std::string scenario(const std::string& inside) {
  return "<scenario>\n" + inside + "\n</scenario>";
}

}  // namespace

TEST_CASE("variables are replaced in every attribute, also the root's") {
  test::ScenarioFiles files;
  const Scenario s = files.write("main.xml", text).load();
  CHECK(test::value_at(s.root, "@name") == "n30");
  CHECK(test::value_at(s.root, "cluster@servers") == "30");
  CHECK(test::value_at(s.root, "cluster@label") == "x240y30");
  CHECK(s.variables.at("gpus") == "240");
}

TEST_CASE("a setting overrides a variable and what is computed from it") {
  test::ScenarioFiles files;
  const Scenario s = files.write("main.xml", text).load({"servers=4", "servers=5"});
  CHECK(test::value_at(s.root, "cluster@label") == "x40y5");
}

TEST_CASE("settings of unknown variables are errors") {
  CHECK(errors_of(text, {"servrs=4"}) ==
        Texts{"--set servrs=4: the scenario has no variable 'servrs' (did you mean 'servers'?)"});
  CHECK(errors_of(text, {"colour=red"}) ==
        Texts{"--set colour=red: the scenario has no variable 'colour' (it has gpus, servers)"});
  CHECK(errors_of("<scenario/>", {"a=b"}) ==
        Texts{"--set a=b: the scenario has no variable 'a' (it has none)"});
  CHECK(errors_of(text, {"servers"}) == Texts{"--set 'servers': expected name=value"});
  CHECK(errors_of(text, {"=4"}) == Texts{"--set '=4': expected name=value"});
}

TEST_CASE("unknown variables and broken expressions name file, line and attribute") {
  CHECK(errors_of(scenario("<variable name='pxn' value='on'/><a x='${pxn}'/>\n<b\n y='${pnx}'/>")) ==
        Texts{"DIR/main.xml:4: <b> attribute 'y': '${pnx}': unknown variable 'pnx' (did you mean 'pxn'?)"});
  CHECK(errors_of(scenario("<b y='${z}'/>")) ==
        Texts{"DIR/main.xml:2: <b> attribute 'y': '${z}': unknown variable 'z' (a variable must be defined "
              "above its use)"});
  CHECK(errors_of(scenario("<b y='a${z'/>")) ==
        Texts{"DIR/main.xml:2: <b> attribute 'y': '${z': missing '}'"});
  CHECK(errors_of(scenario("<b y='${1/0}'/>")) ==
        Texts{"DIR/main.xml:2: <b> attribute 'y': '${1/0}': division by zero"});
}

TEST_CASE("a variable is defined once in a file, with a valid name, and used") {
  CHECK(errors_of(scenario("<variable name='a' value='1'/>\n<variable name='a' value='2'/><b y='${a}'/>")) ==
        Texts{"DIR/main.xml:3: variable 'a' is already defined at DIR/main.xml:2"});
  CHECK(errors_of(scenario("<variable name='stop-at' value='1'/>")) ==
        Texts{"DIR/main.xml:2: <variable> attribute 'name': invalid name 'stop-at' (letters, digits and _ "
              "only, no digit "
              "first)"});
  CHECK(errors_of(scenario("<variable name='a' value='1'/>")) ==
        Texts{"DIR/main.xml:2: variable 'a' is never used (a template's may be: optional=\"on\")"});
  CHECK(errors_of(scenario("<variable name='a' value='1' optional='on'/>")).empty());
  CHECK(errors_of(scenario("<variable name='a' value='1' optional='on'/><c x='${a}'/>")).empty());
  CHECK(errors_of(scenario("<variable name='a' value='1' optional='maybe'/><c x='${a}'/>")).size() == 1);
  CHECK(errors_of(scenario("<variable name='a'/>")) ==
        Texts{"DIR/main.xml:2: <variable> lacks the required attribute 'value'"});
  CHECK(errors_of(scenario("<variable name='a' value='1' unit='m'><b/></variable><c x='${a}'/>")) ==
        Texts{"DIR/main.xml:2: <variable> has no attribute 'unit'",
              "DIR/main.xml:2: <variable> has no element <b>"});
}

TEST_CASE("variables that double one another stop at 65,536 characters") {
  std::string inside = "<variable name='v0' value='xxxxxxxxxxxxxxxx'/>";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "${v" + std::to_string(i - 1) + "}";
    inside += "<variable name='v" + std::to_string(i) + "' value='" + before + before + "'/>";
  }
  const Texts errors = errors_of(scenario(inside));
  REQUIRE_FALSE(errors.empty());
  CHECK(errors[0] ==
        "DIR/main.xml:2: <variable> attribute 'value': the value grows beyond 65536 characters while its "
        "variables are "
        "replaced");
}

TEST_CASE("sweeps must vary variables") {
  const std::string variable = "<variable name='pxn' value='on'/><a x='${pxn}'/>";
  CHECK(errors_of(scenario(variable + "<sweep><vary name='pxn' values='on off'/></sweep>")).empty());
  CHECK(errors_of(scenario(variable + "<sweep>\n<vary name='pnx' values='on off'/></sweep>")) ==
        Texts{"DIR/main.xml:3: <vary> attribute 'name': unknown variable 'pnx' (did you mean 'pxn'?)"});
  CHECK(errors_of(scenario(variable + "<sweep><vary name='pxn' values=' '/><vary/></sweep>")) ==
        Texts{"DIR/main.xml:2: <vary> attribute 'values': no values given",
              "DIR/main.xml:2: <vary> lacks the required attribute 'name'",
              "DIR/main.xml:2: <vary> lacks the required attribute 'values'"});
}
