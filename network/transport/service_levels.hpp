#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/wire/connection.hpp"

namespace lightrail {

struct QueuePairs;

/// Model resource: which service level a NIC gives what it sends. What goes by NVLink or PCIe has none. The
/// rules are asked in the order in which they were added; the first that fits a message says its level, and
/// what none fits is of level 0. Without a LaneMaps beside it a level is a virtual lane.
///
/// A level is a function of address and kind alone, so a switch asks again where InfiniBand reads the
/// packet's header.
class ServiceLevels {
 public:
  /// `is_storage`: by endpoint, whether it is a storage server; endpoints behind its end are none.
  explicit ServiceLevels(std::vector<bool> is_storage) : is_storage_(std::move(is_storage)) {}

  /// Clear-to-send and other messages about messages.
  void add_control(std::uint8_t level);
  /// What goes to a storage server or comes from one.
  void add_storage(std::uint8_t level);
  /// What the members of a communicator send each other.
  void add_communicator(std::uint32_t group_kind, std::uint8_t level);
  /// What one of these endpoints sends or receives.
  void add_job(const std::vector<EndpointId>& members, std::uint8_t level);
  /// After all rules: they hold for the queue pairs of a connection, too.
  void add_queue_pairs(const QueuePairs& pairs);

  [[nodiscard]] std::uint8_t level_of(const Address& address, bool is_control) const {
    const bool to_storage = is_storage(address.from()) || is_storage(address.to());
    Rule rule = (is_control ? control_ : payload_)[to_storage ? storage : address.connection().group_kind()];
    if (!jobs_.empty()) rule = first(rule, first(job_of(address.from()), job_of(address.to())));
    return rule.level;
  }

 private:
  static constexpr std::uint32_t storage = Connection::max_group_kinds;  ///< behind all communicators
  struct Rule {
    std::uint16_t order = 0xffff;  ///< of adding; highest: there is none
    std::uint8_t level = 0;
  };
  using Rules = std::array<Rule, Connection::max_group_kinds + 1>;

  [[nodiscard]] static Rule first(Rule a, Rule b) { return b.order < a.order ? b : a; }
  static void add(Rule& to, Rule rule) { to = first(to, rule); }
  [[nodiscard]] Rule job_of(EndpointId id) const {
    return id.value < jobs_.size() ? jobs_[id.value] : Rule{};
  }
  [[nodiscard]] bool is_storage(EndpointId id) const {
    return id.value < is_storage_.size() && is_storage_[id.value];
  }

  std::vector<bool> is_storage_;
  Rules control_{}, payload_{};  ///< by communicator, then storage: of control messages and of payload
  std::vector<Rule> jobs_;       ///< by endpoint; empty: no rule names a job
  std::uint16_t next_ = 0;
};

}  // namespace lightrail
