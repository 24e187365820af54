// All-to-all of a mixture of experts on a lossless rail-optimised cluster with adaptive routing: real
// servers, GPUs and collectives, window engine against reference engine in the same run.
#include <string>
#include <utility>

#include "app/cli/build_model.hpp"
#include "benchmarks/measure.hpp"

using namespace lightrail;

namespace {

Model build(const std::string& servers, const std::string& tiers, const std::string& size,
            const std::string& grain) {
  CommandLine line;
  line.command = Command::run;
  line.catalogue = BENCHMARK_SOURCE "/configs";
  line.positional = {BENCHMARK_SOURCE "/benchmarks/scenarios/moe.xml"};
  line.settings = {"servers=" + servers, "tiers=" + tiers, "size=" + size, "grain=" + grain};
  return build_model(load_to_build(line), load_registry({}), line);
}

bool compare_all(const bench::Wanted& wanted) {
  bool is_same = true;
  for (const auto& [grain, packets] : {std::pair{"packet", "1"}, {"train16", "16"}}) {
    const std::string small = std::string("moe_1024_") + grain, large = std::string("moe_10240_") + grain;
    if (wanted.has(small)) is_same &= bench::compare(small, wanted, build("128", "2", "4 MiB", packets));
    if (wanted.has(large)) is_same &= bench::compare(large, wanted, build("1280", "3", "1 MiB", packets));
  }
  return is_same;
}

}  // namespace

/// usage: moe [NAME]...   as moe_10240_packet; default: all
int main(int argc, char** argv) {
  return bench::main_of(argc, argv, compare_all);
}
