#include <string>
#include <vector>

#include "engine/scenario/catalogue.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using Texts = std::vector<std::string>;

namespace {

void write_catalogue(test::ScenarioFiles& files) {
  files
      .write("configs/gpus/h100_sxm.xml",
             "<gpu memory='80 GiB'\n hbm='3.35 TB/s'><source kind='datasheet' text='NVIDIA H100'>p. "
             "3</source></gpu>")
      .write("configs/gpus/a100.xml", "<gpu memory='40 GiB'/>")
      .write(
          "configs/servers/dgx.xml",
          "<server gpus='8'><gpu catalogue='gpus/h100_sxm'/><link role='nvlink' rate='1'/><link role='pcie' "
          "rate='2'/></server>");
}
Texts errors_with(const std::string& inside) {
  test::ScenarioFiles files;
  write_catalogue(files);
  return files.write("main.xml", "<scenario>\n" + inside + "\n</scenario>").errors();
}

}  // namespace

TEST_CASE("a catalogue entry fills what is not given beside the reference") {
  test::ScenarioFiles files;
  write_catalogue(files);
  const Scenario s =
      files.write("main.xml", "<scenario>\n<gpu catalogue='gpus/h100_sxm' memory='96 GiB'/></scenario>")
          .load();
  const Element* gpu = s.root.child("gpu");
  REQUIRE(gpu);
  CHECK(gpu->catalogue == "gpus/h100_sxm");
  CHECK(gpu->find("memory")->value == "96 GiB");
  CHECK(gpu->find("memory")->file == files.folder() + "/main.xml");
  CHECK(gpu->find("hbm")->value == "3.35 TB/s");
  CHECK(gpu->find("hbm")->file == files.folder() + "/configs/gpus/h100_sxm.xml");
  CHECK(gpu->find("hbm")->line == 2);
  CHECK(gpu->find("catalogue") == nullptr);
}

TEST_CASE("entries refer to entries, and local children change those of the same name and role") {
  test::ScenarioFiles files;
  write_catalogue(files);
  const Scenario s = files
                         .write("main.xml",
                                "<scenario><server catalogue='servers/dgx'><link role='pcie' rate='9'/><nic/>"
                                "</server></scenario>")
                         .load();
  const Element* server = s.root.child("server");
  CHECK(test::value_at(*server, "gpu@hbm") == "3.35 TB/s");
  std::string links;
  for (const Element* link : server->children_named("link"))
    links += link->find("role")->value + link->find("rate")->value + " ";
  CHECK(links == "nvlink1 pcie9 ");
  CHECK(server->child("nic"));
}

TEST_CASE("variables reach a reference") {
  test::ScenarioFiles files;
  write_catalogue(files);
  files.write("main.xml",
              "<scenario><variable name='g' value='a100'/><gpu catalogue='gpus/${g}'/></scenario>");
  CHECK(test::value_at(files.load().root, "gpu@memory") == "40 GiB");
  CHECK(test::value_at(files.load({"g=h100_sxm"}).root, "gpu@memory") == "80 GiB");
}

TEST_CASE("a missing entry is answered with the closest or with its neighbours") {
  CHECK(errors_with("<gpu\n catalogue='gpus/h100_smx'/>") ==
        Texts{"DIR/main.xml:3: <gpu> attribute 'catalogue': unknown catalogue entry 'gpus/h100_smx' (did you "
              "mean "
              "'gpus/h100_sxm'?)"});
  CHECK(errors_with("<gpu catalogue='gpus/mi300x_oam_platform'/>") ==
        Texts{"DIR/main.xml:2: <gpu> attribute 'catalogue': unknown catalogue entry "
              "'gpus/mi300x_oam_platform' (there are "
              "gpus/a100, gpus/h100_sxm)"});
  CHECK(errors_with("<gpu catalogue='h100_sxm'/>") ==
        Texts{"DIR/main.xml:2: <gpu> attribute 'catalogue': unknown catalogue entry 'h100_sxm' (did you mean "
              "'gpus/h100_sxm'?)"});
  CHECK(errors_with("<gpu catalogue='toasters/two_slices'/>") ==
        Texts{"DIR/main.xml:2: <gpu> attribute 'catalogue': unknown catalogue entry 'toasters/two_slices' "
              "(the catalogue folder 'DIR/configs' has no 'toasters/')"});
}

