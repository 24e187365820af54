#include "workloads/generate/load_predictor.hpp"

#include <cmath>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// Of a new estimate this share is even, so that what was never seen stays possible.
constexpr double even_share = 0.01;

}  // namespace

double LoadPredictor::expected(const std::vector<double>& before, std::uint32_t sender,
                               std::uint32_t to) const {
  double sum = 0;
  for (std::uint32_t from = 0; from < members_; ++from)
    sum += probability_[std::size_t{to} * members_ + from] * before[std::size_t{sender} * members_ + from];
  return sum;
}

void LoadPredictor::learn(std::uint32_t members, const std::vector<double>& before,
                          const std::vector<double>& now) {
  LIGHTRAIL_EXPECT(before.size() == std::size_t{members} * members && now.size() == before.size());
  members_ = members;
  if (probability_.empty()) probability_.assign(before.size(), 1.0 / members);
  seen_.push_back({before, now});
  if (seen_.size() > window) seen_.pop_front();
  for (double& p : probability_) p = (1 - even_share) * p + even_share / members;
  for (int round = 0; round < rounds; ++round) improve();
}

void LoadPredictor::improve() {
  std::vector<double> gain(probability_.size(), 0);
  for (const Seen& seen : seen_)
    for (std::uint32_t sender = 0; sender < members_; ++sender)
      for (std::uint32_t to = 0; to < members_; ++to) {
        const double e = expected(seen.before, sender, to);
        if (e <= 0) continue;
        const double ratio = seen.now[std::size_t{sender} * members_ + to] / e;
        for (std::uint32_t from = 0; from < members_; ++from)
          gain[std::size_t{to} * members_ + from] +=
              ratio * seen.before[std::size_t{sender} * members_ + from];
      }
  for (std::uint32_t from = 0; from < members_; ++from) {
    double sum = 0;
    for (std::uint32_t to = 0; to < members_; ++to) {
      double& p = probability_[std::size_t{to} * members_ + from];
      p *= gain[std::size_t{to} * members_ + from];
      sum += p;
    }
    for (std::uint32_t to = 0; to < members_; ++to) {
      double& p = probability_[std::size_t{to} * members_ + from];
      p = sum > 0 ? p / sum : 1.0 / members_;
    }
  }
}

std::vector<double> LoadPredictor::guess(const std::vector<double>& before) const {
  LIGHTRAIL_EXPECT(has_learned() && before.size() == probability_.size());
  std::vector<double> now(before.size());
  for (std::uint32_t sender = 0; sender < members_; ++sender)
    for (std::uint32_t to = 0; to < members_; ++to)
      now[std::size_t{sender} * members_ + to] = expected(before, sender, to);
  return now;
}

double distance(std::uint32_t members, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / 2 / members;
}

}  // namespace lightrail
