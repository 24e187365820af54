#include "app/cli/goodput_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/cli/print_summary.hpp"
#include "app/explain/result_reader.hpp"
#include "app/goodput/finish_plan.hpp"
#include "app/goodput/goodput_report.hpp"
#include "engine/base/error.hpp"

namespace lightrail {

void GoodputRun::play(ResultFile& file, const std::string& path, const Summary& summary) {
  try {
    const ResultReader run(path, ResultReader::Accept::written);
    result_ = play_goodput(finished_plan(request_, summary, run));
    write_goodput(file, *result_);
    std::vector<std::string> texts;
    for (const Remark& remark : request_.remarks) texts.push_back(remark.about + ": " + remark.text);
    if (!texts.empty()) file.set_attribute("/summary/goodput", "rests_on", texts);
  } catch (const InputErrors&) {
    problem_ = std::current_exception();  // the result of the step is good without it
  }
}

std::string GoodputRun::text(const std::string& file) const {
  if (!result_) return "";
  return to_text(*result_) + remarks_text(request_.remarks) +
         (file.empty() ? "" : fmt::format("result           {}\n", file));
}

std::string GoodputRun::json(const Summary& summary) const {
  auto all = nlohmann::ordered_json::parse(to_json(summary));
  all["goodput"] = result_ ? goodput_json(*result_) : nlohmann::ordered_json();
  for (const Remark& remark : request_.remarks)
    all["remarks"].push_back({{"about", remark.about}, {"text", remark.text}});
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::optional<GoodputRun> goodput_run(const CommandLine& line, const Model& model) {
  const auto* request = model.resource<GoodputRequest>();
  if (line.command != Command::goodput && (line.command != Command::sweep || !request)) return std::nullopt;
  GoodputRun goodput(*request);
  const std::vector<std::pair<const char*, bool>> about_a_run = {
      {"check-grain", line.check_grain > 0},
      {"predict-ranks", !line.predict_ranks.empty()},
      {"resume", !line.resume.empty()}};
  for (const auto& [option, is_given] : about_a_run)
    if (is_given && !goodput.simulates())
      throw InputErrors(InputError{
          "", 0, fmt::format("option --{}: nothing is simulated where <goodput> has its 'step'", option)});
  return goodput;
}

}  // namespace lightrail
