#include "components/supervisor/supervised_job.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

using namespace lightrail;

TEST_CASE("a checkpoint counts when all GPUs have written their parts of it") {
  SupervisedJob job;
  CHECK(!job.in_storage.add(1, 2));
  CHECK(job.in_storage.last == -1);
  CHECK(!job.in_storage.add(3, 2));  // a GPU that is ahead
  CHECK(job.in_storage.add(1, 2));
  CHECK(job.in_storage.last == 1);
  CHECK(job.in_storage.add(3, 2));
  CHECK(job.in_storage.last == 3);
  CHECK(job.in_storage.parts.empty());
}

TEST_CASE("what failed servers kept in memory is there again with the next checkpoint of their attempt") {
  SupervisedJob job;
  job.lost_memories = {{3, 1}, {5, 2}};  // lost when attempts 1 and 2 began
  job.add_in_memory(6, 2, 1);
  CHECK(job.lost_memories.size() == 2);  // not complete
  job.add_in_memory(6, 2, 1);
  CHECK(job.in_memory.last == 6);
  CHECK(job.lost_memories == std::map<std::uint32_t, std::uint32_t>{{5, 2}});
  job.add_in_memory(7, 1, 2);
  CHECK(job.lost_memories.empty());
}

TEST_CASE("a job that has ended or cannot go on is over") {
  SupervisedJob job;
  CHECK(!job.is_over());
  job.state = SupervisedJob::State::beginning;
  CHECK(!job.is_over());
  job.state = SupervisedJob::State::lost;
  CHECK(job.is_over());
  job.state = SupervisedJob::State::ended;
  CHECK(job.is_over());
}

TEST_CASE("what a supervisor knows of a job goes through a checkpoint") {
  SupervisedJob job;
  job.state = SupervisedJob::State::halted;
  job.attempt = 3, job.in_storage.last = 8, job.decided_at = microseconds(5), job.in_memory.parts[9] = 4;
  job.lost_memories[7] = 2;
  job.restart.cause = RestartCause::timeout, job.restart.reached = 10;
  StateWriter out;
  job.save(out);
  SupervisedJob loaded;
  StateReader in(out.bytes());
  loaded.load(in);
  CHECK(in.is_at_end());
  StateWriter again;
  loaded.save(again);
  CHECK(std::vector<std::byte>(out.bytes().begin(), out.bytes().end()) ==
        std::vector<std::byte>(again.bytes().begin(), again.bytes().end()));
}
