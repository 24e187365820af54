#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"
#include "fabrics/import/system_format.hpp"
#include "tests/support/mutated.hpp"

using namespace lightrail;
using Catch::Matchers::Contains;

namespace {

std::string data(const std::string& name) {
  return "tests/data/systems/" + name;  // tests run in the repository
}

struct Imported {
  std::string text;
  std::vector<std::string> notes;
};

Imported import(const std::string& format, const std::string& file,
                const std::vector<Attribute>& attributes = {}) {
  Imported out;
  out.text = import_system(format, {file}, attributes, "lightrail system import", out.notes);
  return out;
}

/// The mistake, with its line and without its file.
std::string refusal(const std::string& format, const std::string& text,
                    const std::vector<Attribute>& attributes = {}) {
  const auto path = std::filesystem::temp_directory_path() / ("lightrail_system_" + std::to_string(getpid()));
  std::ofstream(path) << text;
  std::string what;
  try {
    (void)import(format, path.string(), attributes);
  } catch (const InputErrors& problem) {
    what = std::to_string(problem.errors()[0].line) + ": " + problem.errors()[0].what;
  }
  std::filesystem::remove(path);
  return what;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("ibnetdiscover: cables become a graph, hosts servers in the order of their names' numbers") {
  const Imported two = import("ibnetdiscover", data("two_rails.ibnetdiscover"));
  CHECK_THAT(two.text, Contains("<cluster servers=\"4\">  <!-- node1 to node10 -->"));
  CHECK_THAT(two.text, Contains("<server gpus=\"2\" nics=\"2\">"));
  CHECK_THAT(
      two.text,
      Contains("<switch name=\"leaf0\" catalogue=\"switches/qm9700\" ports=\"65\"/>  <!-- MF0;leaf-1"));
  CHECK_THAT(two.text, Contains("<switch name=\"spine0\" catalogue=\"switches/qm9700\" ports=\"64\"/>"));
  // node1, node2, node9, node10: the last one's second adapter is on port 4 of the second leaf.
  CHECK_THAT(two.text, Contains("<link from=\"nic7:0\" to=\"leaf1:3\" catalogue=\"links/ndr_copper\"/>"));
  CHECK_THAT(two.text, Contains("<link from=\"leaf1:33\" to=\"spine0:3\" catalogue=\"links/ndr_copper\"/>"));
  CHECK_THAT(two.text, !Contains("nic8") && !Contains("allow-unreachable"));
  CHECK(two.notes == std::vector<std::string>{
                         "1 ports of SHARP's aggregation nodes are left out",
                         "a server has as many GPUs as NICs (gpus=... says how many)",
                         "cables are copper of 2 m: the file says neither their kind nor their length",
                         "the file names no GPU that the catalogue has: taken as h100_sxm (gpu=...)"});
}

TEST_CASE("ibnetdiscover: forwarding tables become routes, hosts can be left out") {
  const Imported two = import("ibnetdiscover", data("two_rails.ibnetdiscover"),
                              {{"routes", data("two_rails.lfts"), "", 0}, {"gpus", "4", "", 0}});
  CHECK_THAT(two.text, Contains("<routes of=\"leaf0\" ports=\"0:0 1:2 2:4 3:6 32:1,3,5,7\"/>"));
  CHECK_THAT(two.text, Contains("<routes of=\"spine0\" ports=\"0:0,4 1:2,6 2:1,5 3:3,7\"/>"));
  CHECK_THAT(two.text, Contains("<server gpus=\"4\" nics=\"2\">"));
  const Imported less =
      import("ibnetdiscover", data("two_rails.ibnetdiscover"), {{"skip", "node1? node2", "", 0}});
  CHECK_THAT(less.text, Contains("<cluster servers=\"2\">  <!-- node1 to node9 -->"));
}

TEST_CASE("ibnetdiscover: what is wrong is said with its line") {
  const std::string good = file_text(data("two_rails.ibnetdiscover"));
  CHECK(refusal("ibnetdiscover", "hello\n") ==
        "1: no switch and no channel adapter (expected what ibnetdiscover prints)");
  CHECK(refusal("ibnetdiscover", "[1]\t\"S-1\"[1]\n") == "1: a port before any switch or channel adapter");
  CHECK(refusal("ibnetdiscover", changed(good, "4xNDR", "fast")) ==
        "11: 'fast' is no width and speed (expected such as 4xNDR at the end)");
  CHECK(refusal("ibnetdiscover", changed(good, "[1]\t\"H-", "[99]\t\"H-")) ==
        "11: port 99 of S-b8599f0300aa0001, which has 65");
  CHECK(refusal("ibnetdiscover", changed(good, "Switch\t65", "Switch\tx")) ==
        "10: expected 'Switch PORTS \"S-GUID\" # \"NAME\"'");
  CHECK(refusal("ibnetdiscover", good + good.substr(good.find("Switch"))) ==
        "103: S-b8599f0300aa0001 is described twice, also in line 10");
  CHECK_THAT(refusal("ibnetdiscover", good, {{"routes", data("clos.yaml"), "", 0}}),
             Contains("no forwarding table (expected what dump_lfts.sh or ibroute print)"));
  CHECK_THAT(refusal("ibnetdiscover", good, {{"gpus", "3", "", 0}}),
             Contains("3 GPUs and 2 NICs in a server, which no rule shares out (expected a multiple)"));
}

TEST_CASE("NCCL's topology: GPUs, NVLinks, PCIe and NICs of a server") {
  const Imported one = import("nccl-topo", data("h100_4gpus.nccl.xml"), {{"servers", "3", "", 0}});
  CHECK_THAT(one.text, Contains("<variable name=\"servers\" value=\"3\"/>"));
  CHECK_THAT(one.text, Contains("<server gpus=\"4\" nics=\"2\">") && Contains("gpus/h100_sxm"));
  CHECK_THAT(one.text, Contains("<link role=\"nvlink\" catalogue=\"links/nvlink4\"/>"));
  CHECK_THAT(one.text, Contains("<nic catalogue=\"nics/connectx7_400g\"/>"));
  CHECK(one.notes == std::vector<std::string>{"a topology of NCCL describes one server: 3 of them and a "
                                              "rail-optimised fabric are assumed"});
  const std::string good = file_text(data("h100_4gpus.nccl.xml"));
  const auto with = [&](const std::string& from, const std::string& to) {
    const auto path = std::filesystem::temp_directory_path() / ("lightrail_topo_" + std::to_string(getpid()));
    std::string text = good;
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    std::ofstream(path) << text;
    Imported made = import("nccl-topo", path.string());
    std::filesystem::remove(path);
    return made;
  };
  CHECK_THAT(with("0x2330", "0x2335").text, Contains("gpus/h200_sxm"));
  CHECK(with("0x2330", "0x2335").notes.size() == 1);
  CHECK_THAT(with("0x2330", "0x2324").text, Contains("gpus/h100_sxm"));
  CHECK_THAT(
      with("0x2330", "0x2324").notes.back(),
      Contains("compute capability 9.0 that are no known device of NVIDIA ('0x2324'): taken as h100_sxm"));
  CHECK_THAT(with("link_width=\"16\"", "link_width=\"8\"").text,
             Contains("<link role=\"pcie\" catalogue=\"links/pcie_gen5_x16\" lanes=\"8\"/>"));
  CHECK(refusal("nccl-topo", "<graphs/>") == "1: <graphs> is no topology of NCCL (expected <system>)");
  CHECK(refusal("nccl-topo", changed(good, "sm=\"90\"", "sm=\"x\"")) ==
        "5: <gpu> attribute 'sm': 'x' is no number from 0 to 999");
  CHECK_THAT(refusal("nccl-topo", changed(good, "sm=\"90\"", "sm=\"80\"")),
             Contains("GPUs of compute capabilities 80 and 90 in one server"));
}

TEST_CASE("InfraGraph: instances, slices and links become servers, switches and cables") {
  const Imported clos = import("infragraph", data("clos.yaml"));
  CHECK_THAT(clos.text, Contains("<cluster servers=\"2\">  <!-- host -->"));
  CHECK_THAT(clos.text, Contains("<gpu catalogue=\"gpus/a100_sxm_80gb\"/>") && Contains("<nvswitch "));
  CHECK_THAT(clos.text, Contains("<nic catalogue=\"nics/connectx5_100g\"/>"));
  CHECK_THAT(clos.text, Contains("<switch name=\"leaf_sw0\" catalogue=\"switches/qm9700\" ports=\"16\"/>"));
  // 47.65 ns at 0.7 c are 10 m.
  CHECK_THAT(
      clos.text,
      Contains("<link from=\"nic5:0\" to=\"leaf_sw1:1\" catalogue=\"links/100g_copper\" length=\"10 m\"/>"));
  CHECK_THAT(clos.text,
             Contains("<link from=\"leaf_sw1:8\" to=\"spine0:1\" catalogue=\"links/ndr_copper\"/>"));
  CHECK(clos.notes.empty());
}

TEST_CASE("infragraph: latencies that copper cannot have are cut, and a note says so") {
  const std::string long_one = changed(file_text(data("clos.yaml")), "ns: 47.65", "ns: 4765");
  const auto path = std::filesystem::temp_directory_path() / ("lightrail_long_" + std::to_string(getpid()));
  std::ofstream(path) << long_one;
  const Imported clos = import("infragraph", path.string());
  std::filesystem::remove(path);
  CHECK_THAT(clos.text, Contains(" length=\"100 m\""));
  REQUIRE(!clos.notes.empty());
  CHECK_THAT(clos.notes.back(),
             Contains("a latency above that of 100 m of copper (476.5 ns): taken as that long"));
  const Imported short_one = import("infragraph", data("clos.yaml"));
  for (const std::string& note : short_one.notes) CHECK_THAT(note, !Contains("100 m"));
}

TEST_CASE("InfraGraph: what is wrong is said with its line") {
  const std::string good = file_text(data("clos.yaml"));
  auto wrong = [&](const std::string& from, const std::string& to) {
    return refusal("infragraph", changed(good, from, to));
  };
  CHECK(wrong("device: server", "device: sever") == "34: no device 'sever'");
  CHECK(wrong("\"host[0]\"", "\"host[2]\"") == "38: 'host[2]' reaches beyond what there is (2)");
  CHECK(wrong("\"host[0]\"", "\"host[1]\"") == "42: host[1].nic[0] is joined twice");
  CHECK(wrong("component: nic}\n      ep2: {instance: \"leaf-sw[0]\"",
              "component: fan}\n      ep2: {instance: "
              "\"leaf-sw[0]\"") == "38: no component 'fan' in device 'server'");
  CHECK(wrong("gigabits_per_second: 400", "petabits: 1") ==
        "46: link 'spine-link' between devices has no bandwidth (expected physical.bandwidth in "
        "gigabits_per_second or gigabytes_per_second)");
  CHECK(wrong("count: 4, choice: xpu", "count: -4, choice: xpu") ==
        "7: 'count': '-4' is no number from 1 to 1000000");
  CHECK(wrong("      scheme: one2one\n      link: leaf-link", "      scheme: ring\n      link: leaf-link") ==
        "38: scheme invalid choice 'ring' (one of one2one, many2many)");
  CHECK_THAT(wrong("- name: spine-link", "- name: leaf-link"), Contains(": a second link 'leaf-link'"));
  CHECK_THAT(wrong("{name: leaf-sw, device", "{name: host, device"), Contains("a second instance 'host'"));
  // A device of eight levels, each of which has the next one in twenty components.
  std::string deep = "devices:\n";
  for (int level = 0; level < 8; ++level) {
    deep += fmt::format("  - name: d{}\n    components:\n", level);
    for (int i = 0; i < 20; ++i)
      deep += fmt::format("      - {{name: d{}, choice: device, count: 1}}\n", level + 1);
  }
  deep += "  - name: d8\n    components: [{name: x, choice: xpu, count: 1}]\n";
  CHECK_THAT(refusal("infragraph", deep + "instances:\n  - {name: host, device: d0, count: 1}\n"),
             Contains("more than a million xpus"));
  CHECK_THAT(refusal("infragraph", "a: [1, 2"), Contains("neither YAML nor JSON ("));
  CHECK(refusal("infragraph", "a: 1\na: 2\n") == "2: 'a' is given twice");
  CHECK(refusal("infragraph", "a: &x 1\nb: *x\n") == "2: an alias (*name), which is not read");
  CHECK(refusal("infragraph", "{\"name\": \"x\"}") == "0: no server with GPUs is in it");
  CHECK(refusal("infragraph", std::string(100, '[')) == "1: nested more than 64 levels deep");
}

TEST_CASE("formats and attributes that do not exist are refused") {
  std::vector<std::string> notes;
  auto what = [&](const std::string& format, const std::vector<std::string>& files,
                  const std::vector<Attribute>& attributes) {
    try {
      (void)import_system(format, files, attributes, "", notes);
    } catch (const InputErrors& problem) {
      return problem.errors()[0].what;
    }
    return std::string();
  };
  CHECK(what("visio", {"x"}, {}) ==
        "system import: invalid choice 'visio' (one of infragraph, nccl-topo, ibnetdiscover)");
  CHECK(what("infragraph", {}, {}) == "system import infragraph: 0 files are given (expected one)");
  CHECK(what("infragraph", {"x"}, {{"gpus", "8", "", 0}}) ==
        "system import infragraph: attribute invalid choice 'gpus' (one of gpu; did you mean 'gpu'?)");
  CHECK_THAT(what("nccl-topo", {"x"}, {{"servers", "0", "", 0}}),
             Contains("'servers': '0' is out of range (1 ... 65536)"));
  CHECK_THAT(what("nccl-topo", {"x"}, {{"gpu", "h100", "", 0}}), Contains("'gpu': invalid choice 'h100'"));
}

TEST_CASE("2,000 mutations of each description of a system become a scenario or are refused") {
  const std::vector<std::pair<std::string, std::string>> all{{"ibnetdiscover", "two_rails.ibnetdiscover"},
                                                             {"nccl-topo", "h100_4gpus.nccl.xml"},
                                                             {"infragraph", "clos.yaml"}};
  for (const auto& [format, name] : all) {
    const std::string good = file_text(data(name));
    Random random(1, ComponentId{0}, 0);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) refused += !refusal(format, mutated(good, random)).empty();
    CHECK(refused > 200);
  }
}

TEST_CASE("2,000 mutations of forwarding tables become routes or are refused") {
  const std::string good = file_text(data("two_rails.lfts"));
  const auto path = std::filesystem::temp_directory_path() / ("lightrail_routes_" + std::to_string(getpid()));
  Random random(2, ComponentId{0}, 0);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::ofstream(path, std::ios::binary) << mutated(good, random);
    refused += !refusal("ibnetdiscover", file_text(data("two_rails.ibnetdiscover")),
                        {{"routes", path.string(), "", 0}})
                    .empty();
  }
  std::filesystem::remove(path);
  CHECK(refused > 200);
}
