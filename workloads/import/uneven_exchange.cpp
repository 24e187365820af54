#include "workloads/import/uneven_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

using Part = ExchangePart;
constexpr std::int64_t unknown = -1;

class Puzzle {
 public:
  Puzzle(const std::vector<ExchangeCall>& members, std::size_t index)
      : members_(members), index_(index), size_(members.size()), cells_(size_ * size_, unknown) {}

  Exchange solve() {
    const auto has_list = [](const ExchangeCall& m) { return m.in->is_listed || m.out->is_listed; };
    if (std::none_of(members_.begin(), members_.end(), has_list)) return even();
    for (std::size_t m = 0; m < size_; ++m) {
      take(m, *members_[m].in, "In split size", [&](std::size_t k) { return m * size_ + k; });
      take(m, *members_[m].out, "Out split size", [&](std::size_t k) { return k * size_ + m; });
    }
    while (fill_rests()) {
    }
    return made();
  }

 private:
  [[noreturn]] void fail(std::size_t member, const std::string& what) const {
    const ExchangeCall& call = members_[member];
    throw InputErrors(
        InputError{*call.path, 0, fmt::format("{}: all-to-all {}: {}", call.place, index_, what)});
  }

  /// Without a list of anybody: all give the same.
  [[nodiscard]] Exchange even() const {
    const std::int64_t first = members_[0].in->bytes;
    for (std::size_t m = 0; m < size_; ++m) {
      const std::int64_t in = members_[m].in->bytes, out = members_[m].out->bytes;
      if (in != unknown && out != unknown && in != out)
        fail(m, fmt::format("gives {} B and takes {} B, and no 'In split size' says who gets what", in, out));
      if (in != first)
        fail(m, fmt::format("{} B, but {} B in {}, and no 'In split size' says who gets what", in, first,
                            *members_[0].path));
    }
    return {first, {}, ""};
  }

  /// What member `m` says of its row (what it gives) or column (what it takes).
  template <class Cell>
  void take(std::size_t m, const Part& part, const char* name, const Cell& cell) {
    if (!part.is_listed) return;
    std::vector<std::int64_t> listed = part.of_member;
    if (listed.empty() && part.bytes > 0) {
      if (part.bytes % static_cast<std::int64_t>(size_) != 0)
        fail(m,
             fmt::format("{} B do not divide among {} members, and '{}' is empty", part.bytes, size_, name));
      listed.assign(size_, part.bytes / static_cast<std::int64_t>(size_));
    }
    if (listed.empty()) listed.assign(size_, 0);
    if (listed.size() > size_ || (listed.size() < size_ && !part.is_cut))
      fail(m, fmt::format("'{}' has {} entries for a group of {}", name, listed.size(), size_));
    for (std::size_t k = 0; k < listed.size(); ++k) {
      std::int64_t& known = cells_[cell(k)];
      if (known != unknown && known != listed[k]) disagree(m, k, name, known, listed[k]);
      known = listed[k];
    }
  }

  [[noreturn]] void disagree(std::size_t m, std::size_t k, const char* name, std::int64_t before,
                             std::int64_t now) const {
    fail(m, fmt::format("'{}' has {} B for rank {}, but {} has {} B for rank {}", name, now, members_[k].rank,
                        *members_[k].path, before, members_[m].rank));
  }

  /// Where a row or a column lacks one cell, its sum gives it.
  bool fill_rests() {
    bool has_changed = false;
    for (std::size_t m = 0; m < size_; ++m) {
      has_changed |= fill_rest(m, members_[m].in->bytes, [&](std::size_t k) { return m * size_ + k; });
      has_changed |= fill_rest(m, members_[m].out->bytes, [&](std::size_t k) { return k * size_ + m; });
    }
    return has_changed;
  }
  template <class Cell>
  bool fill_rest(std::size_t m, std::int64_t sum, const Cell& cell) {
    std::size_t open = size_, count = 0;
    std::int64_t rest = sum;
    for (std::size_t k = 0; k < size_; ++k)
      if (cells_[cell(k)] == unknown)
        open = k, ++count;
      else
        rest -= cells_[cell(k)];
    if (sum == unknown || count == 0) return false;
    if (rest < 0) fail(m, fmt::format("its parts add up to more than its {} B", sum));
    if (rest == 0) {
      for (std::size_t k = 0; k < size_; ++k)
        if (cells_[cell(k)] == unknown) cells_[cell(k)] = 0;
      return true;
    }
    if (count != 1) return false;
    cells_[cell(open)] = rest;
    return true;
  }

  Exchange made() {
    Exchange exchange;
    std::int64_t spread = 0;
    for (std::size_t m = 0; m < size_; ++m) spread += spread_rest(m);
    if (spread > 0)
      exchange.note = fmt::format(
          "all-to-alls of {} members: PyTorch cut the lists of what they give; what pairs beyond the cut "
          "exchange is inferred: each sender's rest in equal parts",
          size_);
    bool is_even = true;
    for (std::size_t m = 0; m < size_; ++m) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < size_; ++k) sum += cells_[m * size_ + k];
      exchange.bytes = std::max(exchange.bytes, sum);
    }
    for (std::int64_t cell : cells_) is_even = is_even && cell == cells_[0];
    if (is_even) return exchange;
    exchange.matrix.size = static_cast<std::uint32_t>(size_);
    exchange.matrix.bytes = std::move(cells_);
    return exchange;
  }

  /// Only where lists are cut: what is left of a sender's sum goes to the others in equal parts.
  std::int64_t spread_rest(std::size_t m) {
    const ExchangePart& in = *members_[m].in;
    std::vector<std::size_t> open;
    std::int64_t rest = in.bytes;
    for (std::size_t k = 0; k < size_; ++k)
      if (cells_[m * size_ + k] == unknown)
        open.push_back(m * size_ + k);
      else
        rest -= cells_[m * size_ + k];
    if (open.empty()) return 0;
    if (!in.is_cut || in.bytes == unknown)
      fail(m, "has no 'In split size', and what the others take does not say who gets what");
    const auto count = static_cast<std::int64_t>(open.size());
    for (std::int64_t i = 0; i < count; ++i)
      cells_[open[static_cast<std::size_t>(i)]] = rest * (i + 1) / count - rest * i / count;
    return count;
  }

  const std::vector<ExchangeCall>& members_;
  std::size_t index_, size_;
  std::vector<std::int64_t> cells_;
};

}  // namespace

Exchange exchange_of(const std::vector<ExchangeCall>& members, std::size_t index) {
  return Puzzle(members, index).solve();
}

}  // namespace lightrail
