#include <string>
#include <vector>

#include "engine/scenario/merge_entry.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/engine/scenario/scenario_files.hpp"

using namespace lightrail;
using Texts = std::vector<std::string>;

namespace {

const ChildIdentities identities{{"gemm", {{"dtype", "bf16"}, {"scaling", "tensorwise"}}},
                                 {"link", {{"role", ""}}}};

/// A server of the catalogue with these children beside the reference.
void write_server(test::ScenarioFiles& files, const std::string& children) {
  files
      .write("configs/gpus/h100.xml",
             "<gpu memory='80 GiB'>\n"
             "<gemm dtype='bf16' peak='989'/>\n"
             "<gemm dtype='fp8' peak='1979'/>\n"
             "<gemm dtype='fp8' scaling='rowwise' peak='1979' sustained='0.8'/>\n"
             "</gpu>")
      .write("configs/gpus/a100.xml", "<gpu memory='40 GiB'/>")
      .write("configs/links/nvlink4.xml", "<link kind='nvlink' rate='1' latency='2'/>")
      .write("configs/servers/dgx.xml",
             "<server gpus='8'>\n"
             "<gpu catalogue='gpus/h100'/>\n"
             "<nvswitch latency='100 ns'\n buffer='1 MiB' efficiency='0.83'/>\n"
             "<link role='nvlink' catalogue='links/nvlink4'/>\n"
             "<link role='pcie' kind='pcie' rate='3'/>\n"
             "</server>")
      .write("main.xml", "<scenario><server catalogue='servers/dgx'>\n" + children + "</server></scenario>");
}

Element load(const std::string& children) {
  test::ScenarioFiles files;
  write_server(files, children);
  return *files.load({}, identities).root.child("server");
}

Texts errors(const std::string& children) {
  test::ScenarioFiles files;
  write_server(files, children);
  return files.errors({}, identities);
}

/// "name attribute=value ... [child; child]" of the whole tree below, in order.
std::string text_of(const Element& element) {
  std::string text = element.name;
  for (const Attribute& a : element.attributes) text += " " + a.name + "=" + a.value;
  if (element.children.empty()) return text;
  text += " [";
  for (std::size_t i = 0; i < element.children.size(); ++i)
    text += (i ? "; " : "") + text_of(element.children[i]);
  return text + "]";
}

}  // namespace

TEST_CASE("a child keeps what its catalogue entry says of it, but for the attributes that are given") {
  const Element server = load("<nvswitch buffer='64 MiB'/>\n<new/>");
  const Element* nvswitch = server.child("nvswitch");
  REQUIRE(nvswitch);
  CHECK(text_of(*nvswitch) == "nvswitch buffer=64 MiB latency=100 ns efficiency=0.83");
  CHECK(server.children.size() == 5);
  CHECK(server.children.back().name == "new");
}

TEST_CASE("each attribute of a merged child has its own file and line") {
  test::ScenarioFiles files;
  write_server(files, "<nvswitch buffer='9'/>");
  const Scenario s = files.load({}, identities);
  const Element* nvswitch = s.root.child("server")->child("nvswitch");
  const auto place = [&](const char* name) {
    const Attribute* a = nvswitch->find(name);
    return a->file.substr(files.folder().size() + 1) + ":" + std::to_string(a->line);
  };
  CHECK(place("buffer") == "main.xml:2");
  CHECK(place("latency") == "configs/servers/dgx.xml:3");
  CHECK(place("efficiency") == "configs/servers/dgx.xml:4");
  CHECK(nvswitch->file == files.folder() + "/main.xml");
  CHECK(nvswitch->line == 2);
}

TEST_CASE("children of children merge too, also those of another entry") {
  const Element server = load("<gpu><gemm dtype='fp8' scaling='rowwise' sustained='0.9'/></gpu>");
  const Element* gpu = server.child("gpu");
  CHECK(text_of(*gpu) ==
        "gpu memory=80 GiB [gemm dtype=bf16 peak=989; gemm dtype=fp8 peak=1979; "
        "gemm dtype=fp8 scaling=rowwise sustained=0.9 peak=1979]");
  CHECK(gpu->catalogue == "gpus/h100");
}

