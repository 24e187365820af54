#include "fabrics/circuits/circuits.hpp"

#include <charconv>
#include <sstream>

namespace lightrail {

Circuits parse_circuits(const std::string& text) {
  Circuits circuits;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const char* end = word.data() + word.size();
    std::uint32_t in = 0, out = 0;
    const auto first = std::from_chars(word.data(), end, in);
    if (first.ec != std::errc{} || first.ptr == end) continue;
    const auto second = std::from_chars(first.ptr + 1, end, out);
    if (second.ec != std::errc{} || second.ptr != end) continue;
    circuits.emplace_back(in, out);
    if (*first.ptr == '-' && in != out) circuits.emplace_back(out, in);
  }
  return circuits;
}

std::vector<Circuits> circuits_of(const Element& ocs) {
  std::vector<Circuits> all(1);
  if (const Attribute* first = ocs.find("circuits")) all[0] = parse_circuits(first->value);
  if (const Element* schedule = ocs.child("schedule"))
    for (const Element* at : schedule->children_named("at"))
      if (const Attribute* circuits = at->find("circuits")) all.push_back(parse_circuits(circuits->value));
  return all;
}

}  // namespace lightrail
