#pragma once
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/command_line.hpp"
#include "engine/model/model.hpp"
#include "engine/record/result_file.hpp"
#include "engine/record/summary.hpp"
#include "workloads/goodput/monte_carlo.hpp"
#include "workloads/goodput/read_goodput.hpp"

namespace lightrail {

/// `lightrail goodput`: weeks of a job behind the run of one step. Rank 0 plays them; a thousand runs take
/// less time than it would take to hand them out.
class GoodputRun {
 public:
  explicit GoodputRun(GoodputRequest request) : request_(std::move(request)) {}

  /// Whether a step has to be simulated first.
  [[nodiscard]] bool simulates() const { return request_.simulates(); }
  /// Takes what the request leaves open from the run, whose tables are in the file at `path`, plays, and
  /// writes /summary/goodput. What the run does not tell is kept in problem().
  void play(ResultFile& file, const std::string& path, const Summary& summary);
  [[nodiscard]] const std::exception_ptr& problem() const { return problem_; }

  /// "" before play(). `file`: of the result, named where it is not "".
  [[nodiscard]] std::string text(const std::string& file) const;
  /// That of the summary with the member goodput, null before play().
  [[nodiscard]] std::string json(const Summary& summary) const;

 private:
  GoodputRequest request_;
  std::optional<GoodputResult> result_;
  std::exception_ptr problem_;
};

/// None for any other command. Throws InputErrors for options that are about a run where none is simulated.
[[nodiscard]] std::optional<GoodputRun> goodput_run(const CommandLine& line, const Model& model);

}  // namespace lightrail
