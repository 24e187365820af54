#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/state_io.hpp"
#include "network/transport/flow_index.hpp"

namespace lightrail {

/// How a sender chooses among the entropy values of a flow, each of which ECMP hashes to a way.
enum class PathChoice : std::uint8_t {
  turns,  ///< one after the other, whatever becomes of their packets
  marks   ///< those again whose packets came unmarked, and no others for a while that met congestion
};

/// What became of a packet that had a value.
enum class PathFate : std::uint8_t { clear, marked, trimmed };

/// Which entropy value the next packet of a flow has: the source port of UDP, on which switches hash.
///   As uet-htsim's mixed choice has it (github.com/ultraethernet/uet-htsim, uec_mp.cpp): REPS (T. Bonato et
///   al.: REPS: Recycled entropy packet spraying, 2024) before a bitmap of values to pass over.
///
/// Model: a value whose packet came unmarked is used once more, in the order of acknowledgements. Where there
/// is none, values take turns, in an order drawn anew each round; a value has a penalty of 1 for a mark and 4
/// for a trimmed packet, 15 at most, and is passed over while it has one, which costs it 1 where it would be
/// first. Leaves out that a packet trimmed at the last switch says nothing of its way.
class EntropyValues {
 public:
  /// `count`: of a flow, a power of two; 1: there is no choice. `salt`: of the order of turns.
  EntropyValues(std::uint32_t count, PathChoice choice, std::uint64_t salt);

  [[nodiscard]] std::uint16_t next(std::uint64_t flow);
  /// A packet of the flow that had `value` is there, or its header.
  void on_fate(std::uint64_t flow, std::uint16_t value, PathFate fate);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = FlowIndex::none;
  struct Flow {
    std::uint64_t rounds = 0;
    std::uint32_t turn = 0;                   ///< in its round
    std::uint32_t first = none, last = none;  ///< values to be used once more
    std::uint32_t unused = 0;
  };
  struct Clear {
    std::uint32_t value = 0, next = none;
  };
  std::uint32_t slot_of(std::uint64_t flow);
  [[nodiscard]] std::uint32_t at_turn(std::uint64_t flow, const Flow& own) const;
  void pass_turn(Flow& own) const;

  std::uint32_t count_;
  PathChoice choice_;
  std::uint64_t salt_;
  FlowIndex index_;
  std::vector<Flow> flows_;
  std::vector<std::uint8_t> penalties_;  ///< by flow and value
  std::vector<Clear> clear_;             ///< lists by flow
  std::uint32_t free_ = none;
};

}  // namespace lightrail
