#include "components/controller/matching.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t max_exact = 16;

/// Best weight of every subset of vertices; the lowest vertex of a subset stays alone or takes a partner.
std::vector<std::uint32_t> exact_matching(std::uint32_t n, const std::vector<std::int64_t>& weight) {
  const std::uint32_t all = 1u << n;
  std::vector<std::int64_t> best(all, 0);
  std::vector<std::uint32_t> choice(all, no_partner);
  for (std::uint32_t set = 1; set < all; ++set) {
    const auto a = static_cast<std::uint32_t>(__builtin_ctz(set));
    const std::uint32_t without = set & (set - 1);
    best[set] = best[without];
    for (std::uint32_t b = a + 1; b < n; ++b) {
      const std::int64_t w = weight[std::size_t{a} * n + b];
      if (!(without >> b & 1) || w == 0) continue;
      if (const std::int64_t sum = best[without & ~(1u << b)] + w; sum > best[set])
        best[set] = sum, choice[set] = b;
    }
  }
  std::vector<std::uint32_t> partner(n, no_partner);
  for (std::uint32_t set = all - 1; set != 0;) {
    const auto a = static_cast<std::uint32_t>(__builtin_ctz(set));
    const std::uint32_t b = choice[set];
    set &= set - 1;
    if (b == no_partner) continue;
    partner[a] = b, partner[b] = a;
    set &= ~(1u << b);
  }
  return partner;
}

std::vector<std::uint32_t> heaviest_first(std::uint32_t n, const std::vector<std::int64_t>& weight) {
  struct Edge {
    std::int64_t weight;
    std::uint32_t a, b;
  };
  std::vector<Edge> edges;
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = a + 1; b < n; ++b)
      if (const std::int64_t w = weight[std::size_t{a} * n + b]; w > 0) edges.push_back({w, a, b});
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& x, const Edge& y) { return x.weight > y.weight; });
  std::vector<std::uint32_t> partner(n, no_partner);
  for (const Edge& e : edges)
    if (partner[e.a] == no_partner && partner[e.b] == no_partner) partner[e.a] = e.b, partner[e.b] = e.a;
  return partner;
}

/// Two pairs (a, b), (c, d) become (a, c), (b, d) or (a, d), (b, c) where that weighs more.
void exchange(std::uint32_t n, const std::vector<std::int64_t>& weight, std::vector<std::uint32_t>& partner) {
  const auto w = [&](std::uint32_t a, std::uint32_t b) { return weight[std::size_t{a} * n + b]; };
  for (bool has_gained = true; has_gained;) {
    has_gained = false;
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t c = a + 1; c < n; ++c) {
        const std::uint32_t b = partner[a], d = partner[c];
        if (b == no_partner || d == no_partner || b == c) continue;
        const std::int64_t now = w(a, b) + w(c, d), first = w(a, c) + w(b, d), second = w(a, d) + w(b, c);
        if (std::max(first, second) <= now) continue;
        const bool is_first = first >= second && w(a, c) > 0 && w(b, d) > 0;
        if (!is_first && (second <= now || w(a, d) == 0 || w(b, c) == 0)) continue;
        const std::uint32_t x = is_first ? c : d, y = is_first ? d : c;
        partner[a] = x, partner[x] = a, partner[b] = y, partner[y] = b;
        has_gained = true;
      }
  }
}

/// A perfect matching of rows to columns over the entries of `least` and more (augmenting paths, lowest
/// column first).
class RowMatching {
 public:
  RowMatching(std::uint32_t n, const std::vector<std::int64_t>& matrix, std::int64_t least)
      : n_(n), matrix_(matrix), least_(least), row_of_(n, no_partner) {}

  /// The column of every row; empty: there is none.
  std::vector<std::uint32_t> find() {
    for (std::uint32_t row = 0; row < n_; ++row) {
      seen_.assign(n_, false);
      if (!augment(row)) return {};
    }
    std::vector<std::uint32_t> to(n_);
    for (std::uint32_t column = 0; column < n_; ++column) to[row_of_[column]] = column;
    return to;
  }

 private:
  bool augment(std::uint32_t row) {
    for (std::uint32_t column = 0; column < n_; ++column) {
      if (matrix_[std::size_t{row} * n_ + column] < least_ || seen_[column]) continue;
      seen_[column] = true;
      if (row_of_[column] != no_partner && !augment(row_of_[column])) continue;
      row_of_[column] = row;
      return true;
    }
    return false;
  }
  std::uint32_t n_;
  const std::vector<std::int64_t>& matrix_;
  std::int64_t least_;
  std::vector<std::uint32_t> row_of_;
  std::vector<bool> seen_;
};

/// The permutation whose smallest entry is the largest, with that entry.
Permutation heaviest_permutation(std::uint32_t n, const std::vector<std::int64_t>& matrix) {
  std::vector<std::int64_t> entries;
  for (const std::int64_t entry : matrix)
    if (entry > 0) entries.push_back(entry);
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  Permutation best;
  for (std::size_t low = 0, high = entries.size(); low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    std::vector<std::uint32_t> to = RowMatching(n, matrix, entries[middle]).find();
    if (to.empty())
      high = middle;
    else
      best = {std::move(to), entries[middle]}, low = middle + 1;
  }
  LIGHTRAIL_EXPECT(best.weight > 0);  // equal sums: Hall's condition holds
  return best;
}

}  // namespace

std::vector<std::uint32_t> maximum_weight_matching(std::uint32_t n, const std::vector<std::int64_t>& weight) {
  if (n <= max_exact) return exact_matching(n, weight);
  std::vector<std::uint32_t> partner = heaviest_first(n, weight);
  exchange(n, weight, partner);
  return partner;
}

void fill_up(std::uint32_t n, std::vector<std::int64_t>& matrix) {
  std::vector<std::int64_t> row(n, 0), column(n, 0);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k) {
      row[i] += matrix[std::size_t{i} * n + k];
      column[k] += matrix[std::size_t{i} * n + k];
    }
  std::int64_t most = 0;
  for (std::uint32_t i = 0; i < n; ++i) most = std::max({most, row[i], column[i]});
  const auto add = [&](std::uint32_t i, std::uint32_t k) {
    const std::int64_t more = std::min(most - row[i], most - column[k]);
    matrix[std::size_t{i} * n + k] += more, row[i] += more, column[k] += more;
  };
  for (std::uint32_t i = 0; i < n; ++i) add(i, i);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k) add(i, k);
}

std::vector<Permutation> birkhoff(std::uint32_t n, std::vector<std::int64_t> matrix, std::size_t most) {
  std::vector<Permutation> parts;
  if (n == 0) return parts;
  std::int64_t left = std::accumulate(matrix.begin(), matrix.begin() + n, std::int64_t{0});
  while (left > 0 && parts.size() < most) {
    Permutation part = heaviest_permutation(n, matrix);
    for (std::uint32_t i = 0; i < n; ++i) matrix[std::size_t{i} * n + part.to[i]] -= part.weight;
    left -= part.weight;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace lightrail
