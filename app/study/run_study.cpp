#include "app/study/run_study.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <list>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "app/study/child_process.hpp"
#include "engine/base/error.hpp"
#include "engine/sync/stop_requests.hpp"

namespace lightrail {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::milliseconds(20);

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What is wrong with a scenario, and what a system fails of, is the same again the next time.
bool may_end_otherwise(int code) {
  return code != 0 && code != static_cast<int>(ExitCode::input) &&
         code != static_cast<int>(ExitCode::simulation) && code != static_cast<int>(ExitCode::resumable);
}

struct RunningPoint {
  const StudyPoint* point;
  LockedLog log;
  ChildProcess process;
  Clock::time_point begin;
  std::size_t tries_left;
};

class Study {
 public:
  Study(const StudyPlan& plan, const std::vector<StudyPoint>& points, const StudyFolder& folder,
        StudyProgress& progress)
      : plan_(plan), points_(points), folder_(folder), progress_(progress) {
    facts_.points = points.size();
    facts_.jobs = plan.jobs;
    for (const StudyPoint& point : points) waiting_.push_back({&point, plan.retries});
  }

  int run() {
    const StopRequests requests(true, 0);
    bool is_stopping = false;
    while (!waiting_.empty() || !running_.empty()) {
      if (requests.code() != 0 && !is_stopping) {
        is_stopping = true;
        if (!waiting_.empty()) worst_ = static_cast<int>(ExitCode::resumable);
        waiting_.clear();
        for (const RunningPoint& one : running_) one.process.stop();
      }
      bool has_news = start_some();
      has_news |= end_some(is_stopping);
      draw();
      if (!has_news) std::this_thread::sleep_for(patience);
    }
    progress_.clear();
    return worst_;
  }

 private:
  struct Waiting {
    const StudyPoint* point;
    std::size_t tries_left;
  };
  enum class Start { begun, known, busy };

  Start start(const Waiting& next) {
    const StudyPoint& point = *next.point;
    if (point.key.empty())
      return count(point, {PointRecord::State::failed, 2, point.problem, ""}, 0), Start::known;
    folder_.make(point.key);
    LockedLog log(folder_.log(point.key).string());
    if (!log.is_held()) return Start::busy;
    const PointRecord record = folder_.read(point.key);
    if (record.is_final()) return known(record), Start::known;
    log.clear();
    ChildProcess process(run_words(plan_, point, folder_), log);
    running_.push_back({&point, std::move(log), process, Clock::now(), next.tries_left});
    return Start::begun;
  }

  /// Whether anything began. Those that another process runs wait behind the others.
  bool start_some() {
    bool has_news = false;
    for (std::size_t tries = waiting_.size(); tries > 0 && running_.size() < plan_.jobs; --tries) {
      const Waiting next = waiting_.front();
      waiting_.pop_front();
      if (start(next) == Start::busy)
        waiting_.push_back(next);
      else
        has_news = true;
    }
    return has_news;
  }

  bool end_some(bool is_stopping) {
    bool has_news = false;
    for (auto one = running_.begin(); one != running_.end();) {
      const std::optional<int> code = one->process.poll();
      if (!code) {
        ++one;
        continue;
      }
      has_news = true;
      const RunningPoint ended = std::move(*one);
      one = running_.erase(one);
      end(ended, *code, is_stopping);
    }
    return has_news;
  }

  void end(const RunningPoint& ended, int code, bool is_stopping) {
    // Stopped: what a run left goes on with the next call, and is no failure.
    if (code == static_cast<int>(ExitCode::resumable) || (is_stopping && code > 128)) {
      worst_ = static_cast<int>(ExitCode::resumable);
      return;
    }
    const PointRecord record = folder_.finish(ended.point->key, code);
    std::error_code error;
    if (!plan_.keeps_results) std::filesystem::remove(folder_.result(ended.point->key), error);
    if (may_end_otherwise(code) && ended.tries_left > 0 && !is_stopping) {
      waiting_.push_back({ended.point, ended.tries_left - 1});
      return;
    }
    count(*ended.point, record, seconds_since(ended.begin));
  }

  void known(const PointRecord& record) {
    ++facts_.known;
    if (record.state == PointRecord::State::failed) worst_ = std::max(worst_, record.exit_code);
  }

  void count(const StudyPoint& point, const PointRecord& record, double wall_s) {
    ++(record.state == PointRecord::State::complete ? facts_.run : facts_.failed);
    facts_.run_s += wall_s;
    worst_ = std::max(worst_, record.exit_code);
    draw();  // running_ is as it is now
    progress_.ended(point, record, wall_s, facts_);
  }

  void draw() {
    facts_.running.clear();
    for (const RunningPoint& one : running_)
      facts_.running.emplace_back(static_cast<std::size_t>(one.point - points_.data()),
                                  seconds_since(one.begin));
    progress_.draw(facts_, points_);
  }

  const StudyPlan& plan_;
  const std::vector<StudyPoint>& points_;
  const StudyFolder& folder_;
  StudyProgress& progress_;
  StudyFacts facts_;
  std::deque<Waiting> waiting_;
  std::list<RunningPoint> running_;
  int worst_ = 0;
};

}  // namespace

std::vector<std::string> run_words(const StudyPlan& plan, const StudyPoint& point,
                                   const StudyFolder& folder) {
  std::vector<std::string> words = plan.launch;
  words.insert(words.end(), {plan.program, point.command, plan.scenario, "--progress", "none"});
  if (point.can_go_on) words.insert(words.end(), {"--resume", "auto"});
  words.insert(words.end(), {"--out", folder.result(point.key).string()});
  words.insert(words.end(), {"--summary", folder.new_summary(point.key).string()});
  words.insert(words.end(), {"--checkpoint", folder.checkpoint(point.key).string()});
  words.insert(words.end(), plan.options.begin(), plan.options.end());
  for (const std::string& setting : point.settings) words.insert(words.end(), {"--set", setting});
  return words;
}

int run_study(const StudyPlan& plan, const std::vector<StudyPoint>& points, const StudyFolder& folder,
              StudyProgress& progress) {
  return Study(plan, points, folder, progress).run();
}

}  // namespace lightrail
