#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// What restarts cost a job in this run (table restarts). Times of all its restarts added up [ps].
struct RestartSummary {
  std::string job;  ///< empty: the only one
  std::int64_t restarts = 0;
  std::string cause, failed;      ///< of the first one: "gpu", "gpu5"
  std::int64_t t_failed_ps = 0;   ///< of the first one
  std::int64_t detection_ps = 0;  ///< from failures until the job was stopped
  std::int64_t waiting_ps = 0;  ///< ... until its communicators were ready: replacement, rendezvous and so on
  std::int64_t load_ps = 0;     ///< ... until the last GPU had read its checkpoint
  std::int64_t warm_up_ps = 0;  ///< ... until the last GPU began its step
  std::int64_t lost_iterations = 0;  ///< done again, the one that was under way included
  std::int64_t effective_ps = 0;     ///< of the steps that no failure has undone
  std::int64_t time_ps = 0;          ///< from the first step's begin to the last one's end

  [[nodiscard]] double effective() const {
    return time_ps > 0 ? static_cast<double>(effective_ps) / static_cast<double>(time_ps) : 0;
  }
};

}  // namespace lightrail
