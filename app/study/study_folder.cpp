#include "app/study/study_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/whole_file.hpp"

namespace lightrail {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t max_lines = 20;

std::string joined(const std::vector<std::string>& lines, std::size_t from) {
  return fmt::format("{}", fmt::join(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end(), "\n"));
}

}  // namespace

bool PointRecord::is_final() const {
  return state == State::complete ||
         (state == State::failed && exit_code == static_cast<int>(ExitCode::simulation));
}

std::string reason_in(const std::string& log) {
  std::vector<std::string> all, errors;
  std::istringstream in(log);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("error: ") || line.starts_with("internal error")) errors.push_back(line);
    if (!line.empty()) all.push_back(line);
  }
  if (errors.size() > max_lines) errors.resize(max_lines);
  return errors.empty() ? joined(all, all.size() - std::min(all.size(), max_lines)) : joined(errors, 0);
}

fs::path StudyFolder::new_summary(const std::string& key) const {
  return point(key) / "new_summary.json";
}

void StudyFolder::make(const std::string& key) const {
  std::error_code error;
  fs::create_directories(point(key), error);
  if (error)
    throw IoError(fmt::format("cannot make the folder '{}' ({})", point(key).string(), error.message()));
}

PointRecord StudyFolder::read(const std::string& key) const {
  PointRecord record;
  record.summary = read_whole(point(key) / "summary.json");
  if (!record.summary.empty()) record.state = PointRecord::State::complete;
  const auto failure = nlohmann::json::parse(read_whole(point(key) / "failure.json"), nullptr, false);
  if (record.state == PointRecord::State::complete || !failure.is_object()) return record;
  record.state = PointRecord::State::failed;
  record.exit_code = failure.value("exit_code", 1);
  record.error = failure.value("error", "");
  record.summary = failure.value("summary", "");
  return record;
}

PointRecord StudyFolder::finish(const std::string& key, int exit_code) const {
  std::error_code error;
  if (exit_code == 0) {
    fs::rename(new_summary(key), point(key) / "summary.json", error);
    if (error)
      throw IoError(
          fmt::format("cannot write '{}' ({})", (point(key) / "summary.json").string(), error.message()));
    fs::remove_all(checkpoint(key), error);
    fs::remove(point(key) / "failure.json", error);
    return read(key);
  }
  const nlohmann::json failure{{"exit_code", exit_code},
                               {"error", reason_in(read_whole(log(key)))},
                               {"summary", read_whole(new_summary(key))}};
  write_whole(point(key) / "failure.json",
              failure.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  fs::remove(new_summary(key), error);
  return read(key);
}

}  // namespace lightrail
