#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "app/explain/result_reader.hpp"

namespace lightrail {

/// When the bytes of messages arrived: the table `messages`.
class MessageTimes {
 public:
  static constexpr std::int64_t anyone = -1;
  /// First and last byte of a message at its receiver.
  struct Arrival {
    std::int64_t first_ps = 0, last_ps = 0;
  };
  MessageTimes() = default;
  /// Of a result without the table: none. Throws InputErrors for a damaged one.
  explicit MessageTimes(const ResultReader& result);

  [[nodiscard]] bool is_empty() const { return rows_.empty(); }
  /// [ps] how long in [from, to) bytes of messages of a group kind arrived at `receiver`, of `sender` or of
  /// anyone; nothing where none was recorded.
  [[nodiscard]] std::optional<std::int64_t> arriving_ps(std::int64_t receiver, std::int64_t group,
                                                        std::int64_t sender, std::int64_t from,
                                                        std::int64_t to) const;
  /// Of the last one from `sender` that is complete at `at` [ps] the latest.
  [[nodiscard]] std::optional<Arrival> last_before(std::int64_t receiver, std::int64_t group,
                                                   std::int64_t sender, std::int64_t at) const;

 private:
  struct Row {
    std::int64_t to, group, first_ps, last_ps, from;
  };
  [[nodiscard]] std::vector<Row>::const_iterator begin_of(std::int64_t to, std::int64_t group,
                                                          std::int64_t from_ps) const;
  std::vector<Row> rows_;                  ///< by receiver, group and first byte
  std::vector<std::int64_t> last_so_far_;  ///< latest last byte of rows of the receiver and group up to each
};

}  // namespace lightrail