TEST_CASE("children of one name are told apart by role, or by what is said to identify them") {
  CHECK(text_of(*load("<link role='nvlink' rate='9'/>").children_named("link")[0]) ==
        "link role=nvlink rate=9 kind=nvlink latency=2");
  // What is left out stands for its default: the fp8 of scaling tensorwise, the gemm of bf16.
  CHECK(text_of(*load("<gpu><gemm dtype='fp8' peak='1'/></gpu>").child("gpu")) ==
        "gpu memory=80 GiB [gemm dtype=bf16 peak=989; gemm dtype=fp8 peak=1; "
        "gemm dtype=fp8 scaling=rowwise peak=1979 sustained=0.8]");
  CHECK(text_of(*load("<gpu><gemm peak='1'/></gpu>").child("gpu")) ==
        "gpu memory=80 GiB [gemm peak=1 dtype=bf16; gemm dtype=fp8 peak=1979; "
        "gemm dtype=fp8 scaling=rowwise peak=1979 sustained=0.8]");
  CHECK(text_of(*load("<gpu><gemm dtype='fp32'/></gpu>").child("gpu")).find("; gemm dtype=fp32]") !=
        std::string::npos);
}

TEST_CASE("a child with a catalogue entry of its own begins with that one") {
  const Element server =
      load("<gpu catalogue='gpus/a100' sms='108'/><link role='pcie' catalogue='links/nvlink4'/>");
  CHECK(text_of(*server.child("gpu")) == "gpu sms=108 memory=40 GiB");
  CHECK(server.child("gpu")->catalogue == "gpus/a100");
  CHECK(text_of(*server.children_named("link")[1]) == "link role=pcie kind=nvlink rate=1 latency=2");
  CHECK(server.children_named("gpu").size() == 1);
}

TEST_CASE("a child with catalogue none begins with nothing") {
  const Element server =
      load("<nvswitch catalogue='none' buffer='9'/><gpu><gemm catalogue='none' dtype='bf16'/></gpu>");
  CHECK(text_of(*server.child("nvswitch")) == "nvswitch buffer=9");
  CHECK(text_of(server.child("gpu")->children[0]) == "gemm dtype=bf16");
  CHECK(errors("<host\n catalogue='none'/>") ==
        Texts{"DIR/main.xml:3: <host> attribute 'catalogue': 'none' has no effect (no catalogue entry gives "
              "this <host> anything)"});
}

TEST_CASE("a child that may be any of several is refused") {
  CHECK(errors("<link rate='9'/>") ==
        Texts{"DIR/main.xml:2: <link> may be any of 2 in catalogue entry 'servers/dgx' (told apart by: "
              "role)"});
}

TEST_CASE("two children that mean the same one are refused") {
  CHECK(errors("<nvswitch buffer='1'/>\n<nvswitch buffer='2'/>") ==
        Texts{"DIR/main.xml:3: <server> has two <nvswitch> for the same one in catalogue entry "
              "'servers/dgx'"});
  CHECK(errors("<gpu>\n<gemm dtype='fp8' peak='1'/>\n<gemm dtype='fp8' scaling='tensorwise'/></gpu>") ==
        Texts{"DIR/main.xml:4: <gpu> has two <gemm> for the same one in catalogue entry 'gpus/h100' (told "
              "apart by: dtype, scaling)"});
  CHECK(errors("<gpu catalogue='gpus/a100'/>\n<gpu catalogue='gpus/a100'/>") ==
        Texts{"DIR/main.xml:3: <server> has two <gpu> for the same one in catalogue entry 'servers/dgx'"});
}

TEST_CASE("another kind needs another entry") {
  CHECK(errors("<link role='nvlink'\n kind='optical' rate='9'/>") ==
        Texts{"DIR/main.xml:3: <link> is of kind 'optical' here and of kind 'nvlink' in catalogue entry "
              "'links/nvlink4' (expected an entry of that kind, or catalogue=\"none\")"});
  CHECK(text_of(*load("<link role='nvlink' catalogue='none' kind='optical' rate='9'/>")

                     .children_named("link")[0]) == "link role=nvlink kind=optical rate=9");
}
