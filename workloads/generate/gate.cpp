#include "workloads/generate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace lightrail {

namespace {

struct GateText {
  std::string tokens;
  bool rotate = false;
};

Describe<GateText> gate_table() {
  return Describe<GateText>()
      .required("tokens", &GateText::tokens, "rows by sender, ended by ';', a number for each receiver")
      .field("rotate", &GateText::rotate, "layer l sends one member further than layer l - 1");
}

}  // namespace

void read_gate(const Element& workload, std::uint32_t members, Gate& gate, ErrorList& errors) {
  const Element* element = workload.child("gate");
  if (!element) return;
  GateText text;
  const std::size_t before = errors.size();
  gate_table().parse(*element, text, errors);
  if (errors.size() > before) return;
  std::vector<std::int64_t> tokens;
  std::istringstream rows(text.tokens);
  std::uint32_t count = 0;
  for (std::string row; std::getline(rows, row, ';');) {
    std::istringstream numbers(row);
    std::uint32_t columns = 0;
    std::int64_t number = 0, sum = 0;
    for (; numbers >> number; ++columns) {
      if (number < 0) columns = members + 1;
      tokens.push_back(number), sum += number;
    }
    if (columns == 0 && numbers.eof()) continue;  // after the last ';'
    if (columns != members || !numbers.eof() || sum == 0) {
      errors.add(element->error(fmt::format(
          "<gate> attribute 'tokens': row {} is not {} numbers of tokens, some above 0", count, members)));
      return;
    }
    ++count;
  }
  if (count != members) {
    errors.add(element->error(fmt::format(
        "<gate> attribute 'tokens' has {} rows, expected {}: one for each member of an expert group (ep)",
        count, members)));
    return;
  }
  gate = {std::move(tokens), members, text.rotate};
}

std::vector<ParameterDoc> gate_documentation() {
  return gate_table().documentation();
}

GateSplits add_gate_splits(const Gate& gate, std::int64_t layer, JobBuilder& job) {
  GateSplits splits;
  if (gate.is_even()) return splits;
  const std::uint32_t n = gate.size;
  const auto shift = static_cast<std::uint32_t>(gate.rotates ? layer % n : 0);
  // Every sender has the same number of tokens: rows count by their shares.
  std::vector<double> share(std::size_t{n} * n);
  for (std::uint32_t from = 0; from < n; ++from) {
    const auto row = gate.tokens.begin() + std::ptrdiff_t{from} * n;
    const auto sum = static_cast<double>(std::accumulate(row, row + n, std::int64_t{0}));
    for (std::uint32_t to = 0; to < n; ++to)
      share[std::size_t{from} * n + (to + shift) % n] = static_cast<double>(row[to]) / sum;
  }
  double most = 0;
  for (std::uint32_t to = 0; to < n; ++to) {
    double received = 0;
    for (std::uint32_t from = 0; from < n; ++from) received += share[std::size_t{from} * n + to];
    most = std::max(most, received);
  }
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
  auto& all = job.job().programs.splits;
  const auto add = [&](SplitMatrix matrix) {
    for (std::size_t i = 1; i < all.size(); ++i)
      if (all[i].size == matrix.size && all[i].share == matrix.share) return static_cast<std::uint16_t>(i);
    all.push_back(std::move(matrix));
    return static_cast<std::uint16_t>(all.size() - 1);
  };
  splits.dispatch = add(std::move(dispatch));
  splits.combine = add(std::move(combine));
  splits.combine_bytes = most;
  return splits;
}

}  // namespace lightrail
