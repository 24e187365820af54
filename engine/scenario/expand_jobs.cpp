#include "engine/scenario/expand_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/csv.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells = csv_cells(line);
  for (std::string& cell : cells) cell = trimmed(cell);
  return cells;
}

/// One <jobs>: its list, row by row.
class JobList {
 public:
  JobList(const Element& jobs, std::vector<std::string>& inputs, ErrorList& errors)
      : jobs_(jobs), inputs_(inputs), errors_(errors) {}

  [[nodiscard]] std::vector<Element> read() {
    const Attribute* file = jobs_.find("file");
    if (!file) errors_.add(jobs_.error("<jobs> lacks the required attribute 'file'"));
    for (const Attribute& one : jobs_.attributes)
      if (one.name != "file")
        errors_.add(jobs_.error_at(one.name, fmt::format("<jobs> has no attribute '{}'", one.name)));
    if (!file || !errors_.is_empty()) return {};
    if (!read_templates()) return {};
    path_ = (std::filesystem::path(file->file).parent_path() / file->value).string();
    std::ifstream list(path_);
    if (!list) {
      errors_.add(jobs_.error_at("file", fmt::format("<jobs> attribute 'file': cannot open '{}'", path_)));
      return {};
    }
    inputs_.push_back(path_);
    std::vector<Element> all;
    for (std::string line; std::getline(list, line);) {
      ++line_;
      if (trimmed(line).empty() || trimmed(line)[0] == '#') continue;
      const std::vector<std::string> cells = cells_of(line);
      if (columns_.empty()) {
        if (!read_columns(cells)) return {};
      } else if (auto job = read_row(cells)) {
        all.push_back(std::move(*job));
      }
    }
    if (all.empty() && errors_.is_empty()) errors_.add({path_, std::max(line_, 1), "has no row of a job"});
    for (const Element& one : templates_)
      if (errors_.is_empty() && used_.count(name_of(one)) == 0)
        errors_.add(one.error(fmt::format("no row of '{}' names workload '{}'", path_, name_of(one))));
    return all;
  }

 private:
  static std::string name_of(const Element& workload) {
    const Attribute* name = workload.find("name");
    return name ? name->value : "";
  }

  bool read_templates() {
    for (const Element& child : jobs_.children) {
      if (child.name != "workload")
        return errors_.add(
                   child.error(fmt::format("<jobs> has no element <{}> (expected <workload>)", child.name))),
               false;
      if (name_of(child).empty())
        return errors_.add(child.error("<workload> lacks the required attribute 'name' (rows name it)")),
               false;
      templates_.push_back(child);
    }
    if (templates_.empty()) errors_.add(jobs_.error("<jobs> lacks the required element <workload>"));
    return !templates_.empty();
  }

  bool read_columns(const std::vector<std::string>& cells) {
    columns_ = cells;
    std::set<std::string> seen;
    for (const std::string& column : columns_) {
      if (column.empty()) return fail("a column without a name"), false;
      if (!seen.insert(column).second) return fail(fmt::format("column '{}' twice", column)), false;
    }
    for (const char* needed : {"name", "workload"})
      if (seen.count(needed) == 0)
        return fail(fmt::format("the first line names no column '{}'", needed)), false;
    return true;
  }

  std::optional<Element> read_row(const std::vector<std::string>& cells) {
    if (cells.size() != columns_.size())
      return fail(fmt::format("{} cells, the first line has {}", cells.size(), columns_.size())),
             std::nullopt;
    const std::string& kind = cell(cells, "workload");
    const auto found = std::find_if(templates_.begin(), templates_.end(),
                                    [&](const Element& one) { return name_of(one) == kind; });
    if (found == templates_.end()) return fail(unknown(kind)), std::nullopt;
    if (cell(cells, "name").empty()) return fail("a job without a name"), std::nullopt;
    used_.insert(kind);
    Element job = *found;
    job.file = path_, job.line = line_;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == "workload" || cells[i].empty()) continue;
      std::erase_if(job.attributes, [&](const Attribute& one) { return one.name == columns_[i]; });
      job.attributes.push_back({columns_[i], cells[i], path_, line_});
    }
    return job;
  }

  [[nodiscard]] const std::string& cell(const std::vector<std::string>& cells, const char* column) const {
    return cells[static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) -
                                          columns_.begin())];
  }

  [[nodiscard]] std::string unknown(const std::string& kind) const {
    std::vector<std::string> names;
    for (const Element& one : templates_) names.push_back(name_of(one));
    const std::string meant = did_you_mean(kind, names);
    return fmt::format("<jobs> has no workload '{}' (one of {}{})", kind, fmt::join(names, ", "),
                       meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant));
  }

  void fail(const std::string& what) { errors_.add({path_, line_, what}); }

  const Element& jobs_;
  std::vector<std::string>& inputs_;
  ErrorList& errors_;
  std::vector<Element> templates_;
  std::string path_;
  int line_ = 0;
  std::vector<std::string> columns_;
  std::set<std::string> used_;
};

}  // namespace

void expand_jobs(Element& root, std::vector<std::string>& inputs, ErrorList& errors) {
  std::vector<Element> children;
  for (Element& child : root.children) {
    if (child.name != "jobs") {
      children.push_back(std::move(child));
      continue;
    }
    for (Element& job : JobList(child, inputs, errors).read()) children.push_back(std::move(job));
  }
  root.children = std::move(children);
}

}  // namespace lightrail
