#include "components/supervisor/supervisor.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "components/supervisor/tables.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"
#include "workloads/program/groups.hpp"

using namespace lightrail;
using restart_control::Break;
using restart_control::Broken;
using restart_control::Halt;
using restart_control::Report;
using restart_control::Resume;

namespace {

SimTime us(std::int64_t n) {
  return microseconds(n);
}

/// Four servers of one GPU: a job on servers 0 and 1, saving checkpoints, and servers 2 and 3 as spares where
/// `spares` names them. Stages: detection 100 us, replacement 50, rendezvous 20, 1 a GPU, warm-up 10. GPUs of
/// servers stand still as told. The supervisor is driven by hand: at() gives it an event, `sent` is what it
/// answers with, by port.
class Bed {
 public:
  struct Sent {
    PortIndex port = 0;
    SimTime arrives{};
    Payload payload;
  };

  /// `keeps_in_memory`: the two servers of the job are a group that keeps each other's state.
  explicit Bed(const std::vector<std::pair<std::uint32_t, Outage>>& failures,
               const std::vector<std::uint32_t>& spares, bool keeps_in_memory = false) {
    test::TestModel made;
    const auto spec = std::make_shared<const test::RoleSpec<DeviceRole::gpu>>();
    auto book = std::make_shared<AddressBook>();
    for (std::uint32_t g = 0; g < 4; ++g) {
      book->component_of.push_back(made.add(test::kind_named("gpu", false), spec));
      book->endpoints.push_back({g, Lid{}, 0, 0});
    }
    book->gpu_count = book->first_storage = 4;
    const ComponentId id = made.add(supervisor_kind(), std::make_shared<const SupervisorSpec>());
    auto plan = std::make_shared<RestartPlan>();
    plan->stages = {us(100), us(50), us(20), SimTime{0}, us(1), us(10)};
    plan->jobs.push_back({"", {EndpointId{0}, EndpointId{1}}});
    if (keeps_in_memory) plan->jobs[0].memory = GroupKindId{0};
    plan->gpus = {EndpointId{0}, EndpointId{1}};
    for (const std::uint32_t server : spares) plan->gpus.emplace_back(server);
    for (const EndpointId gpu : plan->gpus)
      made.connect(id, book->component_of[gpu.value], RestartPlan::notice);
    model_ = made.build();
    HealthTable::Slowdowns slowdowns;
    for (const auto& [server, span] : failures)
      slowdowns[book->component_of[server]].push_back({span, all_speed});
    const auto table = std::make_shared<const HealthTable>(HealthTable({}, {}, {}, slowdowns));
    const auto health = std::make_shared<const ServerHealth>(model_, *table, *book, nullptr);
    model_.add<SpareServers>(
        std::make_shared<const SpareServers>(*book, *health, std::vector<bool>{true, true}, spares, us(100)));
    model_.add<ServerHealth>(health);
    model_.add<HealthTable>(table);
    auto groups = std::make_shared<GroupTable>();
    groups->add({"peers", {{2, 1}}, {}, 1}, 2);
    model_.add<GroupTable>(groups);
    model_.add<AddressBook>(std::shared_ptr<const AddressBook>(book));
    model_.add<RestartPlan>(std::shared_ptr<const RestartPlan>(plan));
    for (std::size_t i = 0; i < plan->gpus.size(); ++i)
      ports_.push_back({RestartPlan::notice, LinkId{static_cast<std::uint32_t>(i)}});
    const ComponentRecord& record = model_.components[id.value];
    supervisor_.emplace(BuildContext{id, record, *model_.specs[record.spec], model_});
    id_ = id;
    with(SimTime{0}, [&](Context& context) { supervisor_->start(context); });
  }

