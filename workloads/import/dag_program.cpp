#include "workloads/import/dag_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

constexpr std::uint32_t none = 0xffffffff;
constexpr std::size_t max_dependencies = 60'000;  ///< of one operation; more are joined by markers

}  // namespace

std::uint16_t DagProgram::open_stream(const std::string& name, bool is_named) {
  if (streams_.size() >= max_streams)
    throw InputErrors(InputError{
        "", 0, fmt::format("a rank has more than {} operations that nothing orders", max_streams)});
  names_.push_back(name);
  streams_.push_back({none, is_named, {}});
  return static_cast<std::uint16_t>(streams_.size() - 1);
}

/// Sorted, each once, the newest first; too many become markers.
void DagProgram::normalise(std::vector<std::uint32_t>& after) {
  std::sort(after.begin(), after.end(), std::greater<>());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  while (after.size() > max_dependencies) {
    std::vector<std::uint32_t> oldest(after.end() - max_dependencies, after.end());
    after.resize(after.size() - max_dependencies);
    Op join;
    join.dimension = no_dimension;
    after.insert(after.begin(), anywhere(join, std::move(oldest)));
  }
}

std::uint16_t DagProgram::choose(const std::vector<std::uint32_t>& after) {
  for (std::uint32_t op : after) {
    const Stream& stream = streams_[stream_of_[op]];
    if (!stream.is_named && stream.tail == op) return stream_of_[op];
  }
  for (std::uint32_t op : after) {
    auto& spare = streams_[stream_of_[op]].spare;
    while (!spare.empty() && spare.back().since <= op) {
      Spare last = spare.back();
      spare.pop_back();
      if (streams_[last.stream].tail == last.tail) return static_cast<std::uint16_t>(last.stream);
    }
  }
  return open_stream(fmt::format("free {}", unnamed_++), false);
}

std::uint32_t DagProgram::place(Op op, std::uint16_t stream, const std::vector<std::uint32_t>& after,
                                std::vector<std::uint32_t>* waited) {
  std::vector<std::uint32_t> other;
  const auto index = static_cast<std::uint32_t>(stream_of_.size());
  for (std::uint32_t on : after) {
    const std::uint16_t of = stream_of_[on];
    if (of == stream) continue;
    other.push_back(on);
    if (!streams_[of].is_named && streams_[of].tail == on) streams_[stream].spare.push_back({of, on, index});
  }
  op.stream = stream;
  if (waited) {
    *waited = other;
    if (streams_[stream].tail != none) waited->push_back(streams_[stream].tail);
  }
  stream_of_.push_back(stream);
  streams_[stream].tail = index;
  return output_.add(op, other);
}

std::uint32_t DagProgram::on_stream(const std::string& stream, const Op& op, std::vector<std::uint32_t> after,
                                    std::vector<std::uint32_t>* waited) {
  auto it = named_.find(stream);
  if (it == named_.end()) it = named_.emplace(stream, open_stream(stream, true)).first;
  normalise(after);
  return place(op, it->second, after, waited);
}

std::uint32_t DagProgram::anywhere(const Op& op, std::vector<std::uint32_t> after,
                                   std::vector<std::uint32_t>* waited) {
  normalise(after);
  const std::uint16_t stream = choose(after);
  return place(op, stream, after, waited);
}

std::uint32_t DagProgram::message(const Op& op, std::vector<std::uint32_t> after,
                                  std::vector<std::uint32_t>* waited) {
  const std::uint64_t kind = op.kind == OpKind::send ? 1 : 0;
  const std::uint64_t group = op.group.value;
  LIGHTRAIL_EXPECT(op.root < 1 << 8 && group < 1 << 20);
  const std::uint64_t lane =
      kind << 60 | group << 40 | std::uint64_t{static_cast<std::uint32_t>(op.peer)} << 8 | op.root;
  std::uint32_t& last = last_message_[lane];
  if (last > 0) after.push_back(last - 1);
  const std::uint32_t index = anywhere(op, std::move(after), waited);
  last = index + 1;
  return index;
}

std::vector<std::uint32_t> topological_order(
    std::uint32_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  std::vector<std::uint32_t> missing(count), first(count + 1), next(edges.size());
  for (auto [later, earlier] : edges) ++missing[later], ++first[earlier + 1];
  for (std::uint32_t i = 0; i < count; ++i) first[i + 1] += first[i];
  std::vector<std::uint32_t> at(first.begin(), first.end() - 1);
  for (auto [later, earlier] : edges) next[at[earlier]++] = later;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i)
    if (missing[i] == 0) ready.push(i);
  std::vector<std::uint32_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::uint32_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (std::uint32_t e = first[i]; e < first[i + 1]; ++e)
      if (--missing[next[e]] == 0) ready.push(next[e]);
  }
  return order;
}

}  // namespace lightrail
