#include "workloads/generate/training/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/job/expert_load.hpp"

namespace lightrail {

namespace {

struct GateText {
  std::string tokens;
  bool rotate = false, over_iterations = false;
  double skew = 1, drift = 0, zipf = 0;
  std::int64_t first = 0, seed = 1;
};

Describe<GateText> gate_table() {
  return Describe<GateText>()
      .field("tokens", &GateText::tokens, "rows by sender, ended by ';', a number for each receiver")
      .field("zipf", &GateText::zipf,
             "instead of tokens: the k-th busiest expert of a layer gets a share proportional to k to minus "
             "this",
             0.0, 100.0)
      .field("seed", &GateText::seed, "zipf: draws who is the k-th busiest, layer by layer", std::int64_t{0},
             INT64_MAX)
      .field("rotate", &GateText::rotate, "layer l sends one row further than layer l - 1")
      .field("skew", &GateText::skew, "shares to the power of this: 0 even, 1 as given", 0.0, 100.0)
      .field("drift", &GateText::drift, "rows that the load moves on in each micro-batch", 0.0, 1e6)
      .field("first-micro-batch", &GateText::first,
             "drift: number of the step's first micro-batch, of a training that has gone on for some time",
             std::int64_t{0}, std::int64_t{1'000'000'000})
      .field(
          "over-iterations", &GateText::over_iterations,
          "drift: micro-batches are counted on over the iterations of the run; off: all have the same loads");
}

/// What a sender's tokens go by before they drift, in the order of receivers; together anything.
std::vector<double> weights_of(const Gate& gate, std::uint32_t row, std::int64_t layer) {
  std::vector<double> weight(gate.rows, 0);
  if (gate.tokens.empty()) {
    const auto shares = zipf_shares(gate.experts, gate.zipf, gate.seed, static_cast<std::uint32_t>(layer));
    for (std::uint32_t e = 0; e < gate.experts; ++e) weight[e / (gate.experts / gate.rows)] += shares[e];
    return weight;
  }
  for (std::uint32_t to = 0; to < gate.rows; ++to)
    weight[to] = std::pow(static_cast<double>(gate.tokens[std::size_t{row} * gate.rows + to]), gate.skew);
  return weight;
}

/// Shares of a sender in the order of receivers.
std::vector<double> shares_of(const std::vector<double>& weight, std::uint32_t shift, double moved) {
  const std::size_t n = weight.size();
  std::vector<double> share(n, 0);
  const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
  for (std::size_t to = 0; to < n; ++to) {
    const double part = weight[to] / sum;
    share[(to + shift) % n] += part * (1 - moved);
    share[(to + shift + 1) % n] += part * moved;
  }
  return share;
}

/// The mistake in how attributes go together, or "".
std::string contradiction(const Element& gate) {
  const bool is_zipf = gate.find("zipf"), has_tokens = gate.find("tokens");
  if (is_zipf && has_tokens) return "has both tokens and zipf";
  if (!is_zipf && !has_tokens) return "lacks the required attribute 'tokens' (or 'zipf')";
  if (is_zipf && (gate.find("skew") || gate.find("rotate")))
    return "has zipf with skew or rotate, which are of tokens";
  if (!is_zipf && gate.find("seed")) return "has a seed but no zipf";
  if (gate.find("first-micro-batch") && !gate.find("drift")) return "has first-micro-batch but no drift";
  if (gate.find("over-iterations") && !gate.find("drift")) return "has over-iterations but no drift";
  return "";
}

}  // namespace

void read_gate(const Element& workload, std::uint32_t members, std::int64_t experts, Gate& gate,
               ErrorList& errors) {
  const Element* element = workload.child("gate");
  if (!element) return;
  GateText text;
  const std::size_t before = errors.size();
  gate_table().parse(*element, text, errors);
  if (const std::string problem = contradiction(*element); !problem.empty())
    errors.add(element->error("<gate> " + problem));
  if (errors.size() > before) return;
  gate = {{},
          members,
          members,
          text.rotate,
          text.skew,
          text.drift,
          text.first,
          text.over_iterations,
          text.zipf,
          static_cast<std::uint64_t>(text.seed),
          static_cast<std::uint32_t>(experts)};
  if (!element->find("tokens")) return;
  std::vector<std::vector<std::int64_t>> rows;
  std::istringstream lines(text.tokens);
  const auto fail = [&](const std::string& what) {
    errors.add(element->error("<gate> attribute 'tokens': " + what));
  };
  for (std::string line; std::getline(lines, line, ';');) {
    std::istringstream numbers(line);
    std::vector<std::int64_t> row;
    for (std::int64_t number = 0; numbers >> number && number >= 0;) row.push_back(number);
    if (row.empty() && numbers.eof()) continue;  // after the last ';'
    if (!numbers.eof() || std::accumulate(row.begin(), row.end(), std::int64_t{0}) == 0)
      return fail(fmt::format("row {} is not made of numbers of tokens, some above 0", rows.size()));
    rows.push_back(std::move(row));
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r].size() != rows.size())
      return fail(fmt::format("row {} has {} numbers, expected {}: as many as there are rows", r,
                              rows[r].size(), rows.size()));
  if (rows.empty() || members % rows.size() != 0)
    return fail(
        fmt::format("{} rows do not divide the {} members of an expert group (ep)", rows.size(), members));
  gate.rows = static_cast<std::uint32_t>(rows.size());
  for (const auto& row : rows) gate.tokens.insert(gate.tokens.end(), row.begin(), row.end());
}

std::vector<ParameterDoc> gate_documentation() {
  return gate_table().documentation();
}

std::vector<double> GateShares::received() const {
  const std::size_t n = dropped.size();
  std::vector<double> sum(n, 0);
  for (std::size_t i = 0; i < share.size(); ++i) sum[i % n] += share[i];
  return sum;
}

namespace {

/// Every expert has its capacity, so what is dropped follows from their draws, not from their GPU's sum.
GateShares drawn_shares(const Gate& gate, std::int64_t layer) {
  const std::uint32_t n = gate.size, each = gate.experts / n;
  GateShares made{std::vector<double>(std::size_t{n} * n), std::vector<double>(n, 0), 0};
  const auto copies = static_cast<double>(gate.drawn_copies);
  for (std::uint32_t from = 0; from < n; ++from) {
    const std::vector<std::int64_t> tokens =
        drawn_tokens(gate.drawn_copies, gate.experts, gate.seed, static_cast<std::uint32_t>(layer), from);
    for (std::uint32_t e = 0; e < gate.experts; ++e) {
      const std::int64_t taken =
          gate.expert_capacity == 0 ? tokens[e] : std::min(tokens[e], gate.expert_capacity);
      made.share[std::size_t{from} * n + e / each] += static_cast<double>(taken) / copies;
      made.dropped[from] += static_cast<double>(tokens[e] - taken) / copies;
      made.kept += static_cast<double>(taken) / copies;
    }
  }
  return made;
}

}  // namespace

GateShares gate_shares(const Gate& gate, std::int64_t layer, std::int64_t micro_batch, double max_share) {
  if (gate.drawn_copies > 0) return drawn_shares(gate, layer);
  const std::uint32_t n = gate.size, neighbours = n / gate.rows;
  const double drifted = gate.drift * static_cast<double>(gate.first + micro_batch),
               whole = std::floor(drifted);
  const auto shift = static_cast<std::uint32_t>(
      ((gate.rotates ? layer : 0) + static_cast<std::int64_t>(std::fmod(whole, gate.rows))) % gate.rows);
  // Every sender has the same number of tokens: rows count by their shares.
  GateShares made{std::vector<double>(std::size_t{n} * n), std::vector<double>(n, 0), 1};
  std::vector<double> own;
  for (std::uint32_t row = 0; row < gate.rows; ++row) {
    if (row == 0 || !gate.tokens.empty())
      own = shares_of(weights_of(gate, row, layer), shift, drifted - whole);
    for (std::uint32_t from = row * neighbours; from < (row + 1) * neighbours; ++from)
      for (std::uint32_t to = 0; to < n; ++to)
        made.share[std::size_t{from} * n + to] = own[to / neighbours] / neighbours;
  }
  double kept = n;
  for (std::uint32_t from = 0; from < n; ++from)
    for (std::uint32_t to = 0; to < n; ++to) {
      double& part = made.share[std::size_t{from} * n + to];
      const double beyond = std::max(0.0, part - max_share);
      part -= beyond, made.dropped[from] += beyond, kept -= beyond;
    }
  made.kept = kept;
  return made;
}

GateSplits add_gate_splits(const Gate& gate, std::int64_t layer, std::int64_t micro_batch, double max_share,
                           JobBuilder& job) {
  GateSplits splits;
  if (gate.is_even()) return splits;
  const std::uint32_t n = gate.size;
  const GateShares shares = gate_shares(gate, layer, micro_batch, max_share);
  const std::vector<double>&share = shares.share, &dropped = shares.dropped, received = shares.received();
  splits.kept = shares.kept / n;
  const double most = *std::max_element(received.begin(), received.end());
  SplitMatrix dispatch{n, share}, combine{n, std::vector<double>(std::size_t{n} * n, 0)};
  for (std::uint32_t from = 0; from < n; ++from) {
    double sent = 0;
    for (std::uint32_t to = 0; to < n; ++to) {
      if (to == from) continue;
      combine.share[std::size_t{from} * n + to] = share[std::size_t{to} * n + from] / most;
      sent += combine.share[std::size_t{from} * n + to];
    }
    combine.share[std::size_t{from} * n + from] = 1 - sent;
  }
  // What is dropped goes nowhere: it stays in the sender's part for itself.
  for (std::uint32_t from = 0; from < n; ++from)
    if (dropped[from] > 0) dispatch.share[std::size_t{from} * n + from] += dropped[from];
  // Without drops that is what dispatch brings.
  if (std::any_of(dropped.begin(), dropped.end(), [](double d) { return d > 0; })) {
    SplitMatrix load{n, std::vector<double>(std::size_t{n} * n, 0)};
    for (std::size_t i = 0; i < share.size(); ++i)
      for (std::uint32_t row = 0; row < n; ++row) load.share[row * n + i % n] += share[i] / shares.kept;
    splits.load = job.split(std::move(load));
  }
  splits.dispatch = job.split(std::move(dispatch));
  if (splits.load == 0) splits.load = splits.dispatch;
  splits.combine = job.split(std::move(combine));
  splits.combine_bytes = most;
  return splits;
}

}  // namespace lightrail