TEST_CASE("a reference stays inside the catalogue and names the right element") {
  for (const char* entry : {"../main", "/etc/passwd", ""})
    CHECK(errors_with("<gpu catalogue='" + std::string(entry) + "'/>") ==
          Texts{"DIR/main.xml:2: <gpu> attribute 'catalogue': invalid catalogue entry '" +
                std::string(entry) + "' (expected folder/name inside the catalogue)"});
  CHECK(errors_with("<nic catalogue='gpus/a100'/>") ==
        Texts{"DIR/main.xml:2: <nic> refers to catalogue entry 'gpus/a100', which is a <gpu>"});
}

TEST_CASE("an entry that refers to itself is a cycle") {
  test::ScenarioFiles files;
  files.write("configs/gpus/a.xml", "<gpu catalogue='gpus/b'/>")
      .write("configs/gpus/b.xml", "<gpu catalogue='gpus/a'/>")
      .write("main.xml", "<scenario><gpu catalogue='gpus/a'/></scenario>");
  CHECK(files.errors() ==
        Texts{"DIR/configs/gpus/b.xml:1: catalogue entry 'gpus/a' includes itself "
              "(DIR/configs/gpus/a.xml -> DIR/configs/gpus/b.xml -> DIR/configs/gpus/a.xml)"});
}

TEST_CASE("a catalogue that is not there is named") {
  test::ScenarioFiles files;
  files.write("main.xml", "<scenario><gpu catalogue='gpus/a'/></scenario>");
  CHECK(files.errors() ==
        Texts{"DIR/main.xml:1: <gpu> attribute 'catalogue': catalogue entry 'gpus/a' asked for, but the "
              "catalogue folder 'DIR/configs' does not exist"});
}

TEST_CASE("a catalogue that is not there is named once, beside other mistakes") {
  test::ScenarioFiles files;
  files.write("main.xml",
              "<scenario>\n<gpu catalogue='gpus/a'/>\n<nic catalogue='nics/b' rate='${x}'/>\n"
              "<switch catalogue='../c'/></scenario>");
  const Texts errors = files.errors();
  REQUIRE(errors.size() == 2);
  CHECK_THAT(errors[0], Catch::Contains("DIR/main.xml:2") && Catch::Contains("'DIR/configs' does not exist"));
  CHECK_THAT(errors[1],
             Catch::Contains("DIR/main.xml:3: <nic> attribute 'rate': '${x}': unknown variable 'x'"));
}

TEST_CASE("without any catalogue the two ways to name one are told") {
  ErrorList errors;
  CHECK(Catalogue("").file_of("gpus/a", {"s.xml", 3, ""}, errors).empty());
  CHECK_THROWS_WITH(errors.throw_if_any(),
                    "s.xml:3: catalogue entry 'gpus/a' asked for, but no catalogue folder was found (name it "
                    "with --catalogue "
                    "or LIGHTRAIL_CATALOGUE)");
}

TEST_CASE("citations say of which kind they are") {
  CHECK(errors_with("<gpu><source kind='rumour'/></gpu>") ==
        Texts{"DIR/main.xml:2: <source> attribute 'kind': invalid choice 'rumour' (one of datasheet, "
              "measured, estimate, "
              "published)"});
  CHECK(errors_with("<gpu><source page='3'/></gpu>") ==
        Texts{"DIR/main.xml:2: <source> lacks the required attribute 'kind'",
              "DIR/main.xml:2: <source> has no attribute 'page' (known here: kind, parameter, value, text, "
              "url)"});
}

TEST_CASE("entries are listed in order") {
  test::ScenarioFiles files;
  write_catalogue(files);
  CHECK(Catalogue(files.folder() + "/configs").entries() ==
        Texts{"gpus/a100", "gpus/h100_sxm", "servers/dgx"});
}

TEST_CASE("a folder of one's own goes before another one, which has what it has not") {
  test::ScenarioFiles files;
  write_catalogue(files);
  files.write("mine/gpus/a100.xml", "<gpu memory='96 GiB'/>");
  files.write("mine/gpus/z.xml", "<gpu memory='1 GiB'/>");
  const Catalogue both(files.folder() + "/mine", files.folder() + "/configs");
  CHECK(both.entries() == Texts{"gpus/a100", "gpus/h100_sxm", "gpus/z", "servers/dgx"});
  ErrorList errors;
  CHECK(both.file_of("gpus/a100", {}, errors) == files.folder() + "/mine/gpus/a100.xml");
  CHECK(both.file_of("gpus/h100_sxm", {}, errors) == files.folder() + "/configs/gpus/h100_sxm.xml");
  CHECK(errors.is_empty());
}
