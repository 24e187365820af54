#include "components/supervisor/supervised_job.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <vector>

using namespace lightrail;

TEST_CASE("a checkpoint counts when all GPUs have written their parts of it") {
  SupervisedJob job;
  job.add_save(1, 2);
  CHECK(job.last_saved == -1);
  job.add_save(3, 2);  // a GPU that is ahead
  job.add_save(1, 2);
  CHECK(job.last_saved == 1);
  job.add_save(3, 2);
  CHECK(job.last_saved == 3);
  CHECK(job.saves.empty());
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
  job.attempt = 3, job.last_saved = 8, job.decided_at = microseconds(5), job.saves[9] = 4;
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
