#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

/// What GPUs and the NVSwitch of their server tell each other of collectives that met this before
/// (<run recall="collectives">). They take the latency of NVLink and no time of its lines.
namespace lightrail::recall {

/// GPU -> NVSwitch: it has come to a collective, and puts its first byte on NVLink in `delay`.
struct Coming {
  MessageKind kind = MessageKind::coming;
  std::uint8_t is_at_rest = 0;  ///< its NVLink and what is in its memory are
  std::uint8_t unused[2] = {};
  std::uint32_t alike = 0;     ///< RecallPlan::alike
  std::uint32_t number = 0;    ///< of the collectives of its group, from 0 on
  std::uint32_t delay_ps = 0;  ///< at most max_delay

  static constexpr SimTime max_delay = picoseconds(0xffffffff);
  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::coming; }
};
static_assert(Message<Coming>);

/// NVSwitch -> GPU, before the first byte: all members have come, and nothing else is on their lines.
struct Answer {
  MessageKind kind = MessageKind::recall_answer;
  std::uint8_t is_known = 0;  ///< 1: it goes as `pattern` went; 0: it is to be recorded as `pattern`
  std::uint8_t unused[2] = {};
  std::uint32_t pattern = 0;
  std::uint32_t unreported = 0;  ///< of a known one: for so much the switch owes this GPU credits then [B]
  std::uint32_t unused_too = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::recall_answer; }
};
static_assert(Message<Answer>);

/// GPU -> NVSwitch: the collective that was recorded has ended here.
struct Report {
  MessageKind kind = MessageKind::recall_report;
  std::uint8_t is_clean = 0;  ///< its lines are at rest, and the record has all that it did
  std::uint8_t unused[2] = {};
  std::uint32_t least_allowed = 0;  ///< LineRecord::least_allowed of its line
  SimTime took{};                   ///< from its first byte on

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::recall_report; }
};
static_assert(Message<Report>);

}  // namespace lightrail::recall
