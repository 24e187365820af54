#include "components/ocs/circuit_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

bool parse_port(std::string_view text, std::uint32_t& port) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string CircuitTable::join(std::uint32_t in, std::uint32_t out, std::uint32_t ports) {
  for (std::uint32_t port : {in, out})
    if (port >= ports) return fmt::format("port {} does not exist (0 ... {})", port, ports - 1);
  if (in == out) return fmt::format("port {} would see its own light", in);
  if (out_.size() < ports) out_.resize(ports, dark);
  if (out_[in] != dark) return fmt::format("port {} sends light to {} and {}", in, out_[in], out);
  if (auto other = std::find(out_.begin(), out_.end(), out); other != out_.end())
    return fmt::format("port {} gets light from {} and {}", out, other - out_.begin(), in);
  out_[in] = static_cast<PortIndex>(out);
  return "";
}

PortIndex CircuitTable::one_way_port() const {
  for (std::size_t in = 0; in < out_.size(); ++in)
    if (out_[in] != dark && out(out_[in]) != in) return static_cast<PortIndex>(in);
  return dark;
}

std::string CircuitTable::parse(const std::string& text, std::uint32_t ports, CircuitTable& table) {
  table.out_.assign(ports, dark);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::size_t mark = word.find_first_of("->");
    std::uint32_t in = 0, out = 0;
    if (mark == std::string::npos || !parse_port(std::string_view(word).substr(0, mark), in) ||
        !parse_port(std::string_view(word).substr(mark + 1), out))
      return fmt::format("invalid circuit '{}' (expected two ports: 0-4 for both directions, 0>4 for one)",
                         word);
    std::string problem = table.join(in, out, ports);
    if (problem.empty() && word[mark] == '-') problem = table.join(out, in, ports);
    if (!problem.empty()) return fmt::format("circuit '{}': {}", word, problem);
  }
  return "";
}

std::vector<Reconfiguration> parse_schedule(const Element& element, std::uint32_t ports, ErrorList& errors) {
  std::vector<Reconfiguration> all;
  const Element* schedule = element.child("schedule");
  if (!schedule) return all;
  for (const Element* at : schedule->children_named("at")) {
    Reconfiguration next;
    const Attribute* time = at->find("time");
    const Attribute* circuits = at->find("circuits");
    if (!time || !circuits) {
      errors.add(
          at->error(fmt::format("<at> lacks the required attribute '{}'", time ? "circuits" : "time")));
      continue;
    }
    if (std::string problem = parse_value(time->value, next.at); !problem.empty()) {
      errors.add({time->file, time->line, "<at> attribute 'time': " + problem});
      continue;
    }
    if (next.at < SimTime{0} || (!all.empty() && next.at <= all.back().at))
      errors.add({time->file, time->line,
                  fmt::format("<at> attribute 'time': '{}' does not come after {}", time->value,
                              all.empty() ? "the start" : format_value(all.back().at))});
    if (std::string problem = CircuitTable::parse(circuits->value, ports, next.table); !problem.empty())
      errors.add({circuits->file, circuits->line, "<at> attribute 'circuits': " + problem});
    all.push_back(std::move(next));
  }
  return all;
}

}  // namespace lightrail
