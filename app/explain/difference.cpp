#include "app/explain/difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "engine/base/time.hpp"

namespace lightrail {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::map<std::string, std::string>;

constexpr const char* absent = "(absent)";

/// A scenario's attributes by path.
Values attributes_of(const std::string& xml) {
  Values all;
  std::vector<std::string> path;
  std::vector<std::map<std::string, int>> siblings(1);
  std::istringstream lines(xml);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = line.find('<');
    if (at == std::string::npos || line.compare(at, 2, "<?") == 0 || line.compare(at, 2, "<!") == 0) continue;
    if (line.compare(at, 2, "</") == 0) {
      if (!path.empty()) path.pop_back(), siblings.pop_back();
      continue;
    }
    const std::size_t end = line.find_first_of(" />", ++at);
    std::string name = line.substr(at, end - at);
    if (const int before = siblings.back()[name]++; before > 0) name += fmt::format("[{}]", before);
    std::string where;
    for (const std::string& above : path) where += above + "/";
    where += name;
    all[where] = "present";
    // name="value", with entities in values alone.
    for (at = end; (at = line.find('=', at)) != std::string::npos;) {
      const std::size_t first = line.find_last_of(' ', at) + 1, open = at + 2, close = line.find('"', open);
      if (close == std::string::npos) break;
      all[where + "@" + line.substr(first, at - first)] = line.substr(open, close - open);
      at = close + 1;
    }
    if (line.find("/>") != std::string::npos && line.rfind("/>") + 2 == line.size()) continue;
    path.push_back(name), siblings.emplace_back();
  }
  return all;
}

std::vector<InputDifference> differences(const Values& before, const Values& after) {
  std::vector<InputDifference> all;
  const auto value_in = [](const Values& values, const std::string& what) {
    const auto found = values.find(what);
    return found == values.end() ? absent : found->second;
  };
  for (const auto& [what, value] : before)
    if (const std::string other = value_in(after, what); other != value) all.push_back({what, value, other});
  for (const auto& [what, value] : after)
    if (before.count(what) == 0) all.push_back({what, absent, value});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.what < b.what; });
  return all;
}

Values inputs_of(const ResultReader& result) {
  Values all = attributes_of(result.text("/run/scenario"));
  all["software version"] = result.text_attribute("/", "git_describe");
  all["seed"] = std::to_string(result.number_attribute("/run", "seed"));
  return all;
}

std::vector<Remark> only_in(const std::vector<Remark>& one, const std::vector<Remark>& other) {
  std::vector<Remark> all;
  for (const Remark& remark : one)
    if (std::none_of(other.begin(), other.end(),
                     [&](const Remark& r) { return r.about == remark.about && r.text == remark.text; }))
      all.push_back(remark);
  return all;
}

std::string time_text(double ps) {
  const std::string text = format_time(SimTime{std::llround(std::abs(ps))});
  return (ps < 0 ? "-" : "+") + text;
}

Json inputs_json(const std::vector<InputDifference>& inputs) {
  Json json = Json::array();
  for (const auto& i : inputs) json.push_back({{"what", i.what}, {"before", i.before}, {"after", i.after}});
  return json;
}

Json remarks_json(const std::vector<Remark>& remarks) {
  Json json = Json::array();
  for (const Remark& r : remarks) json.push_back({{"about", r.about}, {"text", r.text}});
  return json;
}

}  // namespace

std::vector<InputDifference> scenario_differences(const std::string& before, const std::string& after) {
  return differences(attributes_of(before), attributes_of(after));
}

Difference read_difference(const std::string& before, const std::string& after) {
  const Explanation a = read_explanation(before), b = read_explanation(after);
  Difference all;
  all.before = before, all.after = after;
  all.step_before = a.step, all.step_after = b.step;
  all.inputs = differences(inputs_of(ResultReader(before)), inputs_of(ResultReader(after)));
  std::map<std::string, PartDifference> parts;
  for (const ExposedSummary& part : a.step.parts)
    parts[part.label()].before_ps += a.step.mean_ps(part.time_ps);
  for (const ExposedSummary& part : b.step.parts)
    parts[part.label()].after_ps += b.step.mean_ps(part.time_ps);
  for (auto& [label, part] : parts) {
    part.label = label;
    all.parts.push_back(part);
  }
  std::stable_sort(all.parts.begin(), all.parts.end(), [](const auto& x, const auto& y) {
    return std::abs(x.change_ps()) > std::abs(y.change_ps());
  });
  all.only_before = only_in(a.remarks, b.remarks);
  all.only_after = only_in(b.remarks, a.remarks);
  return all;
}

std::string to_text(const Difference& all) {
  constexpr std::size_t most_inputs = 30;
  const double before = all.step_before.mean_ps(all.step_before.gpu_time_ps),
               after = all.step_after.mean_ps(all.step_after.gpu_time_ps);
  std::string text = fmt::format("{} -> {}\nstep {} of {} GPUs -> {} of {} GPUs\n\n", all.before, all.after,
                                 format_time(SimTime{all.step_before.step_ps}), all.step_before.gpus,
                                 format_time(SimTime{all.step_after.step_ps}), all.step_after.gpus);
  text += fmt::format("where it went (average of a GPU) {:>12} {:>12} {:>13} {:>10}\n", "before", "after",
                      "change", "of before");
  const auto row = [&](const std::string& label, double from, double to) {
    text += fmt::format("  {:<30} {:>12} {:>12} {:>13} {:>+7.2f} %\n", label,
                        format_time(SimTime{std::llround(from)}), format_time(SimTime{std::llround(to)}),
                        time_text(to - from), before > 0 ? 100 * (to - from) / before : 0);
  };
  for (const PartDifference& part : all.parts) row(part.label, part.before_ps, part.after_ps);
  row("all", before, after);
  text += "\nwhat differs in the input\n";
  for (std::size_t i = 0; i < std::min(all.inputs.size(), most_inputs); ++i)
    text += fmt::format("  {}: {} -> {}\n", all.inputs[i].what, all.inputs[i].before, all.inputs[i].after);
  if (all.inputs.empty()) text += "  nothing\n";
  if (all.inputs.size() > most_inputs)
    text += fmt::format("  ... and {} more (--json has all)\n", all.inputs.size() - most_inputs);
  for (const auto& [head, remarks] :
       {std::pair{"before", &all.only_before}, std::pair{"after", &all.only_after}})
    for (const Remark& r : *remarks)
      text += fmt::format("  rests on, only {}: {}: {}\n", head, r.about, r.text);
  return text;
}

std::string to_json(const Difference& all) {
  const auto step_json = [](const StepTime& step) {
    return Json{{"iteration", step.iteration},
                {"gpus", step.gpus},
                {"step_ps", step.step_ps},
                {"gpu_time_ps", step.gpu_time_ps}};
  };
  Json json{{"before", all.before},
            {"after", all.after},
            {"step_before", step_json(all.step_before)},
            {"step_after", step_json(all.step_after)},
            {"parts", Json::array()}};
  for (const PartDifference& part : all.parts)
    json["parts"].push_back({{"label", part.label},
                             {"before_ps", part.before_ps},
                             {"after_ps", part.after_ps},
                             {"change_ps", part.change_ps()}});
  json["inputs"] = inputs_json(all.inputs);
  json["only_before"] = remarks_json(all.only_before);
  json["only_after"] = remarks_json(all.only_after);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lightrail