  /// GPU at `port` says so; it arrives `at`.
  template <class Message>
  void at(SimTime at, PortIndex port, const Message& message) {
    Event event;
    event.payload = to_payload(message);
    with(at, [&](Context& context) { supervisor_->handle(event, port, context); });
  }
  /// Its next own event.
  void next_wake() {
    REQUIRE(!wakes_.empty());
    auto first = std::min_element(wakes_.begin(), wakes_.end(),
                                  [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto [time, payload] = *first;
    wakes_.erase(first);
    Event event;
    event.payload = payload;
    with(time, [&](Context& context) { supervisor_->handle(event, self_port, context); });
  }
  [[nodiscard]] bool has_wakes() const { return !wakes_.empty(); }
  [[nodiscard]] std::vector<Sent> take() { return std::exchange(sent_, {}); }
  [[nodiscard]] std::vector<std::string> waits() const { return supervisor_->waits_for(); }
  std::vector<std::vector<std::int64_t>> rows;

  /// A Report of a GPU.
  static Report report(MessageKind kind, std::uint8_t attempt, std::uint32_t iteration) {
    return {.kind = kind, .attempt = attempt, .iteration = iteration};
  }

 private:
  struct Events final : EventSink {
    Bed* bed = nullptr;
    void push(SimTime time, std::uint32_t, Payload payload, const OutLink& link) override {
      if (link.id.is_valid())
        bed->sent_.push_back({static_cast<PortIndex>(link.id.value), time, payload});
      else
        bed->wakes_.emplace_back(time, payload);
    }
  };
  struct Rows final : RowSink {
    Bed* bed = nullptr;
    void append(TableId table, ComponentId, SimTime, std::span<const std::int64_t> row) override {
      CHECK(table == tables::restarts);
      bed->rows.emplace_back(row.begin(), row.end());
    }
  };
  template <class Call>
  void with(SimTime now, Call&& call) {
    Events events;
    Rows sink;
    events.bed = sink.bed = this;
    OutLink self;
    Context context(id_, now, ports_, self, events, sink);
    call(context);
  }

  Model model_;
  std::vector<OutLink> ports_;
  std::optional<Supervisor> supervisor_;
  ComponentId id_{};
  std::vector<Sent> sent_;
  std::vector<std::pair<SimTime, Payload>> wakes_;
};

/// Ports that were told, each at the same time.
std::vector<PortIndex> told(const std::vector<Bed::Sent>& sent, MessageKind kind, SimTime at) {
  std::vector<PortIndex> ports;
  for (const Bed::Sent& one : sent) {
    CHECK(kind_of(one.payload) == kind);
    CHECK(one.arrives == at);
    ports.push_back(one.port);
  }
  return ports;
}

void save(Bed& bed, SimTime at, std::uint8_t attempt, std::uint32_t iteration) {
  for (PortIndex port = 0; port < 2; ++port)
    bed.at(at, port, Bed::report(MessageKind::saved, attempt, iteration));
}

void keep(Bed& bed, SimTime at, std::uint8_t attempt, std::uint32_t iteration,
          const std::vector<PortIndex>& ports = {0, 1}) {
  for (const PortIndex port : ports) {
    Report report = Bed::report(MessageKind::saved, attempt, iteration);
    report.in_memory = 1;
    bed.at(at, port, report);
  }
}

StateSource source_of(const Resume& order) {
  return static_cast<StateSource>(order.source);
}

}  // namespace

TEST_CASE("a GPU that fails for good: halt after the detection, resume after the stages, on the spare") {
  Bed bed({{1, {us(1000), time_never}}}, {2});
  save(bed, us(500), 0, 1);
  bed.next_wake();
  CHECK(told(bed.take(), MessageKind::halt, us(1100)) == std::vector<PortIndex>{0, 1});
  bed.at(us(1101), 0, Bed::report(MessageKind::halted, 1, 4));
  bed.at(us(1101), 1, Bed::report(MessageKind::halted, 1, 3));
  bed.next_wake();
  // 1100 + 50 of replacement + 20 of rendezvous + 2 GPUs.
  const auto sent = bed.take();
  CHECK(told(sent, MessageKind::resume, us(1172)) == std::vector<PortIndex>{0, 2});
  const auto resume = as<Resume>(sent[0].payload);
  CHECK(resume.attempt == 1);
  CHECK(source_of(resume) == StateSource::storage);
  CHECK(resume.iteration == 2);
  CHECK(resume.decided_at == us(1100));
  for (const PortIndex port : std::vector<PortIndex>{0, 2}) {
    bed.at(us(1200 + port), port, Bed::report(MessageKind::loaded, 1, 2));
    bed.at(us(1210 + port), port, Bed::report(MessageKind::back, 1, 2));
  }
  CHECK(bed.rows == std::vector<std::vector<std::int64_t>>{{0, 1, 0, 1, 1, 1, 2, us(1000).count(),
                                                            us(1100).count(), us(1172).count(),
                                                            us(1201).count(), us(1211).count(), 4, 2, 1}});
  CHECK(!bed.has_wakes());
  CHECK(bed.waits().empty());
}

TEST_CASE("a connection that breaks stops the job two notices later, on the same servers") {
  Bed bed({}, {2});
  bed.at(us(301), 1, Broken{.attempt = 0, .why = Break::connection, .gpu = EndpointId{1}});
  CHECK(told(bed.take(), MessageKind::halt, us(302)) == std::vector<PortIndex>{0, 1});
  bed.at(us(301), 0,
         Broken{.attempt = 0, .why = Break::timeout, .gpu = EndpointId{0}});  // of the same attempt
  CHECK(bed.take().empty());
  bed.next_wake();
  const auto sent = bed.take();
  CHECK(told(sent, MessageKind::resume, us(302 + 20 + 2)) == std::vector<PortIndex>{0, 1});
  CHECK(source_of(as<Resume>(sent[0].payload)) ==
        StateSource::beginning);  // no checkpoint: from the first iteration
  CHECK(as<Resume>(sent[0].payload).iteration == 0);
}

TEST_CASE("without a spare the job waits for the repair, and is lost where there is none") {
  Bed repaired({{0, {us(1000), us(5000)}}}, {});
  repaired.next_wake();
  CHECK(told(repaired.take(), MessageKind::halt, us(1100)).size() == 2);
  repaired.next_wake();
  CHECK(told(repaired.take(), MessageKind::resume, us(5022)) == std::vector<PortIndex>{0, 1});
  Bed lost({{0, {us(1000), time_never}}}, {});
  lost.next_wake();
  CHECK(told(lost.take(), MessageKind::halt, us(1100)).size() == 2);
  CHECK(!lost.has_wakes());
  CHECK(lost.waits() ==
        std::vector<std::string>{
            "the job has ended at 1.100 ms: gpu0 has failed for good, and no spare server is left"});
  REQUIRE(lost.rows.size() == 1);
  CHECK(lost.rows[0][13] == -1);
}

TEST_CASE("what is back before it is found is not missed") {
  Bed bed({{0, {us(1000), us(1100)}}}, {2});
  CHECK(!bed.has_wakes());
}

TEST_CASE("a failure on the way begins the restart anew, with a row of its own") {
  Bed bed({{1, {us(1000), time_never}}, {2, {us(1120), time_never}}}, {2, 3});
  bed.next_wake();
  static_cast<void>(bed.take());
  bed.next_wake();
  CHECK(told(bed.take(), MessageKind::resume, us(1172)) == std::vector<PortIndex>{0, 2});
  bed.next_wake();  // the spare had failed meanwhile
  CHECK(told(bed.take(), MessageKind::halt, us(1220)) == std::vector<PortIndex>{0, 2});
  bed.next_wake();
  CHECK(told(bed.take(), MessageKind::resume, us(1292)) == std::vector<PortIndex>{0, 3});
  REQUIRE(bed.rows.size() == 1);
  CHECK(bed.rows[0][1] == 1);
  CHECK(bed.rows[0][11] == -1);  // it was never back
}

TEST_CASE("a connection that breaks while servers fail is one restart, with all that has failed by then") {
  Bed bed({{1, {us(1000), time_never}}}, {2});
  bed.at(us(1011), 0, Broken{.attempt = 0, .gpu = EndpointId{0}});
  CHECK(told(bed.take(), MessageKind::halt, us(1012)) == std::vector<PortIndex>{0, 1});
  bed.next_wake();
  CHECK(told(bed.take(), MessageKind::resume, us(1012 + 50 + 22)) == std::vector<PortIndex>{0, 2});
  bed.next_wake();  // the health signal comes when that is known
  CHECK(bed.take().empty());
}

TEST_CASE("a checkpoint that ended as the job was stopped counts") {
  Bed bed({{1, {us(1000), time_never}}}, {2});
  save(bed, us(500), 0, 1);
  bed.next_wake();
  static_cast<void>(bed.take());
  save(bed, us(1101), 0, 3);
  bed.next_wake();
  CHECK(as<Resume>(bed.take()[0].payload).iteration == 4);
}

TEST_CASE("memory of the server that is left has the state, which the spare has from there") {
  Bed bed({{1, {us(1000), time_never}}}, {2}, true);
  save(bed, us(400), 0, 1);
  keep(bed, us(500), 0, 2);
  keep(bed, us(900), 0, 3, {0});  // not complete
  bed.next_wake();
  static_cast<void>(bed.take());
  bed.next_wake();
  for (const Bed::Sent& one : bed.take()) {
    const auto resume = as<Resume>(one.payload);
    CHECK(source_of(resume) == StateSource::memory);
    CHECK(resume.iteration == 3);
    CHECK(resume.lost == 0b10);
  }
}

TEST_CASE("a group that is lost whole, at once or before its next checkpoint, leaves storage") {
  Bed at_once({{0, {us(990), time_never}}, {1, {us(1000), time_never}}}, {2, 3}, true);
  save(at_once, us(400), 0, 1);
  keep(at_once, us(500), 0, 2);
  at_once.next_wake();  // the first one is found: by then both have failed
  static_cast<void>(at_once.take());
  at_once.next_wake();
  at_once.next_wake();
  const auto resume = as<Resume>(at_once.take().back().payload);
  CHECK(source_of(resume) == StateSource::storage);
  CHECK(resume.iteration == 2);

  Bed one_by_one({{1, {us(1000), time_never}}, {0, {us(3000), time_never}}}, {2, 3}, true);
  keep(one_by_one, us(500), 0, 2);
  one_by_one.next_wake();
  one_by_one.next_wake();
  CHECK(source_of(as<Resume>(one_by_one.take().back().payload)) == StateSource::memory);
  one_by_one.next_wake();  // server 0 fails too, and the spare kept nothing yet
  one_by_one.next_wake();
  CHECK(source_of(as<Resume>(one_by_one.take().back().payload)) == StateSource::beginning);
}

TEST_CASE("with the next checkpoint in memory a group has all of it again") {
  Bed bed({{1, {us(1000), time_never}}, {0, {us(3000), time_never}}}, {2, 3}, true);
  keep(bed, us(500), 0, 2);
  bed.next_wake();
  bed.next_wake();
  keep(bed, us(2000), 1, 2, {0, 2});  // the spare is at port 2
  bed.next_wake();
  bed.next_wake();
  const auto resume = as<Resume>(bed.take().back().payload);
  CHECK(source_of(resume) == StateSource::memory);
  CHECK(resume.iteration == 3);
  CHECK(resume.lost == 0b01);
}

TEST_CASE("a connection that breaks leaves memory as it is, a server that is repaired has lost it") {
  Bed broken({}, {}, true);
  keep(broken, us(100), 0, 0);
  broken.at(us(301), 1, Broken{.attempt = 0, .gpu = EndpointId{1}});
  static_cast<void>(broken.take());
  broken.next_wake();
  CHECK(as<Resume>(broken.take()[0].payload).lost == 0);
  Bed repaired({{0, {us(1000), us(5000)}}}, {}, true);
  keep(repaired, us(500), 0, 0);
  repaired.next_wake();
  static_cast<void>(repaired.take());
  repaired.next_wake();
  CHECK(as<Resume>(repaired.take()[0].payload).lost == 0b01);
}

TEST_CASE("when its jobs have ended nothing is watched for any more") {
  Bed bed({{1, {us(1000), time_never}}}, {2});
  for (PortIndex port = 0; port < 2; ++port) bed.at(us(900), port, Bed::report(MessageKind::ended, 0, 4));
  bed.next_wake();
  CHECK(bed.take().empty());
}

TEST_CASE("a job is restarted seven times at most") {
  Bed bed({}, {});
  for (std::uint8_t attempt = 0; attempt < 7; ++attempt)
    bed.at(us(100 * (attempt + 1)), 0, Broken{.attempt = attempt, .gpu = EndpointId{0}});
  CHECK_THROWS_WITH(bed.at(us(1000), 0, Broken{.attempt = 7, .gpu = EndpointId{0}}),
                    Catch::Contains("the job has been restarted 7 times, as often as a run may"));
}
