#include "tests/unit/workloads/import/chakra_text.hpp"

namespace lightrail {

namespace {

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value > 127; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string text(int field, const std::string& value) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(value.size()) + value;
}
std::string packed(int field, const std::vector<std::uint64_t>& values) {
  std::string all;
  for (std::uint64_t v : values) all += varint(v);
  return values.empty() ? "" : text(field, all);
}

}  // namespace

ChakraBytes::ChakraBytes(bool is_from_pytorch) {
  raw(is_from_pytorch ? text(2, text(1, "schema") + text(29, "1.0.1")) : text(1, "0.0.4"));
}

ChakraBytes& ChakraBytes::raw(const std::string& message) {
  bytes_ += varint(message.size()) + message;
  return *this;
}

ChakraBytes& ChakraBytes::node(const Node& n) {
  std::string m;
  if (n.id) m += number(1, n.id);
  m += text(2, n.name) + number(3, static_cast<std::uint64_t>(n.type)) + packed(4, n.control) +
       packed(5, n.data);
  if (n.start_us) m += number(6, n.start_us);
  if (n.duration_us) m += number(7, n.duration_us);
  if (!n.inputs.empty()) m += text(8, text(1, n.inputs));
  for (const auto& [name, value] : n.integers)
    m += text(10, text(1, name) + number(9, static_cast<std::uint64_t>(value)));
  for (const auto& [name, value] : n.texts) m += text(10, text(1, name) + text(29, value));
  if (!n.involved_dim.empty()) {
    std::string values;
    for (bool v : n.involved_dim) values += number(1, v);
    m += text(10, text(1, "involved_dim") + text(28, values));
  }
  return raw(m);
}

}  // namespace lightrail
