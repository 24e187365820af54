// What a window costs in which nothing crosses between ranks and each rank handles one event.
#include <fmt/format.h>
#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "benchmarks/measure.hpp"
#include "engine/model/kind.hpp"
#include "engine/sync/crowd.hpp"

using namespace lightrail;

namespace {

constexpr SimTime width = nanoseconds(100);
constexpr std::int64_t windows = 200'000, windows_of_many = 20'000;  // more ranks than cores take longer

/// Wakes itself once a window.
class Ticker final : public Component {
 public:
  void start(Context& context) override { context.wake(SimTime{0}, {}); }
  void handle(const Event& event, PortIndex, Context& context) override {
    context.wake(event.time + width, event.payload);
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}
};

/// Tickers in a ring, one for each rank.
Model build(std::uint32_t count) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "ticker";
  kind->make = [](const BuildContext&) { return std::make_unique<Ticker>(); };
  Model model;
  model.kinds.push_back(kind);
  model.specs.push_back(std::make_shared<Spec>());
  model.name_prefixes.emplace_back("ticker");
  LinkClass cable;
  cable.latency = width;
  model.link_classes.push_back(cable);
  for (std::uint32_t c = 0; c < count; ++c) {
    ComponentRecord record;
    record.first_port = 2 * c, record.port_count = 2, record.atom = AtomId{c}, record.number = c;
    model.components.push_back(record);
    model.ports.push_back({LinkId{2 * c}});                              // to the next
    model.ports.push_back({LinkId{2 * ((c + count - 1) % count) + 1}});  // to the one before
    const ComponentId here{c}, next{(c + 1) % count};
    model.links.push_back({here, next, 0, 1, 0});
    model.links.push_back({next, here, 1, 0, 0});
  }
  model.atom_count = count;
  return model;
}

}  // namespace

/// usage: [mpiexec -n N] windows
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  watch_for_crowd(MPI_COMM_WORLD);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Model model = build(static_cast<std::uint32_t>(ranks));
  const bench::Measured m =
      bench::measure(model, Engine::window, width * (ranks <= 2 ? windows : windows_of_many));
  if (rank == 0) {
    const std::string name = fmt::format("windows_empty_ranks{}_window", ranks);
    fmt::print("result {} {:.3g} us/window\n", name,
               1e6 * m.result.wall_s / static_cast<double>(m.result.windows));
    bench::print_costs(name, m);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
