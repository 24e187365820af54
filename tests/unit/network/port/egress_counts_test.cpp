#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "network/port/egress_bank.hpp"
#include "network/port/reports.hpp"
#include "network/port/tables.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// What a probe tells it on port 1: trains to send on port 0, and by control messages of so many bytes to
/// record what the line carries.
enum class Order : std::uint32_t { start = 1, take = 2, carry = 3 };

class Recorded final : public Component {
 public:
  explicit Recorded(const BuildContext& build) : model_(build.model), egress_(build) {}
  void handle(const Event& event, PortIndex port, Context& context) override {
    if (port != 1) return;
    const auto frame = as<Frame>(event.payload);
    if (frame.kind == MessageKind::train) {
      REQUIRE(egress_.offer(context, 0, frame, context.now()).has_value());
      return;
    }
    switch (static_cast<Order>(frame.bytes)) {
      case Order::start:
        return egress_.start_record(0, context.now());
      case Order::take:
        record_ = egress_.take_record(0);
        return;
      case Order::carry:
        return egress_.carry(context, 0, record_, context.now());
    }
  }
  void finish(Context& context) override {
    egress_.finish(context);
    record_power(context, model_, Watts{0}, egress_);
  }
  void save(StateWriter& out) const override { egress_.save(out), record_.save(out); }
  void load(StateReader& in) override { egress_.load(in), record_.load(in); }

 private:
  const Model& model_;
  EgressBank egress_;
  LineRecord record_;
};

struct Line {
  NetworkBed bed;
  ComponentId probe = bed.add_endpoint(), far = bed.add_endpoint(), device;
  Line() {
    auto kind = std::make_shared<ComponentKind>();
    kind->name = "recorded";
    kind->make = [](const BuildContext& build) { return std::make_unique<Recorded>(build); };
    device = bed.add(kind, std::make_shared<ProbeSpec>(), "device");
    // 20 ps a byte.
    const auto cable = bed.link_class(nanoseconds(50), BitRate{400'000'000'000}, 4096, 1);
    bed.link_class_at(cable).energy_pj_per_bit = 3;
    bed.connect(device, 0, far, 0, cable);
    bed.connect(probe, 0, device, 1, bed.link_class(SimTime{1}, BitRate{}, 4096, 1));
    bed.record(nanoseconds(400));
  }
  void tell(SimTime at, Order order) {
    bed.script(probe, at, 0,
               train_payload(MessageKind::control, EndpointId{0}, EndpointId{1}, {},
                             static_cast<std::uint32_t>(order)));
  }
  /// Three that wait for one another, and a short one on another connection.
  void send(SimTime at) {
    for (const std::uint32_t bytes : {4096u, 4096u, 4096u})
      bed.script(probe, at, 0, train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {1}, bytes));
    bed.script(probe, at + nanoseconds(300), 0,
               train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {2}, 100));
  }
  std::vector<std::vector<std::int64_t>> rows(TableId table) {
    std::vector<std::vector<std::int64_t>> all;
    for (const Row& row : bed.rows(table))
      if (row.component == device) all.push_back(row.values);
    std::sort(all.begin(), all.end());
    return all;
  }
};

}  // namespace

TEST_CASE("what is carried once more is counted as if the line had carried it again, in every table") {
  const SimTime first = nanoseconds(1000), again = nanoseconds(2130);
  Line twice, carried;
  for (Line* line : {&twice, &carried}) {
    line->send(nanoseconds(10));  // before the record, and in none
    line->send(first);
  }
  twice.send(again);
  carried.tell(first - SimTime{1}, Order::start);
  carried.tell(first + nanoseconds(900), Order::take);
  carried.tell(again - SimTime{1}, Order::carry);
  // A checkpoint in the record, whose port then goes on being recorded.
  twice.bed.run(), carried.bed.run(first + nanoseconds(100));
  CHECK(carried.bed.trains(carried.far).size() == 8);
  CHECK(twice.bed.trains(twice.far).size() == 12);
  for (const TableId table : {tables::link_use, tables::link_traffic, tables::queue, tables::power})
    CHECK(carried.rows(table) == twice.rows(table));
  CHECK(carried.rows(tables::queue).size() == 1);
  CHECK(carried.rows(tables::power).size() == 1);
}

TEST_CASE("a record that the end of the run cuts off loses nothing of the queue") {
  Line plain, cut;
  for (Line* line : {&plain, &cut}) line->send(nanoseconds(10)), line->send(nanoseconds(1000));
  cut.tell(nanoseconds(900), Order::start);
  plain.bed.run(), cut.bed.run();
  CHECK(cut.rows(tables::queue) == plain.rows(tables::queue));
  CHECK(cut.rows(tables::queue).size() == 1);
}
