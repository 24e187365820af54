#include "tests/support/token.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/component.hpp"
#include "tests/support/numbers.hpp"

namespace lightrail::test {
namespace {

class Token final : public Component {
 public:
  explicit Token(const TokenSpec& spec) : spec_(spec) {}
  void start(Context& context) override {
    if (spec_.gives_up_at > SimTime{0}) context.wake(spec_.gives_up_at, {});
    if (spec_.hops > 0) pass(spec_.hops, 0, context);
  }
  void handle(const Event& event, PortIndex port, Context& context) override {
    if (is_idle_wake(event) && port == self_port) return context.count_as_idle();
    ++seen_;
    if (port == self_port) return pass(1, 0, context);
    const std::uint32_t hops = as<Numbers>(event.payload).first;
    const std::array<std::int64_t, 1> row = {hops};
    context.record(0, row);
    if (hops == 0) return;
    pass(hops, static_cast<PortIndex>((port + 1u) % context.port_count()), context);
  }
  std::vector<std::string> waits_for() const override {
    if (spec_.expects && seen_ == 0) return {"a token"};
    return {};
  }
  bool is_idle_wake(const Event&) const override { return seen_ > 0; }
  void save(StateWriter& out) const override { out.put(seen_); }
  void load(StateReader& in) override { in.get(seen_); }

 private:
  static void pass(std::uint32_t hops, PortIndex port, Context& context) {
    context.send(port, context.now(), to_payload(Numbers{.first = hops - 1}));
  }
  const TokenSpec& spec_;
  std::int64_t seen_ = 0;
};

}  // namespace

std::shared_ptr<const ComponentKind> token_kind() {
  static const auto kind = [] {
    auto k = std::make_shared<ComponentKind>();
    k->name = "token";
    k->make = [](const BuildContext& build) -> std::unique_ptr<Component> {
      return std::make_unique<Token>(static_cast<const TokenSpec&>(build.spec));
    };
    return k;
  }();
  return kind;
}

}  // namespace lightrail::test
