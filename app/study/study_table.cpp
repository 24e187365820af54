#include "app/study/study_table.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "engine/base/csv.hpp"
#include "engine/base/error.hpp"

namespace lightrail {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::pair<std::string, std::string>>;

/// The union of the rows' columns, in the order in which they first come.
std::string csv(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Row& row : rows)
    for (const auto& [name, value] : row)
      if (known.insert(name).second) names.push_back(name);
  std::string text;
  const auto add_line = [&](auto&& value_of) {
    for (std::size_t i = 0; i < names.size(); ++i) text += (i ? "," : "") + csv_field(value_of(names[i]));
    text += "\n";
  };
  add_line([](const std::string& name) { return name; });
  for (const Row& row : rows) {
    const std::map<std::string, std::string> values(row.begin(), row.end());
    add_line([&](const std::string& name) {
      const auto found = values.find(name);
      return found == values.end() ? std::string() : found->second;
    });
  }
  return text;
}

bool is_list_of_objects(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& entry : value) text += (text.empty() ? "" : "; ") + text_of(entry);
  return text;
}

/// Every value that an object has, those of objects inside it under both names. Lists of objects are left
/// out.
void add_values(const Json& object, const std::string& prefix, Row& row) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object())
      add_values(value, prefix + name + "_", row);
    else if (!value.is_null() && value != Json::array() && !is_list_of_objects(value))
      row.emplace_back(prefix + name, text_of(value));
  }
}

Row head_of(const StudyPoint& point) {
  Row row{{"point", std::to_string(point.number)}};
  for (const std::string& setting : point.settings) {
    const std::size_t end = setting.find('=');
    row.emplace_back(setting.substr(0, end), setting.substr(end + 1));
  }
  return row;
}

/// `values` behind `row`, under names that it does not have yet.
void append(Row& row, const Row& values) {
  std::set<std::string> taken;
  for (const auto& [name, value] : row) taken.insert(name);
  for (const auto& [name, value] : values)
    row.emplace_back(taken.contains(name) ? "summary_" + name : name, value);
}

std::string status_of(const StudyPoint& point, const PointRecord& record) {
  if (!point.problem.empty()) return fmt::format("exit code {}", static_cast<int>(ExitCode::input));
  switch (record.state) {
    case PointRecord::State::not_run:
      return "not run";
    case PointRecord::State::complete:
      return "complete";
    case PointRecord::State::failed:
      return fmt::format("exit code {}", record.exit_code);
  }
  return "";
}

}  // namespace

std::map<std::string, std::string> study_tables(const std::vector<StudyPoint>& points,
                                                const std::vector<PointRecord>& records,
                                                const StudyFolder& folder) {
  LIGHTRAIL_EXPECT(points.size() == records.size());
  std::map<std::string, std::vector<Row>> tables;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Row row = head_of(points[i]), own{{"status", status_of(points[i], records[i])}};
    own.emplace_back("error", points[i].problem.empty() ? records[i].error : points[i].problem);
    const Json summary = Json::parse(records[i].summary, nullptr, false);
    if (summary.is_object()) {
      Json values = summary;
      values.erase("status");  // of a failed run "deadlock", beside which its exit code stands
      add_values(values, "", own);
      for (const auto& [name, list] : summary.items())
        if (is_list_of_objects(list))
          for (const Json& entry : list) {
            Row part = head_of(points[i]), entries;
            add_values(entry, "", entries);
            append(part, entries);
            tables["_" + name].push_back(std::move(part));
          }
    }
    if (records[i].is_final() && std::filesystem::exists(folder.result(points[i].key)))
      own.emplace_back("result", folder.result(points[i].key).lexically_relative(folder.path()).string());
    append(row, own);
    tables[""].push_back(std::move(row));
  }
  std::map<std::string, std::string> texts;
  for (const auto& [name, rows] : tables) texts[name] = csv(rows);
  return texts;
}

}  // namespace lightrail
