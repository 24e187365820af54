#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/transport/gpu_transport.hpp"
#include "network/wire/phase.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/wire_messages.hpp"

namespace lightrail::test {
namespace {

using Catch::Matchers::Contains;

/// One component by itself, to which anything can be handed.
class Poke final : EventSink, RowSink {
 public:
  Poke(GpuBed& bed, const std::string& name) {
    REQUIRE(bed.mistakes().empty());
    const Model& model = bed.bed.finish_model();
    for (std::uint32_t i = 0; i < model.components.size(); ++i)
      if (model.component_name(ComponentId{i}) == name) id_ = ComponentId{i};
    REQUIRE(id_.is_valid());
    const ComponentRecord& record = model.components[id_.value];
    component_ = model.kinds[record.kind]->make({id_, record, *model.specs[record.spec], model});
    ports_.resize(record.port_count);
  }
  /// What it says to `payload`.
  std::string hand(const Payload& payload, PortIndex port) {
    try {
      Context context(id_, nanoseconds(1), ports_, self_, *this, *this);
      component_->handle(Event{nanoseconds(1), LinkId{0}, 0, payload}, port, context);
    } catch (const SimulationError& e) {
      return e.what();
    }
    return "";
  }

 private:
  void push(SimTime, std::uint32_t, Payload, const OutLink&) override {}
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}

  ComponentId id_;
  std::unique_ptr<Component> component_;
  std::vector<OutLink> ports_;
  OutLink self_;
};

Connection connection(Phase phase, std::uint32_t ordinal = 0) {
  return Connection::make(ordinal >> 8, ordinal & 0xff, static_cast<std::uint32_t>(phase));
}
Payload train(std::uint32_t from, std::uint32_t to, Phase phase, std::uint32_t ordinal = 0) {
  return train_payload(MessageKind::train, EndpointId{from}, EndpointId{to}, connection(phase, ordinal), 64);
}
Payload work(std::uint32_t from, std::uint32_t to, Phase phase) {
  return work_payload(EndpointId{from}, EndpointId{to}, connection(phase), 64);
}
/// A storage server's event to itself: 33 a request has come in, 34 data has.
Payload storage_timer(std::uint8_t kind, std::uint32_t ordinal, std::uint32_t gpu) {
  return payload_of(kind | std::uint64_t{64} << 32, ordinal | std::uint64_t{gpu} << 32);
}

/// Two servers of two GPUs (0, 1 and 2, 3), hosts 4 and 5, storage 6.
GpuBed make_bed() {
  return GpuBed({.servers = 2, .gpus = 2, .nics = 2, .has_host = true, .joins_rails = true, .storage = 1});
}

}  // namespace

TEST_CASE("a GPU refuses what is no train and trains that it cannot forward") {
  GpuBed bed = make_bed();
  bed.run_all({});
  Poke gpu(bed, "gpu0");
  CHECK_THAT(gpu.hand(work(1, 0, Phase::ring), 0),
             Contains("unexpected message 'work request' on port 0; a gpu takes trains"));
  CHECK_THAT(gpu.hand(train(1, 3, Phase::ring), 1),
             Contains("a train for endpoint 3 (gpu3) came in on port 1, which this GPU cannot forward"));
}

TEST_CASE("a host refuses what is no train, trains for others and requests without an operation") {
  GpuBed bed = make_bed();
  bed.run_all({});
  Poke host(bed, "host4");
  CHECK_THAT(host.hand(work(0, 4, Phase::io_data), 0),
             Contains("unexpected message 'work request' on port 0; a host takes trains"));
  CHECK_THAT(host.hand(train(0, 3, Phase::io_data), 0),
             Contains("endpoint 3 (gpu3) is no GPU of this server"));
  CHECK_THAT(host.hand(train(0, 4, Phase::io_data, 300), 0),
             Contains("endpoint 0 (gpu0) asks for its I/O operation 300, which is no host copy"));
}

TEST_CASE("a storage server refuses what is no train, trains for others, and data without a request") {
  GpuBed bed = make_bed();
  Op copy;
  copy.kind = OpKind::host_copy;
  copy.bytes = 1;
  bed.run_all({copy});
  Poke storage(bed, "storage6");
  CHECK_THAT(storage.hand(work(0, 6, Phase::io_data), 0),
             Contains("unexpected message 'work request' on port 0; a storage server takes trains"));
  CHECK_THAT(storage.hand(train(0, 2, Phase::io_data), 0), Contains("a train for endpoint 2 (gpu2) came in"));
  CHECK_THAT(storage.hand(storage_timer(33, 0, 1), self_port),
             Contains("endpoint 1 (gpu1) asks for its I/O operation 0, which is no read or write"));
  CHECK_THAT(storage.hand(storage_timer(34, 7, 1), self_port),
             Contains("data of endpoint 1 (gpu1) came in without a request"));
}

TEST_CASE("a storage server without a network cannot answer") {
  GpuBed bed = make_bed();
  Op write;
  write.kind = OpKind::storage_write;
  write.bytes = 1;
  bed.run_all({write});
  Model& model = bed.bed.finish_model();
  for (const ComponentRecord& record : model.components)
    if (model.kinds[record.kind]->name == "storage") model.ports[record.first_port].out = LinkId{};
  Poke storage(bed, "storage6");
  CHECK_THAT(storage.hand(storage_timer(33, 0, 1), self_port), Contains("has no NIC"));
}

TEST_CASE("a GPU whose server has no NIC says that nobody may forward either") {
  GpuBed bed({.servers = 2, .gpus = 2});
  bed.run_all({collective(CollectiveType::all_reduce, bed.group("world", 4), 1'000)});
  CHECK_THAT(bed.error_of_run(), Contains("this GPU has no NIC and no local GPU that may forward (pxn)"));
}

TEST_CASE("a job for more GPUs than the system has is refused") {
  GpuBed bed({.gpus = 2});
  bed.run_all({});
  bed.set.program_of_gpu.assign(3, 0);
  REQUIRE(bed.mistakes().size() == 1);
  CHECK(bed.mistakes()[0] == "the job has programs for 3 GPUs, the system has 2");
}

}  // namespace lightrail::test
