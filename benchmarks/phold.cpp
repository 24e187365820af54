// PHOLD with the parameters of ROSS: window engine against reference engine in the same run.
#include <cstdint>
#include <string>

#include "benchmarks/measure.hpp"
#include "tests/support/phold.hpp"

using namespace lightrail;

namespace {

/// `count` components with one event each, about `events` events in all.
bool run(const bench::Wanted& wanted, const std::string& name, std::uint32_t count, std::int64_t events) {
  if (!wanted.has(name)) return true;
  // An event moves on by 0.1 + 1.0 us on average.
  return bench::compare(name, wanted, test::make_phold(count, 4, 16, 1), nanoseconds(1100 * events / count));
}

bool compare_all(const bench::Wanted& wanted) {
  bool is_same = run(wanted, "phold_1k", 1 << 10, 10'000'000);
  is_same &= run(wanted, "phold_64k", 1 << 16, 10'000'000);
  is_same &= run(wanted, "phold_1m", 1 << 20, 10'000'000);
  return is_same;
}

}  // namespace

/// usage: phold [NAME]...   as phold_64k; default: all
int main(int argc, char** argv) {
  return bench::main_of(argc, argv, compare_all);
}
