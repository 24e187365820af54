#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/base/time.hpp"

namespace lightrail {

/// Which run a checkpoint belongs to. A checkpoint of another software or scenario is refused.
struct CheckpointIdentity {
  std::string software;        ///< version and commit, at most 63 characters
  std::uint64_t scenario = 0;  ///< hash of everything that decides a result
};

/// A checkpoint: head | run section | one section a component, in id order | index, one entry a component.
/// Values are in the machine's byte order.
struct CheckpointHead {
  static constexpr std::array<char, 8> right_magic = {'L', 'R', 'C', 'K', 'P', 'T', '\r', '\n'};
  static constexpr std::uint64_t right_schema = 1;

  std::array<char, 8> magic = right_magic;
  std::uint64_t schema = right_schema;
  std::array<char, 64> software{};
  std::uint64_t scenario = 0;
  std::int64_t time_ps = 0;  ///< every event before it was handled, none at or after it
  std::uint64_t components = 0;
  std::uint64_t run_bytes = 0, run_checksum = 0;
  std::uint64_t component_bytes = 0;  ///< of all component sections
  std::uint64_t index_checksum = 0;
  std::uint64_t checksum = 0;  ///< of all members before
};
static_assert(std::has_unique_object_representations_v<CheckpointHead>);

struct CheckpointEntry {
  std::uint64_t bytes = 0, checksum = 0;
};

}  // namespace lightrail
