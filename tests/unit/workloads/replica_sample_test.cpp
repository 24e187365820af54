#include "workloads/replica_sample.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

GroupKind kind(const char* name, GroupKind::Digit digit) {
  return {name, {digit}, {}};
}
GroupKind copies(const char* name, GroupKind::Digit digit, std::uint32_t stands_for = 1) {
  return {name, {digit}, {}, stands_for, true};
}

ProgramSet stages(std::vector<std::uint32_t> program_of_gpu) {
  ProgramSet set;
  set.program_of_gpu = std::move(program_of_gpu);
  return set;
}

}  // namespace

TEST_CASE("GPUs of one program at the same place of every group but those of replicas do the same work") {
  // Two stages of two replicas of two tensor-parallel GPUs: 0 1, 2 3 and 4 5, 6 7.
  GroupTable groups;
  groups.add(kind("world", {8, 1}), 8);
  groups.add(kind("tp", {2, 1}), 8);
  const ProgramSet programs = stages({0, 0, 0, 0, 1, 1, 1, 1});
  CHECK_FALSE(replica_sample(groups, programs));
  groups.add(copies("dp", {2, 2}, 5), 8);
  const auto sample = replica_sample(groups, programs);
  REQUIRE(sample);
  CHECK(sample->stands_for == 5);
  CHECK(sample->work_of_gpu == std::vector<std::uint32_t>{0, 1, 0, 1, 2, 3, 2, 3});
}

TEST_CASE("members of an expert-parallel group have work of their own") {
  GroupTable groups;
  groups.add(kind("ep", {2, 1}), 4);
  groups.add(copies("dp", {4, 1}, 3), 4);
  const auto sample = replica_sample(groups, stages({0, 0, 0, 0}));
  REQUIRE(sample);
  CHECK(sample->work_of_gpu == std::vector<std::uint32_t>{0, 1, 0, 1});
}

TEST_CASE("replicas of a whole job do the same work, and without any there is nothing to compare") {
  GroupTable groups;
  groups.add(kind("tp", {2, 1}), 4);
  CHECK_FALSE(replica_sample(groups, stages({0, 0, 0, 0})));
  groups.add(copies("dp", {2, 2}), 4);
  const auto sample = replica_sample(groups, stages({0, 0, 0, 0}));
  REQUIRE(sample);
  CHECK(sample->stands_for == 1);
  CHECK(sample->work_of_gpu == std::vector<std::uint32_t>{0, 1, 0, 1});
  CHECK_FALSE(replica_sample(groups, stages({0, 1, 2, 3})));
}
