#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/registry/registry.hpp"
#include "engine/model/kind.hpp"

namespace {

using namespace lightrail;

struct PlayerSpec final : Spec {
  std::uint32_t rounds = 10;
  bool serves = false;
  bool sulks = false;
  bool miscounts = false;
};

enum class Stroke : std::int64_t { serve, forehand, backhand };
const std::vector<std::string> stroke_names = {"serve", "forehand", "backhand"};

/// Returns every ball that arrives until it has hit `rounds` of them. Two players over a link of latency L
/// that hit r balls each end at 2 r L when one serves. Every hit is a row of the plugin's table.
class Player final : public Component {
 public:
  Player(const PlayerSpec& spec, TableId hits)
      : table_(hits),
        rounds_(spec.rounds),
        serves_(spec.serves),
        sulks_(spec.sulks),
        miscounts_(spec.miscounts) {}
  void start(Context& context) override {
    if (serves_) hit(context);
  }
  void handle(const Event&, PortIndex, Context& context) override { hit(context); }
  void finish(Context& context) override {
    if (sulks_) throw SimulationError(context.now(), "", "does not shake hands");
  }
  std::vector<std::string> waits_for() const override {
    if (hits_ >= rounds_) return {};
    return {"a ball after " + std::to_string(hits_) + " of " + std::to_string(rounds_) + " hits"};
  }
  void save(StateWriter& out) const override { out.put(hits_); }
  void load(StateReader& in) override { in.get(hits_); }

 private:
  void hit(Context& context) {
    if (hits_ >= rounds_) return;
    const Stroke stroke = serves_ && hits_ == 0 ? Stroke::serve
                          : hits_ % 2 == 0      ? Stroke::forehand
                                                : Stroke::backhand;
    const std::array<std::int64_t, 3> row{hits_, context.now().count(), static_cast<std::int64_t>(stroke)};
    context.record(table_, std::span(row).first(miscounts_ ? 2 : 3));
    ++hits_;
    context.send(0, context.now(), Payload{});
  }
  TableId table_;
  std::uint32_t rounds_;
  bool serves_;
  bool sulks_;
  bool miscounts_;
  std::uint32_t hits_ = 0;
};

}  // namespace

extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  registry.tables.add({"hits",
                       {{"hit", ColumnType::int64, "1", "of this player: 0, 1, ..."},
                        {"t_hit_ps", ColumnType::int64, "ps", "when"},
                        {"stroke", ColumnType::int64, "1", "how", stroke_names}},
                       "every ball that a player hit"});

  auto kind = std::make_shared<ComponentKind>();
  kind->name = "player";
  kind->doc = "hits a ball back and forth over one link";
  kind->ports = {{"table", "1", "the other player"}};
  kind->statistics = {{"hits", "every hit"}};
  Describe<PlayerSpec> table;
  table.field("rounds", &PlayerSpec::rounds, "balls this player hits", 1u, 1000000u);
  table.field("serves", &PlayerSpec::serves, "hits the first ball at time 0");
  table.field("sulks", &PlayerSpec::sulks, "fails when the match has ended");
  table.field("miscounts", &PlayerSpec::miscounts, "records rows that lack a column");
  bind_spec(*kind, table);
  kind->make = [](const BuildContext& build) -> std::unique_ptr<Component> {
    return std::make_unique<Player>(static_cast<const PlayerSpec&>(build.spec), build.model.table("hits"));
  };
  registry.components.add(kind);
}
