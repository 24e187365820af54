#include "workloads/import/chakra/chakra_capture.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/chakra_text.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/trace/trace_file.hpp"

using namespace lightrail;

namespace {

/// A kernel of 10 us, an all-reduce over it and beyond, a second one later.
ChakraBytes rank(std::uint64_t first_us, std::uint64_t second_us, bool has_starts = true) {
  const auto at = [&](std::uint64_t us) { return has_starts ? us : 0; };
  return ChakraBytes()
      .node({.id = 1, .duration_us = 10, .start_us = at(1000)})
      .node({.id = 2,
             .type = 7,
             .duration_us = first_us,
             .start_us = at(1005),
             .integers = {{"comm_type", 0}, {"comm_size", 64}}})
      .node({.id = 3,
             .type = 7,
             .duration_us = second_us,
             .start_us = at(1100),
             .integers = {{"comm_type", 0}, {"comm_size", 4096}}});
}

Capture captured(const std::vector<ChakraBytes>& ranks) {
  TraceFolder folder;
  ImportOptions options{"chakra", {}};
  for (std::size_t r = 0; r < ranks.size(); ++r)
    options.files.push_back(folder.plain("t." + std::to_string(r) + ".et", ranks[r].bytes()));
  return imported(options).capture;
}

}  // namespace

TEST_CASE("a Chakra trace whose collectives have durations is a capture, by its fastest members") {
  const Capture capture = captured({rank(20, 50), rank(25, 30)});
  CHECK(capture.fastest_sum_ps == 50'000'000);
  CHECK(capture.fastest_median_ps == 25'000'000);
  CHECK(capture.collectives == 2);
  REQUIRE(capture.kinds.size() == 2);
  CHECK(capture.kinds[1].bytes == 4096);
  CHECK(capture.kinds[1].fastest_sum_ps == 30'000'000);
  CHECK(capture.step_ps == 150'000'000);  // rank 0: 1000 us to 1150 us
  REQUIRE(capture.ranks.size() == 2);
  CHECK(capture.ranks[1].span_ps == 130'000'000);
  CHECK(capture.ranks[1].exposed_ps == 50'000'000);  // 25 + 30 us, of which 5 beside the kernel
  CHECK(capture.ranks[1].other_kernels_ps == 10'000'000);
}

TEST_CASE("without starts collectives alone are a capture, and a collective without duration makes none") {
  const Capture without = captured({rank(20, 50, false), rank(25, 30, false)});
  CHECK(without.fastest_sum_ps == 50'000'000);
  CHECK(without.step_ps == 0);
  CHECK(without.ranks[0].exposed_ps == -1);
  CHECK(captured({rank(20, 50), rank(25, 0)}).ranks.empty());
}

TEST_CASE("kinds and exposed communication survive the way through a trace file") {
  TraceFolder folder;
  ImportOptions options{"chakra", {}};
  for (const char* name : {"t.0.et", "t.1.et"})
    options.files.push_back(folder.plain(name, rank(20, 50).bytes()));
  const Job job = imported(options);
  write_trace(job, folder.path("t.h5"), "a test");
  const Capture read = read_trace(folder.path("t.h5")).capture;
  REQUIRE(read.kinds.size() == 2);
  CHECK(read.kinds[1].bytes == 4096);
  CHECK(read.kinds[1].count == 1);
  CHECK(read.kinds[1].fastest_sum_ps == 50'000'000);
  CHECK(read.ranks.at(1).exposed_ps == job.capture.ranks[1].exposed_ps);
}
