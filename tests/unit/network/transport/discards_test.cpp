#include "network/transport/discards.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "network/transport/tables.hpp"

using namespace lightrail;

namespace {

struct Rows final : RowSink {
  std::vector<std::vector<std::int64_t>> all;
  void append(TableId table, ComponentId, SimTime, std::span<const std::int64_t> row) override {
    CHECK(table == tables::discarded);
    all.emplace_back(row.begin(), row.end());
  }
};
struct NoEvents final : EventSink {
  void push(SimTime, std::uint32_t, Payload, const OutLink&) override {}
};

}  // namespace

TEST_CASE("payload that is thrown away is added up by where it was; control messages carry none") {
  Discards discards;
  discards.add(DiscardedAt::arrival, Frame{.kind = MessageKind::train, .bytes = 100});
  discards.add(DiscardedAt::arrival, Frame{.kind = MessageKind::control, .bytes = 64});
  discards.add(DiscardedAt::arrival, Frame{.kind = MessageKind::numbered_train, .bytes = 7});
  discards.add(DiscardedAt::sender, 5);
  StateWriter out;
  discards.save(out);
  Discards loaded;
  StateReader in(out.bytes());
  loaded.load(in);
  Rows rows;
  NoEvents events;
  OutLink self;
  Context context(ComponentId{0}, SimTime{0}, {}, self, events, rows);
  loaded.finish(context);
  CHECK(rows.all == std::vector<std::vector<std::int64_t>>{{0, 5}, {2, 107}});
}
