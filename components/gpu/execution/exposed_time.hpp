#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// What a GPU's time goes into: exactly one of these at any moment.
enum class TimeUse : std::uint8_t {
  compute,        ///< some kernel runs
  communication,  ///< no kernel runs; the next one waits for a collective, a send or a receive
  bubble,         ///< the same, and of that send or receive the partner has not begun its part
  host,           ///< ... for a CPU: an operation of the host runs, or something waits to be launched
  copy,           ///< ... for a copy between the GPU's memory and the host's
  storage,        ///< ... for a storage server
  idle            ///< nothing runs and nothing is waited for
};

/// Splits the time of a GPU by TimeUse, communication also by parallel dimension and group kind. Whatever
/// happens, what it gives for an iteration adds up to the iteration's time. Plain state.
///
/// Of a send or receive it is known only when it has ended since when its partner took part; what was spent
/// on it until then is kept apart, an interval a change of use (few: those with a kernel in between).
class ExposedTime {
 public:
  static constexpr std::uint16_t no_dimension = 0xffff;
  static constexpr std::uint16_t no_group = 0xffff;
  static constexpr std::uint32_t no_slot = 0xffffffff;

  /// What time is counted by.
  struct Key {
    TimeUse use = TimeUse::idle;
    std::uint8_t unused = 0;
    std::uint16_t dimension = no_dimension;  ///< index into Model::dimensions
    std::uint16_t group = no_group;          ///< GroupKindId
    std::uint16_t unused_too = 0;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
  };
  struct Part {
    Key key;
    SimTime time{};
  };

  /// From `now` on time goes into `key`, until the next call. `slot`: of the send or receive that is waited
  /// for, which settle() will be called with; else no_slot.
  void set(SimTime now, Key key, std::uint32_t slot = no_slot);

  /// The send or receive in `slot`, of a set() before with `key`, ends now. It could have moved bytes from
  /// `ready` on and its partner took part from `begun` on: what was waited for it in between is bubble.
  void settle(SimTime now, std::uint32_t slot, Key key, SimTime ready, SimTime begun);

  /// `time` of what went into `from` so far, or all of it where it is less, was spent on `to`.
  void move(SimTime now, Key from, Key to, SimTime time);

  /// The split since the last call of take(), in the order of keys, without what is waited for sends and
  /// receives that have not ended.
  [[nodiscard]] std::vector<Part> so_far(SimTime now);
  /// The split of the time since the last call (or time 0), in the order of keys, without parts of 0. All
  /// sends and receives that were waited for have been settled.
  [[nodiscard]] std::vector<Part> take(SimTime now);

  /// Nothing is waited for any more: time since the last take() is forgotten.
  void drop_all(SimTime now);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Open {
    std::uint32_t slot = no_slot, unused = 0;
    SimTime from{}, to{};
  };
  void pass(SimTime now);
  void add(Key key, SimTime time);

  SimTime last_{};
  Key key_;
  std::uint32_t slot_ = no_slot;
  std::vector<Part> parts_;  ///< a key once
  std::vector<Open> open_;   ///< time spent on sends and receives that have not ended
};

}  // namespace lightrail
