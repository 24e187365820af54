#include "app/study/study_table.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace lightrail;

namespace {

constexpr const char* summary =
    R"({"status": "complete", "seed": 7, "step_time_ps": 12, "share": 0.25, "energy_j": null,
  "serving": {"requests": 2, "ttft": {"p50_ps": 5}}, "waits": ["a", "b"], "forecast": [],
  "collectives": [{"collective": "all-reduce", "size_bytes": 8}, {"collective": "all-gather", "size_bytes": 9}]})";

}  // namespace

TEST_CASE("a row a point, whatever became of it") {
  const std::vector<StudyPoint> points{{0, {"rate=400 Gb/s", "seed=1"}, "k0", ""},
                                       {1, {"rate=a, \"b\"", "seed=1"}, "k1", ""},
                                       {2, {"rate=1 Gb/s"}, "k2", ""},
                                       {3, {"rate=fast"}, "", "error: s.xml:3: no rate"}};
  const std::vector<PointRecord> records{{PointRecord::State::complete, 0, "", summary},
                                         {PointRecord::State::failed, 3, "error: deadlock", ""},
                                         {},
                                         {}};
  const auto tables = study_tables(points, records, StudyFolder("nowhere"));
  CHECK(tables.at("") ==
        "point,rate,seed,status,error,summary_seed,step_time_ps,share,serving_requests,"
        "serving_ttft_p50_ps,waits\n"
        "0,400 Gb/s,1,complete,,7,12,0.25,2,5,a; b\n"
        "1,\"a, \"\"b\"\"\",1,exit code 3,error: deadlock,,,,,,\n"
        "2,1 Gb/s,,not run,,,,,,,\n"
        "3,fast,,exit code 2,error: s.xml:3: no rate,,,,,,\n");
  CHECK(tables.at("_collectives") ==
        "point,rate,seed,collective,size_bytes\n"
        "0,400 Gb/s,1,all-reduce,8\n"
        "0,400 Gb/s,1,all-gather,9\n");
  CHECK(tables.size() == 2);
}
