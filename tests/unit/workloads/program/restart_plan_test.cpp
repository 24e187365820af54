#include "workloads/program/restart_plan.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

namespace {

Op restoring(OpKind kind, std::int32_t peer, std::uint32_t distance = 0) {
  Op op{.kind = kind, .io = IoMode::in_memory, .peer = peer, .restores = true};
  if (kind == OpKind::host_copy) op.root = distance;
  return op;
}

}  // namespace

TEST_CASE("who keeps its state copies it, who has lost it gets it from the next one that keeps it") {
  const LostMemories lost{0b0110, 4};  // members 1 and 2
  CHECK(!lost.has_lost_all());
  for (std::uint32_t me = 0; me < 4; ++me) {
    CHECK(lost.needs(restoring(OpKind::host_copy, 1), me) == (me == 0 || me == 3));
    // Member 3 gives members 1 and 2 theirs, which are 2 and 1 before it.
    for (std::uint32_t distance = 1; distance < 4; ++distance) {
      const auto far = static_cast<std::int32_t>(distance);
      const bool gives = me == 3 && distance <= 2;
      CHECK(lost.needs(restoring(OpKind::host_copy, 1, distance), me) == gives);
      CHECK(lost.needs(restoring(OpKind::send, -far), me) == gives);
      CHECK(lost.needs(restoring(OpKind::recv, far), me) ==
            ((me == 1 && distance == 2) || (me == 2 && distance == 1)));
    }
  }
}

TEST_CASE("whatever a group has lost, each that lost its state receives it once and somebody sends it") {
  for (std::uint32_t size = 2; size <= max_memory_copies; ++size)
    for (std::uint32_t members = 0; members + 1 < 1u << size; ++members) {
      const LostMemories lost{members, size};
      for (std::uint32_t me = 0; me < size; ++me) {
        std::uint32_t received = 0;
        for (std::uint32_t distance = 1; distance < size; ++distance) {
          const auto far = static_cast<std::int32_t>(distance);
          const bool receives = lost.needs(restoring(OpKind::recv, far), me);
          received += receives;
          CHECK(lost.needs(restoring(OpKind::send, -far), (me + distance) % size) == receives);
        }
        CHECK(received == (lost.has_lost(me) ? 1 : 0));
      }
    }
  CHECK(LostMemories{0xff, 8}.has_lost_all());
}

TEST_CASE("what goes to memory is of the step before, so the first step has none") {
  Op send{.kind = OpKind::send, .io = IoMode::in_idle_time};
  send.every = 3;
  CHECK(!send.is_due(0));
  CHECK(send.is_due(3));
  CHECK(!send.is_due(4));
  send.restores = true;
  CHECK(!send.is_due(3));
}

TEST_CASE("writes to storage from the host and copies that stay there are parts of checkpoints") {
  CHECK(saves_state({.kind = OpKind::storage_write, .io = IoMode::background}));
  CHECK(!saves_state({.kind = OpKind::storage_write}));
  CHECK(saves_state({.kind = OpKind::host_copy, .io = IoMode::in_idle_time}));
  CHECK(!saves_state({.kind = OpKind::host_copy}));
  CHECK(!saves_state({.kind = OpKind::send, .io = IoMode::in_idle_time}));
  CHECK(!saves_state(restoring(OpKind::host_copy, 1)));
}
