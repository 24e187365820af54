#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "app/study/study_folder.hpp"
#include "app/study/study_point.hpp"
#include "app/study/study_progress.hpp"

namespace lightrail {

/// How the points of a study are run: each as a program of its own.
struct StudyPlan {
  std::string program, scenario;
  std::vector<std::string> launch;   ///< words before the program: mpiexec -n 4
  std::vector<std::string> options;  ///< of `lightrail run`, but for the settings of a point
  std::size_t jobs = 1;              ///< runs side by side
  std::size_t retries = 0;           ///< of a run that may end otherwise the next time
  bool keeps_results = true;         ///< result files of complete runs
};

/// The words that run a point.
[[nodiscard]] std::vector<std::string> run_words(const StudyPlan& plan, const StudyPoint& point,
                                                 const StudyFolder& folder);

/// Runs those of `points` of which the folder has no final record, `jobs` at a time, and says how it goes. A
/// point that another process runs is waited for. SIGINT, SIGTERM and SIGUSR1 stop all runs, which leave
/// checkpoints and go on with the next call. Returns the largest exit code of a point, resumable when some
/// were stopped.
[[nodiscard]] int run_study(const StudyPlan& plan, const std::vector<StudyPoint>& points,
                            const StudyFolder& folder, StudyProgress& progress);

}  // namespace lightrail
