#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "workloads/import/uneven_exchange.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// The all-to-alls of all ranks of a Chakra trace, collected in a first reading: where ranks give different
/// sizes, only a second reading can say what pairs exchange.
class ChakraExchanges {
 public:
  using Members = std::vector<std::uint32_t>;
  /// The next all-to-all of `rank` in the group of `members`: how much it gives, and whom (`parts`, any unit;
  /// empty: all the same).
  void add(const Members& members, std::uint32_t rank, std::int64_t bytes,
           const std::vector<std::int64_t>& parts, const std::string& path, std::uint64_t node);
  /// Whether any all-to-all is not the same for all pairs, or is not in all members' traces.
  [[nodiscard]] bool is_uneven() const;
  /// Puts the ranks' sizes together. Throws InputErrors.
  void finish(JobBuilder& job);

  struct Bound {
    std::int64_t bytes = 0;
    std::uint16_t split = 0;
  };
  /// After finish(), in the order of add(): what the next all-to-all of `rank` moves. Nothing known of an
  /// even one: `bytes` as given.
  [[nodiscard]] Bound next(const Members& members, std::uint32_t rank, std::int64_t bytes);

 private:
  struct Call {
    ExchangePart in;
    const std::string* path = nullptr;
    std::uint64_t node = 0;
  };
  struct Group {
    std::map<std::uint32_t, std::vector<Call>> of_rank;
    std::map<std::uint32_t, std::size_t> next;
    std::vector<Bound> bound;
  };
  std::map<Members, Group> groups_;
  std::set<std::string> paths_;
};

}  // namespace lightrail
