#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/program/region_turns.hpp"

#include <catch2/catch.hpp>

namespace lightrail {
namespace {

using Catch::Matchers::Contains;

/// Servers of one GPU each, in regions of `servers`; "ep" joins GPUs of equal index modulo `stages`.
struct Job {
  ProgramSet set;
  ProgramIndexes indexes;
  GroupTable groups;
  Regions regions;
  AddressBook book;
  GroupKindId ep{}, pp{};

  Job(std::uint32_t gpus, std::uint32_t servers, std::uint32_t stages) {
    GroupKind exchanging, line;
    exchanging.name = "ep", line.name = "pp";
    exchanging.digits = {{gpus / stages, stages}}, line.digits = {{stages, 1}};
    ep = groups.add(exchanging, gpus), pp = groups.add(line, gpus);
    book.gpu_count = gpus;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
      book.endpoints.push_back({gpu, Lid{gpu}, 0, 0});
      const std::uint32_t region = gpu / servers;
      if (region == regions.regions.size()) regions.regions.emplace_back();
      regions.place_of_server.push_back({region, gpu % servers});
      regions.regions[region].servers.push_back(gpu);
    }
  }
  Op op(OpKind kind, GroupKindId group, std::int32_t peer = 0) const {
    Op op;
    op.kind = kind, op.group = group, op.peer = peer, op.bytes = 1024;
    op.peer_mode = PeerMode::offset;
    if (kind == OpKind::collective) op.collective = CollectiveType::all_to_all;
    op.dimension = group == ep ? 1 : 0;
    return op;
  }
  Op exchange() const { return op(OpKind::collective, ep); }
  void add(const std::string& role, std::vector<Op> ops) {
    Program program;
    program.role = role;
    program.streams = {"s"};
    program.ops = std::move(ops);
    indexes.of.push_back(make_program_index(program));
    set.programs.push_back(std::move(program));
  }
  /// GPU i runs program i modulo their number.
  std::string problem() {
    for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu)
      set.program_of_gpu.push_back(gpu % static_cast<std::uint32_t>(set.programs.size()));
    return waits_of_regions(set, indexes, groups, regions, book, 1, {"op"});
  }
};

TEST_CASE("stages whose exchanges come one after the other cannot share a region") {
  Job job(4, 4, 2);
  job.add("stage 0", {job.exchange(), job.op(OpKind::send, job.pp, 1)});
  job.add("stage 1", {job.op(OpKind::recv, job.pp, -1), job.exchange()});
  CHECK(
      job.problem() ==
      "the exchanges of a region take turns, and in region 0 exchange 0 of gpu 0 and gpu 1, at op 0 'op' of "
      "program 'stage 1', would wait for each other");
}

TEST_CASE("stages that exchange before one waits for the other may share a region") {
  Job job(4, 4, 2);
  job.add("stage 0", {job.exchange(), job.op(OpKind::send, job.pp, 1), job.exchange()});
  job.add("stage 1", {job.exchange(), job.op(OpKind::recv, job.pp, -1), job.exchange()});
  CHECK(job.problem() == "");
}

TEST_CASE("stages in regions of their own wait for no other region") {
  Job job(2, 1, 2);
  job.add("stage 0", {job.exchange(), job.op(OpKind::send, job.pp, 1)});
  job.add("stage 1", {job.op(OpKind::recv, job.pp, -1), job.exchange()});
  CHECK(job.problem() == "");
}

// Region 0 has GPUs 0, 2 of stage 0 and 5 of stage 1, which waits for GPU 4 in region 1, whose exchange with
// 0 and 2 waits for region 0.
TEST_CASE("stages wait for each other by way of other regions too") {
  Job job(6, 2, 2);
  job.regions.regions[0].servers = {0, 2, 5}, job.regions.regions[1].servers = {4},
  job.regions.regions[2].servers = {1, 3};
  job.regions.place_of_server = {{0, 0}, {2, 0}, {0, 1}, {2, 1}, {1, 0}, {0, 2}};
  job.add("stage 0", {job.exchange(), job.op(OpKind::send, job.pp, 1)});
  job.add("stage 1", {job.op(OpKind::recv, job.pp, -1), job.exchange()});
  CHECK_THAT(job.problem(),
             Contains("in region 0 exchange 0 of gpu 0 and gpu 5, at op 0 'op' of program 'stage 1'"));
}

TEST_CASE("programs of one region need equally many exchanges, or none") {
  Job job(6, 6, 3);
  job.add("two", {job.exchange(), job.exchange()});
  job.add("none", {});
  job.add("one", {job.exchange()});
  CHECK_THAT(job.problem(), Contains("in region 0 gpu 0 has 2 of them, gpu 2 has 1"));
}

TEST_CASE("an exchange that is announced when the one before it ends may wait for what another stage sends") {
  for (const bool is_early : {true, false}) {
    Job job(4, 4, 2);
    job.regions.is_early = is_early;
    job.add("stage 0", {job.exchange(), job.exchange(), job.op(OpKind::send, job.pp, 1)});
    job.add("stage 1", {job.exchange(), job.op(OpKind::recv, job.pp, -1), job.exchange()});
    CHECK(job.problem().empty() == is_early);
  }
}

TEST_CASE("what would wait for ever without circuits too is no fault of the regions") {
  Job job(4, 4, 2);
  job.add("stage 0", {job.op(OpKind::recv, job.pp, 1), job.exchange(), job.op(OpKind::send, job.pp, 1)});
  job.add("stage 1", {job.op(OpKind::recv, job.pp, -1), job.exchange(), job.op(OpKind::send, job.pp, -1)});
  CHECK(job.problem() == "");
}

}  // namespace
}  // namespace lightrail
