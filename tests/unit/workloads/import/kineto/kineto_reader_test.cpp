#include <catch2/catch.hpp>

#include <sstream>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/kineto/kineto_reader.hpp"

using namespace lightrail;

TEST_CASE("microseconds become nanoseconds exactly") {
  CHECK(nanoseconds_of_microseconds("1706850122846038") == 1706850122846038000);
  CHECK(nanoseconds_of_microseconds("1706850122846038.123") == 1706850122846038123);
  CHECK(nanoseconds_of_microseconds("0.5") == 500);
  CHECK(nanoseconds_of_microseconds("-5") == -5000);
  CHECK(nanoseconds_of_microseconds("1.5e3") == 1500000);
  CHECK(!nanoseconds_of_microseconds("99999999999999999999"));
  CHECK(!nanoseconds_of_microseconds("1e30"));
}

TEST_CASE("events arrive in file order with the arguments that a replay needs") {
  std::stringbuf text(
      R"({"a": {"traceEvents": [1]}, "distributedInfo": {"rank": 3, "pg": [[0, 1], {"x": "y\"z"}]},
    "traceEvents": [
      {"ph": "X", "cat": "kernel", "name": "k", "tid": "seven", "ts": 1.25, "dur": 2,
       "args": {"stream": 7, "correlation": 9, "deep": {"stream": 1, "args": {"stream": 2}}, "Input Dims": [[4, [2]], []],
                "Process Group Ranks": "[0, 1]", "In msg nelems": 12}},
      {"ph": "M"}, {"args": {"correlation": 4}, "ph": "X", "tid": 5}], "z": [{"ph": "no"}]})");
  std::vector<KinetoEvent> events;
  KinetoHeader header = read_kineto(text, "f", [&](const KinetoEvent& e) { events.push_back(e); });
  CHECK(header.distributed_info == R"({"rank":3,"pg":[[0,1],{"x":"y\"z"}]})");
  REQUIRE(events.size() == 3);
  CHECK(events[0].start_ns == 1250);
  CHECK(events[0].duration_ns == 2000);
  CHECK(events[0].thread == "seven");
  CHECK(events[0].stream == 7);
  CHECK(events[0].input_dims == "[[4,[2]],[]]");
  CHECK(events[0].group_ranks == "[0, 1]");
  CHECK(events[0].in_elements == 12);
  CHECK(events[1].index == 1);
  CHECK(!events[1].start_ns);
  CHECK(events[2].correlation == 4);
  CHECK(events[2].thread == "5");
}

TEST_CASE("text that is no trace is refused with the place") {
  auto refuse = [](const char* json) -> std::string {
    std::stringbuf text(json);
    try {
      (void)read_kineto(text, "f.json", [](const KinetoEvent&) {});
      return "";
    } catch (const InputErrors& problem) {
      return to_string(problem.errors()[0]);
    }
  };
  CHECK(refuse("{}") == "f.json: no 'traceEvents' (expected a Kineto trace in Chrome JSON)");
  CHECK(refuse("[]") == "f.json: no 'traceEvents' (expected a Kineto trace in Chrome JSON)");
  CHECK_THAT(refuse("{\"traceEvents\": [{}, {\"ph\": "),
             Catch::StartsWith("f.json: broken JSON after event 2, at byte "));
  CHECK_THAT(refuse("hello"), Catch::StartsWith("f.json: broken JSON after event 0, at byte "));
  CHECK(refuse("{\"traceEvents\": [{\"name\": \"k\", \"ts\": 1e30}]}") ==
        "f.json: event 0 'k': time 1e30 us is out of range");
}
