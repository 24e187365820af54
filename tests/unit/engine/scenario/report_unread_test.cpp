#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/describe.hpp"
#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using Texts = std::vector<std::string>;

namespace {

/// What stays unread after a reader that knows <cluster servers pxn><gpu/></cluster>.
Texts unread(const std::string& inside) {
  test::ScenarioFiles files;
  const Scenario s = files.write("main.xml", "<scenario name='x'>" + inside + "</scenario>").load();
  for (const Element* cluster : s.root.children_named("cluster")) {
    cluster->find("servers");
    cluster->find("pxn");
    static_cast<void>(cluster->child("gpu"));
  }
  ErrorList errors;
  report_unread(s.root, errors);
  Texts texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& all) {
    for (const InputError& e : all.errors()) texts.push_back(e.what);
  }
  return texts;
}

}  // namespace

TEST_CASE("what everybody read is no error") {
  CHECK(unread("<cluster servers='3' pxn='on'><gpu/></cluster>").empty());
}

TEST_CASE("an unknown attribute or element is answered with the one meant") {
  CHECK(unread("<cluster server='3'/>") ==
        Texts{"<cluster> has no attribute 'server' (did you mean 'servers'?)"});
  CHECK(unread("<clutser/>") == Texts{"<scenario> has no element <clutser> (did you mean 'cluster'?)"});
}

TEST_CASE("without a close one the known ones are listed") {
  CHECK(unread("<cluster colour='red'/>") ==
        Texts{"<cluster> has no attribute 'colour' (known here: servers, pxn)"});
  CHECK(unread("<cluster><gpu colour='red'/></cluster>") == Texts{"<gpu> has no attribute 'colour'"});
}

TEST_CASE("of what may stand once, a second one is named with the first one's line") {
  CHECK(unread("<cluster>\n<gpu/>\n<gpu/></cluster>") ==
        Texts{"<cluster> has a second <gpu>, where one is expected (the first is at line 2)"});
}

TEST_CASE("an unknown element hides what is inside it") {
  CHECK(unread("<toaster><slice side='3'/></toaster>") ==
        Texts{"<scenario> has no element <toaster> (known here: sweep, cluster)"});
}

TEST_CASE("the twentieth mistake ends the list") {
  ErrorList errors;
  for (int i = 0; i < 19; ++i) errors.add({"f", i, "x"});
  CHECK_THROWS_AS(errors.add({"f", 19, "x"}), InputErrors);
}

namespace {
enum class Colour { red, green };
struct Toaster {
  std::uint32_t slices = 2;
  SimTime time = milliseconds(90'000);
  Colour colour = Colour::red;
};
Describe<Toaster> toaster_table() {
  Describe<Toaster> table;
  table.required("slices", &Toaster::slices, "slots", 1u, 8u)
      .field("time", &Toaster::time, "browning")
      .choice("colour", &Toaster::colour, "of the case", {{"red", Colour::red}, {"green", Colour::green}});
  return table;
}
Texts toaster_errors(const std::string& attributes, Toaster& toaster) {
  test::ScenarioFiles files;
  const Scenario s = files.write("main.xml", "<scenario><toaster " + attributes + "/></scenario>").load();
  ErrorList errors;
  toaster_table().parse(*s.root.child("toaster"), toaster, errors);
  Texts texts;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& all) {
    for (const InputError& e : all.errors()) texts.push_back(e.what);
  }
  return texts;
}
}  // namespace

TEST_CASE("a table reads attributes into a spec and complains about each") {
  Toaster toaster;
  CHECK(toaster_errors("slices='4' time='2 min' colour='green'", toaster).empty());
  CHECK(toaster.slices == 4);
  CHECK(toaster.time == milliseconds(120'000));
  CHECK(toaster.colour == Colour::green);
  CHECK(toaster_errors("", toaster) == Texts{"<toaster> lacks the required attribute 'slices'"});
  CHECK(
      toaster_errors("slices='9' time='5' colour='gren'", toaster) ==
      Texts{
          "<toaster> attribute 'slices': '9' is out of range (1 ... 8)",
          "<toaster> attribute 'time': invalid time '5' (expected a number with a unit: ns, us, ms, s, min, "
          "h)",
          "<toaster> attribute 'colour': invalid choice 'gren' (one of red, green; did you mean 'green'?)"});
}

TEST_CASE("a table documents its parameters and prints effective values") {
  const auto docs = toaster_table().documentation();
  REQUIRE(docs.size() == 3);
  CHECK(docs[0].range == "1 ... 8");
  CHECK(docs[0].is_required);
  CHECK(docs[1].default_value == "90 s");
  CHECK(docs[2].default_value == "red");
  CHECK(docs[2].choices == Texts{"red", "green"});
  CHECK(toaster_table().values(Toaster{})[1].value == "90 s");
}
