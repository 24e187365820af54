#include "network/port/pause/pause_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <string_view>

#include "engine/base/counted.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

/// Reads "0,3"; "" or what is wrong.
std::string parse_classes(std::string_view text, std::uint32_t lanes, LaneMask& classes) {
  classes = 0;
  if (text == "none") return "";
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    std::uint32_t lane = 0;
    const auto [rest, error] = std::from_chars(item.data(), item.data() + item.size(), lane);
    if (error != std::errc{} || rest != item.data() + item.size())
      return fmt::format("'{}' is no list of classes (0, or 0,3, or none)", text);
    if (lane >= lanes)
      return fmt::format("there is no class {}: the device has {}", lane, counted(lanes, "lane"));
    classes = static_cast<LaneMask>(classes | 1u << lane);
    begin = end + 1;
  }
  return "";
}

LaneMask classes_of(const PauseSpec& spec, std::uint32_t lanes) {
  LaneMask classes = 0;
  static_cast<void>(parse_classes(spec.lossless, lanes, classes));  // check_pauses() has complained
  return classes;
}

}  // namespace

PauseSettings pause_settings(const PauseSpec& spec, std::uint32_t lanes, Bytes buffer) {
  PauseSettings settings;
  settings.lossless = classes_of(spec, lanes);
  settings.lanes = static_cast<std::uint8_t>(lanes);
  settings.buffer = buffer.value;
  settings.reserve = spec.class_reserve.value;
  settings.headroom = spec.headroom.value;
  settings.alpha = std::llround(std::ldexp(spec.alpha, PauseSettings::alpha_bits));
  settings.alpha_rate = spec.alpha_rate;
  settings.resume_offset = spec.resume_offset.value;
  settings.reaction = spec.reaction;
  settings.quanta = spec.quanta;
  return settings;
}

void check_pauses(const Element& element, const PauseSpec& spec, std::uint32_t lanes, Bytes buffer,
                  ErrorList& errors) {
  LaneMask classes = 0;
  if (const std::string problem = parse_classes(spec.lossless, lanes, classes); !problem.empty())
    return errors.add(
        element.error_at("lossless", fmt::format("<{}> attribute 'lossless': {}", element.name, problem)));
  const Bytes needed{std::popcount(classes) * spec.headroom.value + lanes * spec.class_reserve.value};
  if (needed > buffer)
    errors.add(element.error_at(
        "buffer",
        fmt::format("<{}> attribute 'buffer': {} does not hold the headroom and the reserves of one "
                    "port ({})",
                    element.name, format_value(buffer), format_value(needed))));
}

}  // namespace lightrail
