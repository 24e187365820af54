#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// What one member of an all-to-all gives, or takes, as its trace has it.
struct ExchangePart {
  std::int64_t bytes = -1;                 ///< in all [B]; -1: not said
  bool is_listed = false, is_cut = false;  ///< by member; cut: of the first members alone
  std::vector<std::int64_t> of_member;     ///< [B]; nothing inside, but listed: even
};

/// One member's all-to-all.
struct ExchangeCall {
  const std::string* path = nullptr;
  std::string place;  ///< in the file, for messages: "event 7"
  std::uint32_t rank = 0;
  const ExchangePart *in = nullptr, *out = nullptr;
};

/// What an all-to-all moves.
struct Exchange {
  std::int64_t bytes = 0;  ///< of the member that gives most [B]
  SplitMatrix matrix;      ///< size 0: every member gives every other the same
  std::string note;        ///< what was inferred, or ""
};

/// Puts together what the members (in the order of the group) say of their all-to-all number `index`: what
/// one gives another takes, and what one's list does not say the other's does. Throws InputErrors with file
/// and place where they disagree, or where nobody says who gets what.
[[nodiscard]] Exchange exchange_of(const std::vector<ExchangeCall>& members, std::size_t index);

}  // namespace lightrail
