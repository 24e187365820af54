#include "workloads/import/chakra/chakra_capture.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "workloads/import/fastest_members.hpp"

namespace lightrail {

namespace {

/// 50 days at most, which picoseconds hold.
std::int64_t ps_of(std::int64_t us) {
  return std::min(us, std::int64_t{1} << 42) * 1'000'000;
}

}  // namespace

void ChakraCapture::add(std::uint32_t rank, const ChakraNode& node, const Op& op,
                        const std::vector<std::uint32_t>& members) {
  if (is_open_ && rank != rank_.gpu) end_rank();
  is_open_ = true;
  rank_.gpu = rank;
  if (node.is_cpu || node.type == 1) return;
  const bool is_communication = node.type >= 5;
  const auto us = static_cast<std::int64_t>(node.duration_us);
  if (op.kind == OpKind::collective && op.collective != CollectiveType::barrier) {
    ++count_;
    untimed_ += us == 0;
    auto& all = collectives_[members];
    const std::size_t i = next_[members]++;
    if (i == all.size()) all.push_back({op.collective, op.bytes, us});
    all[i].least_us = std::min(all[i].least_us, us);
  }
  (is_communication ? communication_us_ : kernels_us_) += us;
  if (us == 0 || !node.start_us) return;
  const auto start = static_cast<std::int64_t>(*node.start_us);
  (is_communication ? communication_ : kernels_).emplace_back(start, start + us);
}

void ChakraCapture::end_rank() {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  for (const Spans* spans : {&communication_, &kernels_})
    for (const auto& [start, end] : *spans) first = std::min(first, start), last = std::max(last, end);
  if (last > first) {
    rank_.span_ps = ps_of(last - first);
    rank_.exposed_ps = ps_of(exposed_time(std::move(communication_), std::move(kernels_)));
  }
  rank_.collectives_ps = ps_of(std::exchange(communication_us_, 0));
  rank_.other_kernels_ps = ps_of(std::exchange(kernels_us_, 0));
  ranks_.push_back(rank_);
  most_ = std::max(most_, count_);
  communication_.clear(), kernels_.clear(), next_.clear();
  rank_ = {};
  count_ = 0;
  is_open_ = false;
}

Capture ChakraCapture::finish() {
  if (is_open_) end_rank();
  Capture capture;
  if (most_ == 0 || untimed_ > 0) return capture;
  FastestMembers fastest;
  for (const auto& [members, all] : collectives_)
    for (const Collective& c : all) fastest.add(c.type, c.bytes, ps_of(c.least_us));
  fastest.into(capture);
  capture.collectives = most_;
  capture.ranks = ranks_;
  for (const Capture::Rank& rank : capture.ranks) capture.step_ps = std::max(capture.step_ps, rank.span_ps);
  return capture;
}

}  // namespace lightrail
