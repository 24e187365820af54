#include "fabrics/import/subnet.hpp"

namespace lightrail {

namespace {

/// "4xNDR" -> 400: what lanes carry after encoding [Gb/s].
std::optional<double> rate_of(std::string_view word) {
  constexpr std::pair<std::string_view, double> lanes[] = {{"SDR", 2},    {"DDR", 4},     {"QDR", 8},
                                                           {"FDR10", 10}, {"FDR", 13.64}, {"EDR", 25},
                                                           {"HDR", 50},   {"NDR", 100},   {"XDR", 200}};
  LineCursor cursor{word};
  const auto width = cursor.number();
  if (!width || *width == 0 || *width > 12 || !cursor.take("x")) return std::nullopt;
  for (const auto& [name, gbps] : lanes)
    if (cursor.rest == name) return gbps * *width;
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : lines_(path) {}

  Subnet read() {
    for (std::string line; lines_.next(line);) {
      LineCursor cursor{line};
      if (cursor.rest.starts_with("Switch")) {
        begin(cursor, "Switch", 'S');
      } else if (cursor.rest.starts_with("Ca")) {
        begin(cursor, "Ca", 'H');
      } else if (cursor.rest.starts_with("Rt")) {
        begin(cursor, "Rt", 'R');
      } else if (cursor.rest.starts_with("[")) {
        port(cursor);
      }  // chassis, GUIDs and comments say nothing of cables
    }
    if (subnet_.nodes.empty())
      lines_.fail("no switch and no channel adapter (expected what ibnetdiscover prints)");
    return std::move(subnet_);
  }

 private:
  /// `Switch 36 "S-ec0d..." # "name" base port 0 lid 48 lmc 0`
  void begin(LineCursor cursor, std::string_view word, char kind) {
    if (!cursor.take(word)) return;
    cursor.blanks();
    const auto ports = cursor.number();
    const auto id = cursor.quoted();
    if (!ports || !id || id->size() < 3 || (*id)[0] != kind || (*id)[1] != '-')
      lines_.fail(fmt::format(R"(expected '{} PORTS "{}-GUID" # "NAME"')", word, kind));
    if (*ports == 0 || *ports > 4096) lines_.fail(fmt::format("{} ports (expected 1 to 4096)", *ports));
    (void)cursor.until('#');
    node_ = *id;
    SubnetNode& node = subnet_.nodes[*id];
    if (node.line != 0) lines_.fail(fmt::format("{} is described twice, also in line {}", *id, node.line));
    node = {kind, cursor.quoted().value_or(*id), *ports, lines_.number()};
  }

  /// `[1](guid) [ext 3] "S-ec0d..."[33](guid) # ... lid 5 lmc 0 "name" lid 2 4xQDR`
  void port(LineCursor cursor) {
    if (node_.empty()) lines_.fail("a port before any switch or channel adapter");
    const auto own = port_number(cursor);
    const auto peer = cursor.quoted();
    if (!own || !peer || peer->size() < 3) lines_.fail("expected '[PORT] \"GUID\"[PORT] # ... lid N 4xNDR'");
    const auto other = port_number(cursor);
    if (!other) lines_.fail(fmt::format("{} without its port number", *peer));
    const SubnetNode& node = subnet_.nodes[node_];
    if (*own == 0 || *own > node.ports)
      lines_.fail(fmt::format("port {} of {}, which has {}", *own, node_, node.ports));
    (void)cursor.until('#');
    if (node.kind == 'S' && (*peer)[0] == 'H') lid({*peer, *other}, cursor);
    std::string_view last = cursor.rest;
    while (!last.empty() && (last.back() == ' ' || last.back() == '\t')) last.remove_suffix(1);
    last.remove_prefix(std::min(last.find_last_of(" \t") + 1, last.size()));
    const auto gbps = rate_of(last);
    if (!gbps)
      lines_.fail(fmt::format("'{}' is no width and speed (expected such as 4xNDR at the end)", last));
    SubnetPort a{node_, *own}, b{*peer, *other};
    if (b < a) std::swap(a, b);
    if (a == b) lines_.fail(fmt::format("port {} of {} is joined to itself", *own, node_));
    subnet_.cables[{a, b}] = *gbps;
  }
  static std::optional<std::uint32_t> port_number(LineCursor& cursor) {
    if (!cursor.take("[")) return std::nullopt;
    const auto number = cursor.number();
    if (!number || !cursor.until(']')) return std::nullopt;
    if (cursor.take("[ext")) (void)cursor.until(']');
    if (cursor.take("(")) (void)cursor.until(')');
    return number;
  }
  /// Of a switch's line: `"node018 HCA-1" lid 67 4xEDR`.
  void lid(const SubnetPort& port, LineCursor cursor) {
    if (!cursor.quoted()) return;
    cursor.blanks();
    if (!cursor.take("lid ")) return;
    if (const auto lid = cursor.number()) subnet_.lid_of[port] = *lid;
  }

  SubnetLines lines_;
  Subnet subnet_;
  std::string node_;
};

}  // namespace

Subnet read_subnet(const std::string& path) {
  return Reader(path).read();
}

}  // namespace lightrail
