#include "workloads/generate/training/training_data.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

/// Sixteen GPUs in two servers; 64 sequences a step, of 1,000,000 B each.
MadeJob reading(const std::string& data, const std::string& plan = "", std::uint32_t hosts = 2,
                std::uint32_t storage = 3) {
  return make_job_of("<workload kind=\"training\" global-batch=\"64\" sequence=\"64\" " + plan + ">" +
                         small_model("") + data + "</workload>",
                     16, storage, Prediction::off, hosts);
}

std::string data(const std::string& more = "") {
  return "<data sample-size=\"1 MB\" " + more + "/>";
}

std::vector<Op> reads(const MadeJob& made, std::size_t program = 0) {
  REQUIRE(made.errors == std::vector<std::string>{});
  std::vector<Op> found;
  for (const std::uint32_t i : ops_named(made.job, program, "read samples"))
    found.push_back(made.job.programs.programs[program].ops[i]);
  return found;
}

std::vector<std::uint32_t> before(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  return {program.dependencies.begin() + o.first_dependency,
          program.dependencies.begin() + o.first_dependency + o.dependency_count};
}

bool has_note(const MadeJob& made, const std::string& part) {
  const auto& notes = made.job.notes;
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("data and checkpoints are on the network that they name") {
  const auto on = [](const std::string& network, std::uint32_t frontend) {
    return make_job_of("<workload kind=\"training\" sequence=\"4\" global-batch=\"16\">" + small_model("") +
                           data(network) + "<checkpoint every=\"1\" " + network + "/></workload>",
                       16, 3, Prediction::off, 2, frontend);
  };
  const std::string named = "network=\"frontend\"";
  const MadeJob made = on(named, 2);
  for (const char* name : {"read samples", "write checkpoint"}) {
    const auto ops = ops_named(made.job, 0, name);
    REQUIRE(ops.size() == 1);
    CHECK(made.job.programs.programs[0].ops[ops[0]].peer_mode == PeerMode::frontend);
  }
  const auto is_told = [](const MadeJob& job, const std::string& what) {
    return std::any_of(job.errors.begin(), job.errors.end(),
                       [&](const std::string& error) { return error.find(what) != std::string::npos; });
  };
  for (const std::string what : {"<data>", "<checkpoint>"}) {
    CHECK(is_told(on(named, 0), what + " needs a storage server on the front end, and the system has none "
                                       "(expected <storage for=\"frontend\">)"));
    CHECK(is_told(on("", 3),
                  what + " needs a storage server, and all stand on the front end (network=\"frontend\")"));
  }
}

TEST_CASE("sharded samples are one read a micro-batch from the GPU's own storage server") {
  // 16 replicas, two micro-batches of two sequences.
  const MadeJob made = reading(data(), "micro-batch=\"2\"");
  const auto all = reads(made);
  REQUIRE(all.size() == 2);
  for (const Op& read : all) {
    CHECK(read.kind == OpKind::storage_read);
    CHECK(read.bytes == 2'000'000);
    CHECK((read.peer_mode == PeerMode::offset && read.peer == 0));
    CHECK(made.job.dimensions[read.dimension] == "data");
  }
}

TEST_CASE("shuffled samples are a read each from one storage server after the other") {
  const auto all = reads(reading(data("access=\"shuffled\""), "micro-batch=\"2\""));
  REQUIRE(all.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(all[i].bytes == 1'000'000);
    CHECK((all[i].peer_mode == PeerMode::offset && all[i].peer == static_cast<std::int32_t>(i % 3)));
  }
}

TEST_CASE("the GPUs of a tensor- and context-parallel group read a sample once together") {
  // Four GPUs, rounded up: a quarter of 2,000,006 B of a micro-batch or of 1,000,003 B of a sample. 4
  // replicas: 8 micro-batches.
  const std::string plan = "tp=\"2\" cp=\"2\" micro-batch=\"2\"";
  const MadeJob made = reading("<data sample-size=\"1000003 B\"/>", plan);
  const auto sharded = reads(made);
  REQUIRE(sharded.size() == 8);
  for (const Op& read : sharded) CHECK(read.bytes == 500'002);
  CHECK(has_note(made, "read a part each of a sample"));
  const auto shuffled = reads(reading("<data sample-size=\"1000003 B\" access=\"shuffled\"/>", plan));
  REQUIRE(shuffled.size() == 16);
  for (const Op& read : shuffled) CHECK(read.bytes == 250'001);
}

TEST_CASE("first and last stage read, those between do not") {
  const MadeJob made = reading(data(), "pp=\"4\"");
  for (std::size_t stage = 0; stage < 4; ++stage)
    CHECK(reads(made, stage).size() == (stage == 0 || stage == 3 ? 16 : 0));
}

TEST_CASE("a micro-batch is read when the one so many before it was taken, then made, then copied") {
  for (const bool is_made : {false, true}) {
    INFO(is_made);
    const MadeJob made =
        reading(data("access=\"shuffled\""), std::string("micro-batch=\"2\" loading-ahead=\"1\"") +
                                                 (is_made ? " loading-time=\"3 ms\"" : ""));
    REQUIRE(made.errors == std::vector<std::string>{});
    const Program& program = made.job.programs.programs[0];
    const auto read = ops_named(made.job, 0, "read samples"), copies = ops_named(made.job, 0, "copy batch"),
               taken = ops_named(made.job, 0, "batch"), loads = ops_named(made.job, 0, "load batch");
    REQUIRE((read.size() == 4 && copies.size() == 2 && taken.size() == 2));
    REQUIRE(loads.size() == (is_made ? 2 : 0));
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(program.ops[copies[i]].bytes == 2'000'000);
      CHECK(before(program, taken[i]).back() == copies[i]);
      for (std::size_t sample : {2 * i, 2 * i + 1})
        CHECK(before(program, read[sample]) == std::vector<std::uint32_t>{taken[i]});
      const std::uint32_t last = read[2 * i + 1];
      if (is_made) CHECK(before(program, loads[i]) == std::vector<std::uint32_t>{last});
      // The first was made beside the step before.
      if (i == 0) CHECK(before(program, copies[1]) == std::vector<std::uint32_t>{is_made ? loads[0] : last});
    }
    CHECK(before(program, copies[0]).empty());
  }
}

TEST_CASE("a later epoch reads what host memory has not kept, spread evenly over a step") {
  // 4 samples a replica. Sharded, a server reads a half of 100 GB in an epoch, of which it keeps 12.5 GB;
  // shuffled, it keeps 50 GB of all.
  const std::string later = "epoch=\"later\" dataset=\"100 GB\" ";
  const MadeJob quarter = reading(data(later + "cache=\"12.5 GB\""));
  CHECK(reads(quarter).size() == 3);  // 0.75, 1.5, 2.25 and 3, rounded up: all but the last
  CHECK(before(quarter.job.programs.programs[0], ops_named(quarter.job, 0, "copy batch")[2]) ==
        std::vector<std::uint32_t>{ops_named(quarter.job, 0, "read samples")[0]});
  CHECK(has_note(quarter, "finds 25 % of the samples in the full caches of stage 0"));
  CHECK(has_note(quarter, "of 4 samples of a step each GPU reads its part of 3 from storage"));
  // Two of a micro-batch's four samples.
  const auto half = reads(reading(data(later + "cache=\"25 GB\""), "micro-batch=\"4\""));
  REQUIRE(half.size() == 1);
  CHECK(half[0].bytes == 2'000'000);
  const auto shuffled = reads(reading(data(later + "cache=\"50 GB\" access=\"shuffled\"")));
  REQUIRE(shuffled.size() == 2);
  CHECK((shuffled[0].peer == 0 && shuffled[1].peer == 1));
  CHECK(reads(reading(data(later + "cache=\"50 GB\""))).empty());
  CHECK(reads(reading(data(later + "cache=\"1 TB\" access=\"shuffled\""))).empty());
  // Of two stages each server of one has a stage's whole dataset, of which it keeps half.
  CHECK(reads(reading(data(later + "cache=\"50 GB\""), "pp=\"2\"")).size() == 4);
}

TEST_CASE("missed samples add up to their share whatever the step is cut into") {
  TrainingData data;
  data.epoch = DataEpoch::later;
  data.stage_servers = {7};
  data.dataset = Bytes{1'000'000'000'000'007}, data.cache = Bytes{61'000'000'000'003};
  // 1 - 7 x 61,000,000,000,003 / 1,000,000,000,000,007 = 0.573 ...
  std::int64_t read = 0;
  for (std::int64_t k = 0; k < 100'000; ++k) {
    const std::int64_t one = data.missed(k + 1, 0) - data.missed(k, 0);
    REQUIRE((one == 0 || one == 1));
    read += one;
  }
  CHECK(read == 57'300);  // 57,299.99...
  CHECK(data.missed(1, 0) == 1);
  CHECK(data.kept_share(0) == Approx(0.427));
  data.access = DataAccess::shuffled;
  CHECK(data.missed(100'000, 0) == 93'900);  // 93,899.99...
  data.epoch = DataEpoch::first;
  CHECK(data.missed(100'000, 0) == 100'000);
}

TEST_CASE("data that cannot be read so are refused") {
  const auto is_told = [](const MadeJob& made, const std::string& what) {
    CAPTURE(made.errors, what);
    return std::any_of(made.errors.begin(), made.errors.end(),
                       [&](const std::string& error) { return error.find(what) != std::string::npos; });
  };
  CHECK(is_told(reading(data(), "", 2, 0), "<data> needs a storage server, and the system has none"));
  CHECK(is_told(reading(data(), "", 0), "<data> is copied from host memory, and the system has no <host>"));
  CHECK(is_told(reading(data() + data()), "<workload> has two <data>, expected one"));
  CHECK(is_told(reading(data(), "fold=\"2\""), "<data> with 'fold', which leaves out what storage would"));
  CHECK(is_told(reading(data(), "step-over=\"pipeline\" pp=\"2\""),
                "<data> with step-over=\"pipeline\", which leaves out what storage would"));
  CHECK(is_told(reading("<data/>"), "<data> lacks the required attribute 'sample-size'"));
  CHECK(is_told(reading("<data sample-size=\"0 B\"/>"), "<data> attribute 'sample-size': '0 B' is out of"));
  CHECK(is_told(reading(data("cache=\"1 GB\"")), "'cache': has no effect without epoch=\"later\""));
  CHECK(is_told(reading(data("dataset=\"1 GB\"")), "'dataset': has no effect without epoch=\"later\""));
  CHECK(is_told(reading(data("epoch=\"later\" cache=\"1 GB\"")), "'epoch': 'later' needs 'dataset'"));
  CHECK(is_told(reading(data("epoch=\"later\" dataset=\"1 GB\"")), "'epoch': 'later' needs 'cache'"));
  CHECK(is_told(reading(data("shard=\"2\"")), "<data> has no attribute 'shard'"));
  CHECK(is_told(reading("<data sample-size=\"16 TiB\"/>", "micro-batch=\"2\""),
                "a micro-batch of 2 samples has more than 17592186044416 bytes"));
  const auto batch = [](const std::string& sequences, const std::string& more = "") {
    return make_job_of("<workload kind=\"training\" sequence=\"4\" micro-batch=\"8192\" global-batch=\"" +
                           sequences + "\"" + more + ">" + small_model("") + data("access=\"shuffled\"") +
                           "</workload>",
                       1, 1, Prediction::off, 1);
  };
  CHECK(batch("57344").errors == std::vector<std::string>{});
  CHECK(batch("8192", " eval-interval=\"10\" eval-iters=\"6\"").errors == std::vector<std::string>{});
  CHECK(is_told(batch("8192", " eval-interval=\"10\" eval-iters=\"8\""),
                "'shuffled' has 73728 reads a step and GPU, those of an evaluation (eval-iters) included (at "
                "most 65536)"));
  CHECK(is_told(batch("73728"), "'shuffled' has 73728 reads a step and GPU (at most 65536)"));
}
