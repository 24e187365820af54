#include "tests/support/phold.hpp"

#include <cmath>
#include <cstdint>

#include "engine/base/random.hpp"
#include "engine/model/component.hpp"

namespace lightrail::test {
namespace {

class Phold final : public Component {
 public:
  Phold(const PholdSpec& spec, std::uint64_t seed, ComponentId id) : spec_(spec), random_(seed, id, 3) {}
  void start(Context& context) override { context.wake(delay(random_.uniform()), {}); }
  void handle(const Event& event, PortIndex, Context& context) override {
    const auto [where, when] = random_.two_uniform();
    if (where < spec_.remote) {  // then where / remote is uniform too
      const auto port =
          static_cast<PortIndex>(where / spec_.remote * static_cast<double>(context.port_count()));
      context.send(port, context.now() + delay(when), event.payload);
    } else {
      context.wake(context.now() + spec_.lookahead + delay(when), event.payload);
    }
  }
  void save(StateWriter& out) const override { out.put(random_); }
  void load(StateReader& in) override { in.get(random_); }

 private:
  SimTime delay(double uniform) const {
    return SimTime{static_cast<std::int64_t>(-spec_.mean_delay * std::log(1.0 - uniform))};
  }
  const PholdSpec& spec_;
  Random random_;
};

}  // namespace

std::shared_ptr<const ComponentKind> phold_kind() {
  static const auto kind = [] {
    auto k = std::make_shared<ComponentKind>();
    k->name = "phold";
    k->make = [](const BuildContext& build) -> std::unique_ptr<Component> {
      return std::make_unique<Phold>(static_cast<const PholdSpec&>(build.spec), build.model.seed, build.id);
    };
    return k;
  }();
  return kind;
}

Model make_phold(std::uint32_t count, std::uint32_t degree, std::uint32_t atom, std::uint64_t seed) {
  TestModel test;
  const auto spec = std::make_shared<PholdSpec>();
  for (std::uint32_t c = 0; c < count; ++c) test.add(phold_kind(), spec, c / atom);
  Random random(seed, ComponentId{0}, 1);
  for (std::uint32_t c = 0; c < count; ++c)
    for (std::uint32_t d = 0; d < (degree + 1) / 2; ++d)
      test.connect(ComponentId{c}, ComponentId{static_cast<std::uint32_t>(random.below(count))},
                   spec->lookahead);
  return test.build(seed);
}

}  // namespace lightrail::test
