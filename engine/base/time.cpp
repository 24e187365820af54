#include "engine/base/time.hpp"

#include <fmt/format.h>

namespace lightrail {

std::string format_time(SimTime time) {
  if (time == time_never) return "never";
  struct Unit {
    std::int64_t size;
    const char* name;
  };
  static constexpr Unit units[] = {
      {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}};
  const bool is_negative = time.count() < 0;
  // The most negative count has no positive counterpart in 64 signed bits.
  const std::uint64_t count =
      is_negative ? 0 - static_cast<std::uint64_t>(time.count()) : static_cast<std::uint64_t>(time.count());
  for (const Unit& unit : units) {
    const auto size = static_cast<std::uint64_t>(unit.size);
    if (count < size) continue;
    std::uint64_t whole = count / size;
    std::uint64_t thousandths = (count % size * 1'000 + size / 2) / size;
    if (thousandths == 1'000) ++whole, thousandths = 0;
    return fmt::format("{}{}.{:03} {}", is_negative ? "-" : "", whole, thousandths, unit.name);
  }
  return fmt::format("{}{} ps", is_negative ? "-" : "", count);
}

}  // namespace lightrail
