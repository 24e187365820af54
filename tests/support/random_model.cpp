#include "tests/support/random_model.hpp"

#include <memory>
#include <ostream>

#include "engine/base/random.hpp"
#include "tests/support/restless.hpp"
#include "tests/support/test_model.hpp"

namespace lightrail::test {

RandomCase random_case(std::uint64_t number, std::uint64_t max_events) {
  Random random(number, ComponentId{0}, 99);
  const auto draw = [&](std::uint64_t low, std::uint64_t high) { return low + random.below(high - low + 1); };
  RandomCase result;
  TestModel test;

  const std::uint64_t shape = draw(0, 4), latencies = draw(0, 3), per_atom = draw(1, 3);
  const auto count = static_cast<std::uint32_t>(draw(1, shape == 1 ? 60 : 20));
  const std::uint64_t max_delay = std::uint64_t{1} << draw(0, 16);
  const auto starters = draw(1, count);
  const auto budget = static_cast<std::int64_t>(draw(1, max_events) / starters + 1);
  for (std::uint32_t c = 0; c < count; ++c) {
    auto spec = std::make_shared<RestlessSpec>();
    spec->first_budget = c < starters ? budget : 0;
    spec->sets_timers = number % 2 == 0;
    spec->max_delay = SimTime{static_cast<std::int64_t>(max_delay)};
    test.add(restless_kind(), spec, static_cast<std::uint32_t>(c / per_atom));
  }
  const auto latency = [&] {
    switch (latencies) {
      case 0:
        return SimTime{500};
      case 1:
        return SimTime{static_cast<std::int64_t>(draw(1, 1000))};
      case 2:
        return SimTime{static_cast<std::int64_t>(std::uint64_t{1} << draw(0, 30))};
      default:
        return SimTime{1};
    }
  };
  const auto connect = [&](std::uint64_t a, std::uint64_t b) {
    test.connect(ComponentId{static_cast<std::uint32_t>(a)}, ComponentId{static_cast<std::uint32_t>(b)},
                 latency());
  };
  switch (shape) {
    case 0:  // ring
      for (std::uint32_t c = 0; c < count; ++c) connect(c, (c + 1) % count);
      break;
    case 1:  // star: the centre is hot
      for (std::uint32_t c = 1; c < count; ++c) connect(0, c);
      break;
    case 2:  // random, with loops and parallel links
      for (std::uint64_t l = 0; l < 2 * count; ++l) connect(draw(0, count - 1), draw(0, count - 1));
      break;
    case 3:  // pairs
      for (std::uint32_t c = 0; c + 1 < count; c += 2) connect(c, c + 1);
      break;
    default:
      break;  // loners
  }
  if (draw(0, 3) == 0) result.stop_at = SimTime{static_cast<std::int64_t>(draw(1, 40 * max_delay))};
  if (draw(0, 1) == 0) result.interval = SimTime{static_cast<std::int64_t>(draw(1, 10 * max_delay))};
  result.model = test.build(number);
  result.text = "case " + std::to_string(number) + ": shape " + std::to_string(shape) + ", latencies " +
                std::to_string(latencies) + ", " + std::to_string(count) + " components";
  return result;
}

std::ostream& operator<<(std::ostream& out, const Outcome& o) {
  return out << "hash " << o.hash << ", rows " << o.rows << ", events " << o.events << ", end "
             << o.end.count();
}

}  // namespace lightrail::test
