#include "app/cli/parse_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

namespace {

using Range = OutputSelection::Range;

constexpr std::uint32_t default_gpus = 8;
constexpr SimTime shortest_interval = microseconds(1);

std::vector<Range> all_endpoints(const AddressBook& book) {
  if (book.endpoints.empty()) return {};
  return {{0, static_cast<std::uint32_t>(book.endpoints.size() - 1)}};
}

/// The GPUs and the hosts of their servers, as ranges.
std::vector<Range> with_hosts(const std::vector<Range>& gpus, const AddressBook& book) {
  std::set<std::uint32_t> chosen, servers;
  for (const Range& range : gpus)
    for (std::uint32_t gpu = range.first; gpu <= range.last; ++gpu) {
      chosen.insert(gpu);
      servers.insert(book.endpoints[gpu].server);
    }
  for (std::uint32_t i = book.gpu_count; i < book.endpoints.size(); ++i)
    if (servers.count(book.endpoints[i].server)) chosen.insert(i);
  std::vector<Range> ranges;
  for (std::uint32_t id : chosen) {
    if (!ranges.empty() && ranges.back().last + 1 == id)
      ranges.back().last = id;
    else
      ranges.push_back({id, id});
  }
  return ranges;
}

bool parse_number(std::string_view text, std::uint32_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// "0-7,16" -> ranges; "" or what is wrong.
std::string parse_gpus(const std::string& text, const AddressBook& book, std::vector<Range>& endpoints) {
  if (text == "all") return endpoints = all_endpoints(book), "";
  std::vector<Range> gpus;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = std::string_view(text).substr(begin, end - begin);
    std::size_t dash = item.find('-');
    Range range;
    bool is_good = parse_number(item.substr(0, dash), range.first);
    range.last = range.first;
    if (dash != item.npos) is_good = is_good && parse_number(item.substr(dash + 1), range.last);
    if (!is_good || range.last < range.first)
      return fmt::format("invalid GPU list '{}' (expected numbers and ranges: 0-7,16; or all)", text);
    if (range.last >= book.gpu_count)
      return fmt::format("GPU {} does not exist (the scenario has {} GPUs)", range.last, book.gpu_count);
    gpus.push_back(range);
    begin = end + 1;
  }
  endpoints = with_hosts(gpus, book);
  return "";
}

OutputSelection defaults(const AddressBook& book, const TableRegistry& tables) {
  OutputSelection selection;
  std::vector<Range> first;
  if (book.gpu_count > 0) first = with_hosts({{0, std::min(default_gpus, book.gpu_count) - 1}}, book);
  for (const TableSchema& table : tables.schemas())
    selection.by_table.push_back(
        {!table.is_on_request, table.scope == TableScope::all_endpoints ? all_endpoints(book) : first});
  return selection;
}

void parse_table(const Element& element, const AddressBook& book, const TableRegistry& tables,
                 ErrorList& errors, std::set<std::string>& seen, OutputSelection& selection) {
  const Attribute* name = element.find("name");
  const Attribute* gpus = element.find("gpus");
  const Attribute* record = element.find("record");
  if (!name) return errors.add(element.error("<table> lacks the required attribute 'name'"));
  const auto table = tables.find(name->value);
  auto complain = [&](const Attribute& attribute, const std::string& problem) {
    errors.add(
        {attribute.file, attribute.line, fmt::format("<table> attribute '{}': {}", attribute.name, problem)});
  };
  if (!table) return complain(*name, invalid_choice(name->value, tables.names()));
  if (!seen.insert(name->value).second)
    return complain(*name, fmt::format("table '{}' is given twice", name->value));
  auto& chosen = selection.by_table[*table];
  chosen.is_on = true;
  if (record)
    if (std::string problem = parse_value(record->value, chosen.is_on); !problem.empty())
      complain(*record, problem);
  if (!gpus) return;
  if (tables[*table].scope == TableScope::system)
    return complain(
        *gpus, fmt::format(R"(table '{}' does not belong to GPUs (use record="on" or "off"))", name->value));
  if (std::string problem = parse_gpus(gpus->value, book, chosen.endpoints); !problem.empty())
    complain(*gpus, problem);
}

}  // namespace

OutputSelection parse_output(const Element* output, const AddressBook& book, const TableRegistry& tables,
                             ErrorList& errors) {
  OutputSelection selection = defaults(book, tables);
  if (!output) return selection;
  auto complain = [&](const Attribute& attribute, const std::string& problem) {
    errors.add({attribute.file, attribute.line,
                fmt::format("<output> attribute '{}': {}", attribute.name, problem)});
  };
  if (const Attribute* file = output->find("file"))
    if (std::string problem = parse_value(file->value, selection.file); !problem.empty())
      complain(*file, problem);
  if (const Attribute* interval = output->find("interval")) {
    if (std::string problem = parse_value(interval->value, selection.interval); !problem.empty())
      complain(*interval, problem);
    else if (selection.interval < shortest_interval)
      complain(*interval, fmt::format("'{}' is out of range (at least 1 us)", interval->value));
  }
  std::set<std::string> seen;
  for (const Element* table : output->children_named("table"))
    parse_table(*table, book, tables, errors, seen, selection);
  return selection;
}

}  // namespace lightrail
