#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/study/study_folder.hpp"
#include "app/study/study_point.hpp"

namespace lightrail {

/// How far a study is.
struct StudyFacts {
  std::size_t points = 0, known = 0, run = 0, failed = 0;  ///< known: from calls before; failed: of this one
  std::size_t jobs = 1;
  double run_s = 0;  ///< wall time of the `run` and `failed` ones, added up
  std::vector<std::pair<std::size_t, double>> running;  ///< place of a point, wall time so far [s]

  /// Points that have neither ended nor failed.
  [[nodiscard]] std::size_t left() const { return points - known - run - failed; }
  /// Wall time until the last point has ended [s], were those to come as long as those that this call has
  /// run; none before the first has ended.
  [[nodiscard]] std::optional<double> eta_s() const;
};

/// "12 of 40 points, 2 failed, 4 running, eta 00:01:39".
[[nodiscard]] std::string progress_text(const StudyFacts& facts);

/// "   step 631.100 ms" of a complete run, or the first line of why it failed.
[[nodiscard]] std::string outcome_text(const PointRecord& record);

/// A line for each point that has ended, on stdout; below them on a terminal a table of what is running,
/// drawn anew with every change and second.
class StudyProgress {
 public:
  StudyProgress(bool is_terminal, bool is_quiet) : is_terminal_(is_terminal), is_quiet_(is_quiet) {}
  void ended(const StudyPoint& point, const PointRecord& record, double wall_s, const StudyFacts& facts);
  /// `points`: those of the places that facts.running has.
  void draw(const StudyFacts& facts, const std::vector<StudyPoint>& points);
  /// Takes the table away.
  void clear();

 private:
  bool is_terminal_, is_quiet_;
  std::size_t drawn_lines_ = 0;
  std::string drawn_;
};

}  // namespace lightrail
