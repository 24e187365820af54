#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/algorithm_named.hpp"
#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;
using Errors = std::vector<std::string>;

namespace {

MadeJob program(const std::string& ops, std::uint32_t gpus = 4, std::uint32_t storage_servers = 0) {
  return make_job_of(
      "<groups><group name=\"tp\" count=\"2\"/></groups><workload kind=\"explicit\"><program gpus=\"all\" "
      "role=\"r\">" +
          ops + "</program></workload>",
      gpus, storage_servers);
}

}  // namespace

TEST_CASE("operations are read with streams, dependencies and dimensions") {
  MadeJob made = program(
      "<op kind=\"host\" id=\"h\" duration=\"3 us\"/>"
      "<op kind=\"compute\" id=\"c\" name=\"kernel\" duration=\"5 us\" after=\"h\"/>"
      "<op kind=\"collective\" collective=\"all-reduce\" group=\"tp\" size=\"64 KiB\" stream=\"nccl\" "
      "after=\"c h\" algorithm=\"ring\" protocol=\"ll\"/>"
      "<op kind=\"send\" peer=\"+1\" size=\"8 B\"/><op kind=\"recv\" peer=\"-1\" size=\"8 B\"/>"
      "<op kind=\"storage-read\" server=\"1\" size=\"1 MB\"/>"
      "<op kind=\"gemm\" m=\"128\" n=\"64\" k=\"32\"/><op kind=\"gemm\" m=\"128\" n=\"64\" k=\"32\"/>"
      "<op kind=\"marker\" name=\"end\"/>",
      4, 2);
  REQUIRE(made.errors == Errors{});
  const Program& p = made.job.programs.programs[0];
  REQUIRE(p.ops.size() == 9);
  CHECK(p.streams == std::vector<std::string>{"host", "compute", "nccl"});
  CHECK(p.ops[1].duration == microseconds(5));
  CHECK(made.job.names[p.ops[1].name] == "kernel");
  const Op& reduce = p.ops[2];
  CHECK(reduce.bytes == 65'536);
  CHECK(reduce.algorithm == algorithm_named("ring"));
  CHECK(reduce.protocol == Protocol::ll);
  CHECK(made.job.dimensions[reduce.dimension] == "tp");
  REQUIRE(reduce.dependency_count == 2);
  CHECK(p.dependencies[reduce.first_dependency] == 1);
  CHECK(p.dependencies[reduce.first_dependency + 1] == 0);
  CHECK(p.ops[3].peer_mode == PeerMode::offset);
  CHECK(p.ops[4].peer == -1);
  CHECK(p.ops[5].peer == 1);
  CHECK(p.ops[6].shape == p.ops[7].shape);
  CHECK(made.job.programs.shapes.size() == 1);
}

TEST_CASE("repeat writes its operations again and ids mean the latest") {
  MadeJob made = program(
      "<repeat count=\"3\"><op kind=\"compute\" id=\"c\" duration=\"1 us\"/><op kind=\"marker\" "
      "after=\"c\"/></repeat>");
  REQUIRE(made.errors == Errors{});
  const Program& p = made.job.programs.programs[0];
  REQUIRE(p.ops.size() == 6);
  CHECK(p.dependencies == std::vector<std::uint32_t>{0, 2, 4});
}

TEST_CASE("an empty program is legal, and GPUs without a program are idle") {
  MadeJob made =
      make_job_of("<workload kind=\"explicit\" iterations=\"7\"><program gpus=\"1\"/></workload>", 2);
  REQUIRE(made.errors == Errors{});
  CHECK(made.job.programs.iterations == 7);
  CHECK(made.job.programs.programs[made.job.programs.program_of_gpu[1]].role == "program");
  CHECK(made.job.programs.programs[made.job.programs.program_of_gpu[0]].role == "idle");
}

TEST_CASE("a wrong operation is refused with line, attribute and values") {
  struct Bad {
    const char* op;
    const char* message;
  };
  auto bad = GENERATE(
      Bad{"<op/>", "<op> lacks the required attribute 'kind'"},
      Bad{"<op kind=\"computes\"/>", "<op> attribute 'kind': invalid choice 'computes'"},
      Bad{"<op kind=\"compute\"/>", "<op> lacks the required attribute 'duration'"},
      Bad{"<op kind=\"compute\" duration=\"-5 us\"/>",
          "<op> attribute 'duration': invalid time '-5 us' (must not be negative)"},
      Bad{"<op kind=\"compute\" duration=\"5\"/>", "<op> attribute 'duration': invalid time '5'"},
      Bad{"<op kind=\"host\" stream=\"compute\" duration=\"5 us\"/>",
          "<op> attribute 'stream': an operation of kind 'host' cannot run on stream 'compute'"},
      Bad{"<op kind=\"compute\" stream=\"host 1\" duration=\"5 us\"/>",
          "<op> attribute 'stream': an operation of kind 'compute' cannot run on stream 'host 1'"},
      Bad{"<op kind=\"marker\" after=\"x\"/>",
          "<op> attribute 'after': no earlier operation has the id 'x' ("},
      Bad{"<op kind=\"marker\" id=\"x\"/><op kind=\"marker\" id=\"x\"/>",
          "<op> attribute 'id': 'x' is already the id of another operation"},
      Bad{"<op kind=\"collective\" size=\"1 B\"/>",
          "<op> of kind 'collective' lacks the attribute 'collective'"},
      Bad{"<op kind=\"collective\" collective=\"all-gather\"/>",
          "<op> all-gather lacks the attribute 'size'"},
      Bad{"<op kind=\"collective\" collective=\"all-gather\" size=\"-1 B\"/>",
          "<op> attribute 'size': invalid size '-1 B' (must not be negative)"},
      Bad{"<op kind=\"collective\" collective=\"all-gather\" size=\"1000000000000000000 B\"/>",
          "<op> attribute 'size': '1000000000000000000 B' is out of range"},
      Bad{"<op kind=\"collective\" collective=\"broadcast\" group=\"tp\" root=\"2\" size=\"1 B\"/>",
          "<op> attribute 'root': 2 is not in a group of 2"},
      Bad{"<op kind=\"collective\" collective=\"broadcast\" group=\"tpp\" size=\"1 B\"/>",
          "<op> attribute 'group': unknown group: invalid choice 'tpp'"},
      Bad{"<op kind=\"send\" peer=\"4\" size=\"1 B\"/>", "<op> attribute 'peer': 4 is not in a group of 4"},
      Bad{"<op kind=\"send\" peer=\"x\" size=\"1 B\"/>",
          "<op> attribute 'peer': invalid peer 'x' (expected an index, or an offset as +1 or -1)"},
      Bad{"<op kind=\"recv\" peer=\"1\" size=\"0 B\"/>", "<op> attribute 'size': '0 B' is out of range"},
      Bad{"<op kind=\"storage-read\" size=\"1 B\"/>",
          "<op> attribute 'server': storage server 0 does not exist (the system has 0)"},
      Bad{"<op kind=\"host-copy\" size=\"1 B\"/>", "<op> host-copy needs a host, and the system has none"},
      Bad{"<op kind=\"marker\" size=\"1 B\"/>", "<op> has no attribute 'size'"},
      Bad{"<repeat><op kind=\"marker\"/></repeat>", "<repeat> attribute 'count': is required"},
      Bad{"<repeat count=\"1000000\"><repeat count=\"1000000\"><op kind=\"marker\"/></repeat></repeat>",
          "program 'r' has over 1000000 operations"});
  CAPTURE(bad.op);
  MadeJob made = program(bad.op);
  REQUIRE(!made.errors.empty());
  CHECK_THAT(made.errors[0], Catch::StartsWith(std::string("1: ") + bad.message));
}

TEST_CASE("a wrong program is refused") {
  auto errors = [](const std::string& programs) {
    return make_job_of("<workload kind=\"explicit\">" + programs + "</workload>", 4).errors;
  };
  CHECK(errors("<program/>") == Errors{"1: <program> lacks the required attribute 'gpus'"});
  CHECK(errors("<program gpus=\"4\"/>") ==
        Errors{"1: <program> attribute 'gpus': gpu 4 does not exist (there are 4 GPUs)"});
  CHECK(errors("<program gpus=\"0-2\"/>\n<program gpus=\"2\"/>") ==
        Errors{"2: <program> attribute 'gpus': gpu 2 already has the program of line 1"});
  CHECK(errors("<program gpus=\"0\" memory=\"-1 GB\"/>") ==
        Errors{"1: <program> attribute 'memory': invalid size '-1 GB' (must not be negative)"});
}

TEST_CASE("an FP8 product may say that rows and columns have scales") {
  const std::string gemm = "<op kind=\"gemm\" m=\"8\" n=\"8\" k=\"8\" dtype=\"fp8\"";
  MadeJob made =
      make_job_of("<workload kind=\"explicit\"><program gpus=\"0\">" + gemm + "/>" + gemm +
                      " scaling=\"rowwise\"/>" + gemm + " scaling=\"tensorwise\"/></program></workload>",
                  1);
  REQUIRE(made.errors.empty());
  const auto& ops = made.job.programs.programs[0].ops;
  CHECK(ops[0].shape == ops[2].shape);
  CHECK(made.job.programs.shapes[ops[0].shape].scaling == Scaling::tensorwise);
  CHECK(made.job.programs.shapes[ops[1].shape].scaling == Scaling::rowwise);
}
