#include "tests/support/restless.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "engine/base/hash.hpp"
#include "engine/base/random.hpp"
#include "engine/model/component.hpp"
#include "tests/support/numbers.hpp"

namespace lightrail::test {
namespace {

class Restless final : public Component {
 public:
  Restless(const RestlessSpec& spec, std::uint64_t seed, ComponentId id)
      : spec_(spec), random_(seed, id, 7) {}

  void start(Context& context) override {
    if (spec_.first_budget > 0)
      context.wake(SimTime{draw(spec_.max_delay.count())}, payload(spec_.first_budget));
  }

  void handle(const Event& event, PortIndex port, Context& context) override {
    if (spec_.throws_at >= 0 && event.time.count() >= spec_.throws_at)
      fail(event.time, "tired on port " + std::to_string(port));
    if (spec_.works_for_s > 0) work();
    if (is_idle_wake(event)) return context.count_as_idle();
    auto said = as<Numbers>(event.payload);
    if (said.first == timer) said.first = 1;
    memory_ = hash_combine(memory_, said.second);
    memory_ = hash_combine(memory_, port);
    memory_ = hash_combine(memory_, static_cast<std::uint64_t>(event.time.count()));
    ++handled_;
    if (handled_ % 4 == 1) {
      const std::array<std::int64_t, 2> row = {static_cast<std::int64_t>(memory_), handled_};
      context.record(static_cast<TableId>(handled_ % 3), row);
    }
    spend(static_cast<std::int64_t>(said.first) - 1, context);
    if (spec_.sets_timers && handled_ % 5 == 2) set_timer(context);
  }
  bool is_idle_wake(const Event& event) const override {
    const auto said = as<Numbers>(event.payload);
    return said.first == timer && static_cast<std::int64_t>(said.second) <= handled_;
  }

  void finish(Context& context) override {
    const std::array<std::int64_t, 2> row = {static_cast<std::int64_t>(memory_), handled_};
    context.record(3, row);
    if (spec_.throws_in_finish) fail(context.now(), "tired at the end");
  }

  std::vector<std::string> waits_for() const override {
    if (spec_.throws_in_waits) throw ContractError("cannot say what it waits for");
    return spec_.waits.empty() ? std::vector<std::string>{} : std::vector<std::string>{spec_.waits};
  }
  void save(StateWriter& out) const override {
    if (spec_.throws_in_save) throw ContractError("cannot be saved");
    out.put(random_), out.put(memory_), out.put(handled_);
  }
  void load(StateReader& in) override { in.get(random_), in.get(memory_), in.get(handled_); }

 private:
  static constexpr std::uint32_t timer = 0xffffffff;  // instead of a budget
  [[noreturn]] void fail(SimTime time, const std::string& what) const {
    if (spec_.breaks_contract) throw ContractError("broken on purpose");
    throw SimulationError(time, "", what);
  }
  std::int64_t draw(std::int64_t largest) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(largest) + 1));
  }
  Payload payload(std::int64_t budget) {
    return to_payload(
        Numbers{.first = static_cast<std::uint32_t>(budget), .second = static_cast<std::uint32_t>(memory_)});
  }
  void work() const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(spec_.works_for_s);
    while (std::chrono::steady_clock::now() < until) {
    }
  }

  void spend(std::int64_t budget, Context& context) {
    if (budget <= 0) return;
    const auto ports = static_cast<std::int64_t>(context.port_count());
    const SimTime soon = context.now() + SimTime{draw(spec_.max_delay.count())};
    const auto some_port = [&] { return static_cast<PortIndex>(draw(ports - 1)); };
    const std::int64_t action = ports == 0 ? 6 + draw(2) : draw(8);
    switch (action) {
      case 0:
      case 1:
        context.send(some_port(), soon, payload(budget));
        break;
      case 2: {  // a burst: many ports at one time
        const std::int64_t n = std::min<std::int64_t>({budget, 1 + draw(7), 8});
        for (std::int64_t i = 0; i < n; ++i) context.send(some_port(), context.now(), payload(budget / n));
        break;
      }
      case 3: {  // several on one link at one time, and out of order
        const PortIndex port = some_port();
        context.send(port, soon, payload(budget / 3));
        context.send(port, soon, payload(budget / 3));
        context.send(port, context.now(), payload(budget / 3));
        break;
      }
      case 4:
        context.send(0, context.now(), payload(budget));
        break;
      case 5: {  // to itself twice now, and away
        context.wake(context.now(), payload(budget / 4));
        context.wake(context.now(), payload(budget / 4));
        context.send(some_port(), context.now(), payload(budget / 2));
        break;
      }
      case 6:
        context.wake(context.now() + SimTime{draw(3)}, payload(budget));
        break;
      case 7:
        context.wake(soon, payload(budget));
        break;
      default: {  // far: beyond every ring, up to hours
        const std::int64_t scale = std::int64_t{1} << draw(50);
        context.wake(context.now() + SimTime{draw(scale)}, payload(budget));
      }
    }
  }

  /// Soon, in the slice that runs or in one of the next, or in hours.
  void set_timer(Context& context) {
    const auto until = static_cast<std::uint32_t>(handled_ + draw(6));
    const std::int64_t delay = draw(1) == 0 ? draw(4 * spec_.max_delay.count()) : draw(std::int64_t{1} << 50);
    context.wake(context.now() + SimTime{delay}, to_payload(Numbers{.first = timer, .second = until}));
  }

  const RestlessSpec& spec_;
  Random random_;
  std::uint64_t memory_ = 0;
  std::int64_t handled_ = 0;
};

}  // namespace

std::shared_ptr<const ComponentKind> restless_kind() {
  static const auto kind = [] {
    auto k = std::make_shared<ComponentKind>();
    k->name = "restless";
    k->make = [](const BuildContext& build) -> std::unique_ptr<Component> {
      return std::make_unique<Restless>(static_cast<const RestlessSpec&>(build.spec), build.model.seed,
                                        build.id);
    };
    return k;
  }();
  return kind;
}

}  // namespace lightrail::test
