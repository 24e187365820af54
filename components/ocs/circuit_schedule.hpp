#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/context.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Where light that enters each port leaves: a partial one-to-one map.
class CircuitTable {
 public:
  static constexpr PortIndex dark = 0xffff;

  [[nodiscard]] PortIndex out(PortIndex in) const { return in < out_.size() ? out_[in] : dark; }
  bool operator==(const CircuitTable&) const = default;
  /// Light from `in` leaves at `out`, or nowhere. For tables that are made, not parsed.
  void set(PortIndex in, PortIndex out) {
    if (in >= out_.size()) out_.resize(in + 1u, dark);
    out_[in] = out;
  }
  /// A port whose light does not come back from where it goes; dark: none.
  [[nodiscard]] PortIndex one_way_port() const;

  /// "0-4 1-5 2>6": 0-4 joins both directions, 2>6 only light from 2 to 6; "" joins nothing. Ports are below
  /// `ports`; each sends light to one port and gets light from one at most, never to itself. Returns "" or
  /// what is wrong.
  [[nodiscard]] static std::string parse(const std::string& text, std::uint32_t ports, CircuitTable& table);

 private:
  std::string join(std::uint32_t in, std::uint32_t out, std::uint32_t ports);
  std::vector<PortIndex> out_;
};

/// From `at` on the circuits are `table`; those that it adds have light `dark-time` later.
struct Reconfiguration {
  SimTime at{};
  CircuitTable table;
};

/// Reads <schedule><at time="1 ms" circuits="0-4 1-5"/>...</schedule> of `element`; times must rise.
[[nodiscard]] std::vector<Reconfiguration> parse_schedule(const Element& element, std::uint32_t ports,
                                                          ErrorList& errors);

}  // namespace lightrail
