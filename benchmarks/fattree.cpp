// A three-tier fat-tree with the real switches and NICs: window engine against reference engine in the same
// run.
#include <fmt/format.h>
#include <string>
#include <utility>

#include "benchmarks/measure.hpp"
#include "benchmarks/traffic_source.hpp"
#include "components/nic/nic.hpp"
#include "components/switch/switch.hpp"
#include "engine/scenario/scenario.hpp"
#include "fabrics/system/build_system.hpp"

using namespace lightrail;

namespace {

struct Size {
  const char *name, *leaf, *group, *radix;
  int share;  ///< of the packets of a host, so that every size takes about as long
};
constexpr Size sizes[] = {
    {"1024", "16", "16", "32", 8}, {"8192", "32", "32", "64", 1}, {"65536", "32", "32", "64", 0}};
struct Grain {
  const char *name, *packets;
};
constexpr Grain grains[] = {{"packet", "1"}, {"train8", "8"}, {"train16", "16"}};

Model build(const Size& size, const Grain& grain, const std::string& pattern) {
  const bool is_permutation = pattern == "permutation";
  // A permutation's hosts send 1 MiB each at 8,192 hosts, an all-to-all's as much in messages of 64 KiB.
  const int units = size.share == 0 ? 1 : 4 * size.share;  // of 256 KiB
  ScenarioOptions options;
  options.catalogue = Catalogue(BENCHMARK_SOURCE "/configs");
  options.settings = {std::string("hosts=") + size.name,
                      std::string("leaf=") + size.leaf,
                      std::string("group=") + size.group,
                      std::string("radix=") + size.radix,
                      std::string("grain=") + grain.packets,
                      "pattern=" + pattern,
                      fmt::format("message={} KiB", is_permutation ? 256 * units : 64),
                      fmt::format("messages={}", is_permutation ? 1 : 4 * units)};
  const Scenario scenario = load_scenario(BENCHMARK_SOURCE "/benchmarks/scenarios/fattree.xml", options);
  KindRegistry kinds;
  for (const auto& kind : {bench::traffic_kind(), nic_kind(), switch_kind()}) kinds.add(kind);
  ErrorList errors;
  Model model = build_system(scenario, kinds, built_in_fabrics(), errors);
  report_unread(scenario.root, errors);
  errors.throw_if_any();
  return model;
}

bool compare_all(const bench::Wanted& wanted) {
  bool is_same = true;
  for (const auto& [workload, pattern] : {std::pair{"fattree", "permutation"}, {"alltoall", "all-to-all"}})
    for (const Size& size : sizes)
      for (const Grain& grain : grains) {
        const std::string name = fmt::format("{}_{}_{}", workload, size.name, grain.name);
        if (wanted.has(name)) is_same &= bench::compare(name, wanted, build(size, grain, pattern));
      }
  return is_same;
}

}  // namespace

/// usage: fattree [NAME]...   as fattree_8192, alltoall_1024_train8; default: all
int main(int argc, char** argv) {
  return bench::main_of(argc, argv, compare_all);
}
