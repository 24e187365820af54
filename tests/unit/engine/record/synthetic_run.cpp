#include "tests/unit/engine/record/synthetic_run.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/built_in_tables.hpp"
#include "components/gpu/tables.hpp"
#include "engine/base/hash.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/model_notes.hpp"
#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "workloads/collective/algorithm_registry.hpp"

namespace lightrail::test {

namespace {

constexpr std::uint32_t gpus_per_server = 8;

std::shared_ptr<const ComponentKind> gpu_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "gpu";
  kind->values = [](const Spec&) {
    return std::vector<ParameterValue>{{"memory", "80 GB", "B", "gpus.xml:3"},
                                       {"launch", "4 us", "ps", "default"}};
  };
  return kind;
}

}  // namespace

Model synthetic_model(std::uint32_t servers) {
  Model model;
  model.tables = std::make_shared<const TableRegistry>(built_in_tables(built_in_algorithms()));
  model.kinds.push_back(gpu_kind());
  model.specs.push_back(std::make_shared<Spec>());
  model.name_prefixes = {"gpu"};
  model.names = {"gemm", "all_reduce", "attention forward"};
  model.dimensions = {"tp", "dp"};
  model.atom_count = servers;
  model.link_classes.push_back(
      {"nvlink", nanoseconds(500), BitRate{2'400'000'000'000}, 4096, 8, "nvlink", 1.3});
  const std::uint32_t gpus = servers * gpus_per_server;
  for (std::uint32_t i = 0; i < gpus; ++i) {
    model.components.push_back({2 * i, 2, 0, 0, AtomId{i / gpus_per_server}, 0, i});
    std::uint32_t next = i / gpus_per_server * gpus_per_server + (i + 1) % gpus_per_server;
    model.links.push_back({ComponentId{i}, ComponentId{next}, 0, 1, 0});
    model.links.push_back({ComponentId{next}, ComponentId{i}, 1, 0, 0});
    model.ports.resize(model.ports.size() + 2);
  }
  auto notes = std::make_shared<ModelNotes>();
  notes->groups = {{"tp", gpus_per_server}};
  notes->folders = {{"group_kinds", "row i is group kind i", {{"name", std::vector<std::string>{"tp"}}}},
                    {"programs",
                     "",
                     {{"role", std::vector<std::string>{"stage 0"}},
                      {"program_of_gpu", std::vector<std::int64_t>(gpus, 0)}}},
                    {"programs/streams",
                     "",
                     {{"program", std::vector<std::int64_t>{0, 0, 0}},
                      {"stream", std::vector<std::int64_t>{0, 1, 2}},
                      {"name", std::vector<std::string>{"compute", "nccl tp", "host"}}}}};
  model.add<ModelNotes>(std::move(notes));
  return model;
}

Partition dealt_partition(const Model& model, int ranks) {
  Partition partition;
  partition.ranks = ranks;
  for (std::uint32_t atom = 0; atom < model.atom_count; ++atom)
    partition.rank_of_atom.push_back(static_cast<std::int32_t>(atom) % ranks);
  return partition;
}

void record_synthetic_rows(Recorder& recorder, const Model& model, const Partition& partition, int rank,
                           int intervals, int rows_per_component) {
  const auto count = static_cast<std::uint32_t>(model.components.size());
  for (int interval = 0; interval < intervals; ++interval) {
    for (std::uint32_t i = 0; i < count; ++i) {
      // Ranks go through their components in different directions.
      std::uint32_t id = rank % 2 ? count - 1 - i : i;
      if (partition.rank_of(model.components[id]) != rank) continue;
      // Some components are silent in some intervals.
      if (mix64(id * 31 + interval) % 5 == 0) continue;
      for (int n = 0; n < rows_per_component; ++n) {
        // Two rows share a time; some times run backwards (an operation's start, written when it ends).
        auto time = microseconds(1000 * interval + (n / 2 * 7) % 50);
        std::int64_t start = time.count(), end = start + 1'000'000 + id;
        recorder.append(
            tables::ops, ComponentId{id}, time,
            std::array<std::int64_t, 11>{id, n % 3, n, n % 3, 0, interval, start, end, -1, 4096 * n, -1});
        if (n % 4 == 0)
          recorder.append(tables::collectives, ComponentId{id}, time,
                          std::array<std::int64_t, 8>{id, 0, 1, 1, 3, 1 << 20, start, end});
      }
      recorder.append(tables::traffic, ComponentId{id}, milliseconds(interval),
                      std::array<std::int64_t, 4>{id, id % 2, 1000 + id, 1});
      std::int64_t start = milliseconds(interval).count(), end = start + 900'000'000 + id;
      std::int64_t idle = end - start - 800'000'000;
      recorder.append(
          tables::steps, ComponentId{id}, milliseconds(interval),
          std::array<std::int64_t, 9>{id, interval, start, end, 500'000'000, 300'000'000, idle, idle / 2, 0});
      recorder.append(tables::link_use, ComponentId{id}, milliseconds(interval),
                      std::array<std::int64_t, 4>{2 * id, interval, 1'000'000 * id, 5'000'000 * id});
      if (interval == 0)
        recorder.append(tables::traffic_matrix, ComponentId{id}, milliseconds(interval),
                        std::array<std::int64_t, 3>{id, (id + 8) % count, 1000 + id});
    }
    recorder.flush(milliseconds(interval + 1));
  }
}

RunOutcome synthetic_outcome() {
  RunOutcome outcome;
  outcome.status = "complete";
  outcome.exit_code = 0;
  outcome.end = milliseconds(7);
  outcome.events = 12'345;
  outcome.hash = 0x0123456789abcdefULL;
  outcome.wall_s = 1.5;
  outcome.profile.push_back({0, 10, SimTime{0}, milliseconds(7), 0.5, 0.25, 12'345, 10, 320});
  return outcome;
}

}  // namespace lightrail::test
