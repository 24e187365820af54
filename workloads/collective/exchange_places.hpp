#pragma once
#include <cstdint>
#include <vector>

#include "workloads/collective/algorithm.hpp"

namespace lightrail {

/// What the plans of exchanges share: who of a group sits where, and what a message to a member takes.
class ExchangePlaces {
 public:
  /// `in` must outlive it.
  explicit ExchangePlaces(const CollectiveInput& in);

  [[nodiscard]] std::uint32_t size() const { return in_.group.size; }
  /// The own index in the group, its server and its place among the server's members.
  [[nodiscard]] std::uint32_t me() const { return in_.group.my_index; }
  [[nodiscard]] std::uint32_t server() const { return server_; }
  [[nodiscard]] std::uint32_t place() const { return place_; }
  [[nodiscard]] std::uint32_t servers() const { return in_.plan.servers(); }
  /// Members of the own server.
  [[nodiscard]] std::uint32_t members() const { return in_.plan.members_of(server_); }
  [[nodiscard]] EndpointId member(std::uint32_t index) const { return in_.group.member(index); }
  /// Index in the group of the member at `place` of `server`.
  [[nodiscard]] std::uint32_t at(std::uint32_t server, std::uint32_t place) const {
    return index_of_[in_.plan.server_first[server] + place];
  }
  /// What a message to member `index` crosses.
  [[nodiscard]] Medium medium(std::uint32_t index) const;
  /// A message of `payload` [B] to or from member `index`, as of a send or an all-to-all.
  [[nodiscard]] ExchangePlan::Message message(std::uint32_t index, std::int64_t payload) const;

 private:
  const CollectiveInput& in_;
  std::vector<std::uint32_t> index_of_;  ///< by place in plan.members
  std::uint32_t server_ = 0, place_ = 0;
};

/// Appends `message` unless it has no payload.
void add_message(std::vector<ExchangePlan::Message>& to, const ExchangePlan::Message& message);

/// Slices of at most `slice` [B] that a message of `bytes` is cut into: 1 ... 16, which bounds the messages
/// of a member.
[[nodiscard]] std::int64_t exchange_slices(std::int64_t bytes, std::int64_t slice);

/// Bytes of slice `slice` of `slices` of `bytes`, cut at bytes.
[[nodiscard]] std::int64_t slice_of(std::int64_t bytes, std::int64_t slices, std::int64_t slice);

}  // namespace lightrail
