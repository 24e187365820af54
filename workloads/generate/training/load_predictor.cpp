#include "workloads/generate/training/load_predictor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// Of a new estimate this share is even, so that what was never seen stays possible.
constexpr double even_share = 0.01;

/// Members that nothing tells apart, as those that share a column of a <gate>.
struct Classes {
  std::vector<std::uint32_t> of;     ///< by member
  std::vector<std::uint32_t> first;  ///< by class: its first member
  std::vector<double> size;

  template <class Same>
  Classes(std::uint32_t members, const Same& same) : of(members) {
    for (std::uint32_t m = 0; m < members; ++m) {
      const auto known =
          std::find_if(first.begin(), first.end(), [&](std::uint32_t f) { return same(f, m); });
      of[m] = static_cast<std::uint32_t>(known - first.begin());
      if (known == first.end()) first.push_back(m), size.push_back(0);
      ++size[of[m]];
    }
  }
  [[nodiscard]] std::size_t count() const { return first.size(); }
};

/// What one sender, or several alike, sent in two layers: a member's share by class.
struct SeenRow {
  std::vector<double> before, now;
  double weight = 1;
};

/// One round of expectation maximisation; `probability` as in the class, by classes.
void improve(const std::vector<SeenRow>& rows, const Classes& from, const Classes& to,
             std::vector<double>& probability) {
  const std::size_t receivers = to.count();
  std::vector<double> gain(probability.size(), 0), ratio(receivers);
  for (const SeenRow& row : rows) {
    std::fill(ratio.begin(), ratio.end(), 0.0);
    for (std::size_t f = 0; f < from.count(); ++f) {
      const double share = row.before[f] * from.size[f];
      for (std::size_t t = 0; t < receivers; ++t) ratio[t] += probability[f * receivers + t] * share;
    }
    for (std::size_t t = 0; t < receivers; ++t)
      ratio[t] = ratio[t] > 0 ? row.weight * row.now[t] / ratio[t] : 0;
    for (std::size_t f = 0; f < from.count(); ++f)
      for (std::size_t t = 0; t < receivers; ++t) gain[f * receivers + t] += ratio[t] * row.before[f];
  }
  for (std::size_t f = 0; f < from.count(); ++f) {
    double* row = &probability[f * receivers];
    double sum = 0, members = 0;
    for (std::size_t t = 0; t < receivers; ++t) {
      row[t] *= gain[f * receivers + t];
      sum += row[t] * to.size[t], members += to.size[t];
    }
    for (std::size_t t = 0; t < receivers; ++t) row[t] = sum > 0 ? row[t] / sum : 1.0 / members;
  }
}

}  // namespace

void LoadPredictor::learn(std::uint32_t members, const std::vector<double>& before,
                          const std::vector<double>& now) {
  LIGHTRAIL_EXPECT(before.size() == std::size_t{members} * members && now.size() == before.size());
  members_ = members;
  if (probability_.empty()) probability_.assign(before.size(), 1.0 / members);
  seen_.push_back({before, now});
  if (seen_.size() > window) seen_.pop_front();
  for (double& p : probability_) p = (1 - even_share) * p + even_share / members;
  improve_all();
}

/// By classes of members: what nothing tells apart stays alike.
void LoadPredictor::improve_all() {
  const std::size_t n = members_;
  const auto all_equal = [&](const std::vector<double>& matrix, std::size_t a, std::size_t b,
                             std::size_t step_of_member, std::size_t step) {
    for (std::size_t i = 0; i < n; ++i)
      if (matrix[a * step_of_member + i * step] != matrix[b * step_of_member + i * step]) return false;
    return true;
  };
  const Classes from(members_, [&](std::size_t a, std::size_t b) {
    return all_equal(probability_, a, b, n, 1) &&
           std::all_of(seen_.begin(), seen_.end(),
                       [&](const Seen& seen) { return all_equal(seen.before, a, b, 1, n); });
  });
  const Classes to(members_, [&](std::size_t a, std::size_t b) {
    return all_equal(probability_, a, b, 1, n) &&
           std::all_of(seen_.begin(), seen_.end(),
                       [&](const Seen& seen) { return all_equal(seen.now, a, b, 1, n); });
  });
  std::vector<SeenRow> rows;
  for (const Seen& seen : seen_)
    for (std::size_t sender = 0; sender < n; ++sender) {
      SeenRow row;
      for (const std::uint32_t f : from.first) row.before.push_back(seen.before[sender * n + f]);
      for (const std::uint32_t t : to.first) row.now.push_back(seen.now[sender * n + t]);
      const auto alike = std::find_if(rows.begin(), rows.end(), [&](const SeenRow& r) {
        return r.before == row.before && r.now == row.now;
      });
      if (alike == rows.end())
        rows.push_back(std::move(row));
      else
        ++alike->weight;
    }
  std::vector<double> probability(from.count() * to.count());
  for (std::size_t f = 0; f < from.count(); ++f)
    for (std::size_t t = 0; t < to.count(); ++t)
      probability[f * to.count() + t] = probability_[from.first[f] * n + to.first[t]];
  for (int round = 0; round < rounds; ++round) improve(rows, from, to, probability);
  for (std::size_t f = 0; f < n; ++f)
    for (std::size_t t = 0; t < n; ++t)
      probability_[f * n + t] = probability[from.of[f] * to.count() + to.of[t]];
}

std::vector<double> LoadPredictor::guess(const std::vector<double>& before) const {
  LIGHTRAIL_EXPECT(has_learned() && before.size() == probability_.size());
  std::vector<double> now(before.size(), 0);
  for (std::size_t sender = 0; sender < members_; ++sender)
    for (std::size_t from = 0; from < members_; ++from)
      for (std::size_t to = 0; to < members_; ++to)
        now[sender * members_ + to] += probability_[from * members_ + to] * before[sender * members_ + from];
  return now;
}

double distance(std::uint32_t members, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / 2 / members;
}

}  // namespace lightrail
