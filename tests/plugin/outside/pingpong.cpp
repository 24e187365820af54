#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/registry/registry.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/output_selection.hpp"

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
  explicit Player(const BuildContext& build)
      : spec_(static_cast<const PlayerSpec&>(build.spec)), table_(build.model.table("hits")) {
    const auto* output = build.model.resource<OutputSelection>();
    is_recorded_ = output && output->is_recorded(table_);
  }
  void start(Context& context) override {
    if (spec_.serves) hit(context);
  }
  void handle(const Event&, PortIndex, Context& context) override { hit(context); }
  void finish(Context& context) override {
    if (spec_.sulks) throw SimulationError(context.now(), "", "does not shake hands");
  }
  std::vector<std::string> waits_for() const override {
    if (hits_ >= spec_.rounds) return {};
    return {"a ball after " + std::to_string(hits_) + " of " + std::to_string(spec_.rounds) + " hits"};
  }
  void save(StateWriter& out) const override { out.put(hits_); }
  void load(StateReader& in) override { in.get(hits_); }

 private:
  void hit(Context& context) {
    if (hits_ >= spec_.rounds) return;
    if (is_recorded_) record(context);
    ++hits_;
    context.send(0, context.now(), Payload{});
  }
  void record(Context& context) const {
    const Stroke stroke = spec_.serves && hits_ == 0 ? Stroke::serve
                          : hits_ % 2 == 0           ? Stroke::forehand
                                                     : Stroke::backhand;
    const std::array<std::int64_t, 3> row{hits_, context.now().count(), static_cast<std::int64_t>(stroke)};
    context.record(table_, std::span(row).first(spec_.miscounts ? 2 : 3));
  }

  const PlayerSpec& spec_;
  const TableId table_;
  bool is_recorded_ = false;
  std::uint32_t hits_ = 0;
};

TableSchema hits_schema() {
  return {"hits",
          {{"hit", ColumnType::int64, "1", "of this player: 0, 1, ..."},
           {"t_hit_ps", ColumnType::int64, "ps", "when"},
           {"stroke", ColumnType::int64, "1", "how", stroke_names}},
          "every ball that a player hit"};
}

std::shared_ptr<const ComponentKind> player_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "player";
  kind->doc = "hits a ball back and forth over one link";
  kind->ports = {{"0", "1", "the other player"}};
  kind->statistics = {{"hits", "every hit"}};
  Describe<PlayerSpec> table;
  table.field("rounds", &PlayerSpec::rounds, "balls this player hits", 1u, 1000000u);
  table.field("serves", &PlayerSpec::serves, "hits the first ball at time 0");
  table.field("sulks", &PlayerSpec::sulks, "fails when the match has ended");
  table.field("miscounts", &PlayerSpec::miscounts, "records rows that lack a column");
  bind_spec(*kind, table);
  kind->make = [](const BuildContext& build) { return std::make_unique<Player>(build); };
  return kind;
}

}  // namespace

extern "C" void lightrail_plugin_register(lightrail::Registry& registry) {
  registry.tables.add(hits_schema());
  registry.components.add(player_kind());
}
