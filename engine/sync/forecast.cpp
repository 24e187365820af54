#include "engine/sync/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/model/event.hpp"
#include "engine/sync/exchange.hpp"

namespace lightrail {
namespace {

/// How many ranks each rank sends a message to in every window.
std::vector<std::int64_t> count_neighbours(const Model& model, const Partition& partition) {
  if (partition.ranks <= Exchange::few_ranks)
    return std::vector<std::int64_t>(static_cast<std::size_t>(partition.ranks), partition.ranks - 1);
  std::set<std::pair<int, int>> pairs;
  for (const LinkRecord& link : model.links) {
    const int from = partition.rank_of(model.components[link.from.value]);
    const int to = partition.rank_of(model.components[link.to.value]);
    if (from != to) pairs.insert({from, to});
  }
  std::vector<std::int64_t> count(static_cast<std::size_t>(partition.ranks), 0);
  for (const auto& [from, to] : pairs) ++count[static_cast<std::size_t>(from)];
  return count;
}

/// A reduction by recursive doubling: as many messages one after the other as the rank count has bits.
double reduction_s(int ranks, const ForecastNetwork& network) {
  return std::ceil(std::log2(static_cast<double>(ranks))) * (network.latency_s + 2 * network.overhead_s);
}

}  // namespace

ForecastRecorder::ForecastRecorder(const Model& model, const ForecastPlan& plan)
    : model_(&model), network_(plan.network), cut_by_(model.links.size(), 0), costs_(model.kinds.size()) {
  LIGHTRAIL_EXPECT(plan.partitions.size() <= ForecastPlan::max_plans);
  for (const Partition& partition : plan.partitions) {
    const auto bit = static_cast<std::uint8_t>(1u << machines_.size());
    Machine& machine = machines_.emplace_back();
    machine.row.ranks = partition.ranks;
    machine.row.lookahead = partition.lookahead;
    machine.width = partition.lookahead.count();
    machine.neighbours = count_neighbours(model, partition);
    machine.is_complete = std::all_of(machine.neighbours.begin(), machine.neighbours.end(),
                                      [&](std::int64_t n) { return n == partition.ranks - 1; });
    for (const ComponentRecord& component : model.components)
      machine.rank_of.push_back(partition.rank_of(component));
    for (std::size_t l = 0; l < model.links.size(); ++l)
      if (machine.rank_of[model.links[l].from.value] != machine.rank_of[model.links[l].to.value])
        cut_by_[l] |= bit;
  }
}

void ForecastRecorder::go_to(SimTime start) {
  for (Machine& machine : machines_) {
    const std::int64_t number = start.count() / machine.width;
    machine.now = 0;
    while (machine.now < machine.windows.size() && machine.windows[machine.now].number != number)
      ++machine.now;
    if (machine.now == machine.windows.size()) open_window(machine, number);
  }
}

void ForecastRecorder::open_window(Machine& machine, std::int64_t number) {
  const auto ranks = static_cast<std::size_t>(machine.row.ranks);
  if (machine.unused.empty())
    machine.unused.push_back({0, std::vector<double>(ranks), std::vector<std::int64_t>(ranks), {}});
  machine.windows.push_back(std::move(machine.unused.back()));
  machine.unused.pop_back();
  machine.windows.back().number = number;
}

void ForecastRecorder::end_before(SimTime time) {
  for (Machine& machine : machines_)
    for (std::size_t w = 0; w < machine.windows.size();) {
      if ((machine.windows[w].number + 1) * machine.width > time.count()) {
        ++w;
        continue;
      }
      end_window(machine, machine.windows[w]);
      machine.unused.push_back(std::move(machine.windows[w]));
      machine.windows[w] = std::move(machine.windows.back());
      machine.windows.pop_back();
    }
}

double ForecastRecorder::cost_of(std::uint16_t kind) const {
  const Cost& cost = costs_[kind].events > 0 ? costs_[kind] : all_;
  return cost.events > 0 ? cost.seconds / static_cast<double>(cost.events) : 1e-7;
}

void ForecastRecorder::count(ComponentId component, std::int64_t events, double seconds) {
  const std::uint16_t kind = model_->components[component.value].kind;
  if (seconds > 0) {
    for (Cost* cost : {&costs_[kind], &all_}) cost->seconds += seconds, cost->events += events;
  }
  const double work = static_cast<double>(events) * cost_of(kind);
  for (Machine& machine : machines_) {
    const std::int32_t rank = machine.rank_of[component.value];
    Window& window = machine.windows[machine.now];
    double& sum = window.work[static_cast<std::size_t>(rank)];
    if (sum == 0) window.busy.push_back(rank);
    sum += work;
  }
}

void ForecastRecorder::count_sent(LinkId link) {
  if (link.value >= cut_by_.size() || cut_by_[link.value] == 0) return;
  const std::uint32_t from = model_->links[link.value].from.value;
  for (std::size_t m = 0; m < machines_.size(); ++m)
    if (cut_by_[link.value] >> m & 1) {
      Machine& machine = machines_[m];
      ++machine.windows[machine.now].sent[static_cast<std::size_t>(machine.rank_of[from])];
    }
}

void ForecastRecorder::end_window(Machine& machine, Window& window) const {
  if (window.busy.empty()) return;
  double longest = 0, exchange = 0;
  for (const std::int32_t rank : window.busy) {
    const auto r = static_cast<std::size_t>(rank);
    longest = std::max(longest, window.work[r]);
    machine.row.work_s += window.work[r];
    machine.row.sent_events += window.sent[r];
    const auto bytes = static_cast<double>((window.sent[r] + machine.neighbours[r]) *
                                           static_cast<std::int64_t>(sizeof(Event)));
    exchange = std::max(exchange, 2 * network_.overhead_s * static_cast<double>(machine.neighbours[r]) +
                                      bytes / network_.bandwidth_bytes_per_s);
    window.work[r] = 0, window.sent[r] = 0;
  }
  window.busy.clear();
  ++machine.row.windows;
  machine.row.longest_s += longest;
  if (machine.row.ranks == 1) return;
  const double reduction = machine.is_complete ? 0 : reduction_s(machine.row.ranks, network_);
  machine.row.sync_s += std::max(network_.latency_s + exchange, reduction);
}

std::vector<ForecastRow> ForecastRecorder::rows(double work_s) {
  std::vector<ForecastRow> rows;
  for (Machine& machine : machines_) {
    for (Window& window : machine.windows) end_window(machine, window);
    ForecastRow& row = rows.emplace_back(machine.row);
    const double scale =
        row.work_s > 0 ? work_s / row.work_s : 1;  // what the queue takes goes with the events
    row.work_s *= scale, row.longest_s *= scale;
  }
  return rows;
}

}  // namespace lightrail
