#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/import/kineto/capture_comparison.hpp"
#include "workloads/trace/trace_columns.hpp"

using namespace lightrail;

namespace {

using Numbers = std::vector<std::int64_t>;
constexpr std::int64_t compute = static_cast<std::int64_t>(OpKind::compute),
                       host = static_cast<std::int64_t>(OpKind::host);

/// GPUs 4 and 6 replay ranks 0 and 1: a kernel each, and two equal all-reduces.
void write_result(const std::string& path, bool has_collectives, Numbers op_ends = {100, 400, 330, 990, 999},
                  Numbers collective_ends = {340, 120, 120, 340}) {
  TraceWriter out(path);
  out.group("/tables");
  out.group("/tables/ops");
  out.numbers("/tables/ops/gpu", {4, 4, 6, 6, 7});
  out.numbers("/tables/ops/kind", {host, compute, compute, compute, compute});
  out.numbers("/tables/ops/iteration", {0, 0, 0, 1, 0});
  out.numbers("/tables/ops/t_start_ps", {0, 100, 50, 900, 0}, "ps");
  out.numbers("/tables/ops/t_end_ps", op_ends, "ps");
  if (has_collectives) {
    out.group("/tables/collectives");
    out.numbers("/tables/collectives/gpu", {4, 4, 6, 6});
    out.numbers("/tables/collectives/group", {0, 0, 0, 0});
    out.numbers("/tables/collectives/collective", {1, 1, 1, 1});
    out.numbers("/tables/collectives/size_bytes", {8, 8, 8, 8}, "B");
    out.numbers("/tables/collectives/t_start_ps", {300, 100, 60, 310}, "ps");
    out.numbers("/tables/collectives/t_end_ps", collective_ends, "ps");
  }
  out.close();
}

Capture captured() {
  Capture capture;
  capture.ranks = {{4, 250, 0, 0}, {6, 280, 0, 0}};
  capture.step_ps = 500;
  capture.fastest_median_ps = 20;
  capture.fastest_sum_ps = 40;
  return capture;
}

}  // namespace

TEST_CASE(
    "replayed spans leave the CPU and later iterations out, and a collective counts by its fastest member") {
  TraceFolder folder;
  write_result(folder.path("r.h5"), true);
  ReplayFigures replay = read_replay(captured(), folder.path("r.h5"));
  CHECK(replay.span_ps == Numbers{300, 280});
  CHECK(replay.step_ps == 400);
  CHECK(replay.collectives == 2);
  CHECK(replay.fastest_sum_ps == 20 + 30);
  CHECK(replay.fastest_median_ps == 25);
  std::string text = comparison_text(captured(), replay);
  CHECK_THAT(text,
             Catch::Contains("step ") && Catch::Contains("-20.00 %") && Catch::Contains("GPU span, rank 1 "));
  CHECK_THAT(text, Catch::Contains("collective, median") && Catch::Contains("+25.00 %"));
}

TEST_CASE("kinds of collectives and exposed communication are compared where the capture has them") {
  TraceFolder folder;
  TraceWriter out(folder.path("r.h5"));
  out.group("/tables");
  out.group("/tables/ops");
  constexpr std::int64_t collective = static_cast<std::int64_t>(OpKind::collective);
  // GPU 4: a kernel from 0 to 100, a collective from 60 to 180: 80 exposed. GPU 6 the same, 20 later.
  out.numbers("/tables/ops/gpu", {4, 4, 6, 6});
  out.numbers("/tables/ops/kind", {compute, collective, compute, collective});
  out.numbers("/tables/ops/iteration", {0, 0, 0, 0});
  out.numbers("/tables/ops/t_start_ps", {0, 60, 0, 60}, "ps");
  out.numbers("/tables/ops/t_end_ps", {100, 180, 100, 200}, "ps");
  out.group("/tables/collectives");
  const auto all_reduce = static_cast<std::int64_t>(CollectiveType::all_reduce);
  out.numbers("/tables/collectives/gpu", {4, 6});
  out.numbers("/tables/collectives/group", {0, 0});
  out.numbers("/tables/collectives/collective", {all_reduce, all_reduce});
  out.numbers("/tables/collectives/size_bytes", {8, 8}, "B");
  out.numbers("/tables/collectives/t_start_ps", {60, 60}, "ps");
  out.numbers("/tables/collectives/t_end_ps", {180, 200}, "ps");
  out.close();
  Capture capture = captured();
  capture.ranks[0].exposed_ps = capture.ranks[1].exposed_ps = 100;
  capture.kinds = {{CollectiveType::all_reduce, 8, 1, 100}, {CollectiveType::all_gather, 64, 3, 20}};
  const ReplayFigures replay = read_replay(capture, folder.path("r.h5"));
  CHECK(replay.exposed_ps == Numbers{80, 100});
  REQUIRE(replay.kinds.size() == 1);
  CHECK(replay.kinds[0].fastest_sum_ps == 120);
  const std::string text = comparison_text(capture, replay);
  CHECK_THAT(text, Catch::Contains("exposed communication, mean") && Catch::Contains("-10.00 %"));
  CHECK_THAT(text, Catch::Contains("8 B x 1") && Catch::Contains("+20.00 %"));
  CHECK_THAT(text, Catch::Contains("64 B x 3") && Catch::Contains("not simulated"));
}

TEST_CASE("a result without the tables cannot be compared") {
  TraceFolder folder;
  write_result(folder.path("r.h5"), false);
  CHECK_THROWS_WITH(read_replay(captured(), folder.path("r.h5")),
                    Catch::Contains("lacks /tables/collectives/gpu"));
}

TEST_CASE("a result whose columns differ in length cannot be compared") {
  TraceFolder folder;
  write_result(folder.path("r.h5"), true, {100, 400});
  CHECK_THROWS_WITH(read_replay(captured(), folder.path("r.h5")),
                    Catch::Contains("r.h5: /tables/ops columns differ in length"));
  write_result(folder.path("s.h5"), true, {100, 400, 330, 990, 999}, {340});
  CHECK_THROWS_WITH(read_replay(captured(), folder.path("s.h5")),
                    Catch::Contains("s.h5: /tables/collectives columns differ in length"));
}

TEST_CASE("of one captured rank the comparison says whose times these are") {
  Capture capture = captured();
  capture.ranks = {{3, 250, 0, 0}};
  ReplayFigures replay;
  replay.span_ps = {240}, replay.exposed_ps = {-1};
  replay.step_ps = 400, replay.fastest_median_ps = 25, replay.fastest_sum_ps = 50;
  const std::string text = comparison_text(capture, replay);
  CHECK_THAT(text, Catch::Contains("GPU span, GPU 3 "));
  CHECK_THAT(text, Catch::EndsWith("  (one rank was captured: what its collectives took has its waiting for "
                                   "the others in it)\n"));
}
