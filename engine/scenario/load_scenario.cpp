#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/expand_jobs.hpp"
#include "engine/scenario/number_text.hpp"
#include "engine/scenario/read_scenario.hpp"
#include "engine/scenario/resolve.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/unit_table.hpp"
#include "engine/scenario/write_xml.hpp"

namespace lightrail {

namespace {

bool is_unit(const std::string& text) {
  for (const UnitTable* table : {&time_units, &byte_units, &bit_rate_units, &flops_units, &dbm_units,
                                 &decibel_units, &watt_units, &metre_units, &dollar_units})
    for (const Unit& unit : table->units)
      if (text == unit.name) return true;
  return false;
}

bool is_plain_number(const std::string& text) {
  NumberText number;
  return split_number(text, number) && number.unit.empty();
}

/// Of "400 Gb/s 100 Gb/s" the values as they were meant, "400 Gb/s; 100 Gb/s"; "" where no unit stands alone.
std::string with_separators(const std::vector<std::string>& values) {
  std::string meant;
  bool has_unit = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool belongs_before = i > 0 && is_plain_number(values[i - 1]) && is_unit(values[i]);
    if (i > 0) meant += belongs_before ? " " : "; ";
    meant += values[i];
    has_unit = has_unit || belongs_before;
  }
  if (values.size() == 2) meant += ";";
  return has_unit ? meant : "";
}

void check_values(const Attribute& values, ErrorList& errors) {
  const auto fail = [&](const std::string& what) {
    errors.add({values.file, values.line, "<vary> attribute 'values': " + what});
  };
  const std::vector<std::string> all = split_values(values.value);
  if (all.empty()) return fail("no values given");
  if (values.value.find_first_of(",;") != std::string::npos) return;
  if (const std::string meant = with_separators(all); !meant.empty())
    fail(fmt::format("blanks separate values, so '{}' is {} of them (did you mean '{}'?)", values.value,
                     all.size(), meant));
}

/// The points of a sweep are read by `lightrail sweep`; every command checks that they name variables.
void check_sweep(const Element& root, const Variables& variables, ErrorList& errors) {
  for (const Element* sweep : root.children_named("sweep"))
    for (const Element* vary : sweep->children_named("vary")) {
      const Attribute* name = vary->find("name");
      const Attribute* values = vary->find("values");
      if (!name) errors.add(vary->error("<vary> lacks the required attribute 'name'"));
      if (!values) errors.add(vary->error("<vary> lacks the required attribute 'values'"));
      if (name && !variables.is_defined(name->value))
        errors.add({name->file, name->line, "<vary> attribute 'name': " + variables.unknown(name->value)});
      if (values) check_values(*values, errors);
    }
}

}  // namespace

std::vector<std::string> split_values(const std::string& text) {
  const char* separators = text.find(';') != std::string::npos   ? ";"
                           : text.find(',') != std::string::npos ? ","
                                                                 : " \t\r\n";
  std::vector<std::string> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first < end)
      values.push_back(text.substr(first, text.find_last_not_of(" \t\r\n", end - 1) - first + 1));
    at = end + 1;
  }
  return values;
}

Scenario load_scenario(const std::string& path, const ScenarioOptions& options) {
  ReadScenario read = read_scenario(path, options);
  if (!read.mistakes.empty()) throw InputErrors(std::move(read.mistakes));
  return read;
}

ReadScenario read_scenario(const std::string& path, const ScenarioOptions& options) {
  ErrorList errors;
  ReadScenario scenario;
  scenario.path = path;
  Resolver resolver(options, errors);
  const bool has_root = resolver.resolve_file(path, scenario.root);
  std::vector<std::string> lists;
  if (has_root) {
    expand_jobs(scenario.root, lists, errors);
    check_sweep(scenario.root, resolver.variables(), errors);
    resolver.variables().report_unknown_settings(errors);
    // A mistake elsewhere may be why a variable looks unused.
    if (errors.is_empty()) resolver.variables().report_unused(errors);
  }
  try {
    errors.throw_if_any();
  } catch (const InputErrors& found) {
    if (!has_root || !resolver.is_whole()) throw;
    scenario.mistakes = found.errors();
  }
  scenario.root.is_read = true;
  scenario.root.find("name");
  scenario.variables = resolver.variables().texts();
  scenario.inputs = resolver.files();
  scenario.inputs.insert(scenario.inputs.end(), lists.begin(), lists.end());
  scenario.resolved_xml = write_xml(scenario.root);
  return scenario;
}

}  // namespace lightrail
