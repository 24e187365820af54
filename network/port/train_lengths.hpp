#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/model/state_io.hpp"
#include "network/port/port_end.hpp"
#include "network/port/train_stretches.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// How long the trains are that a port sends: as <network> has them, shorter in stretches of the run
/// (TrainStretches), and those that a NIC sends into a fabric shorter where credits are few.
///
/// A full buffer holds ten of the longest trains (cap_trains()) where packets would lie a hundredfold mixed,
/// so lines behind it run dry that packets would keep busy: a permutation on a spine of 4:1 takes 3.5 %
/// longer in trains of a tenth of a buffer, and as long as packets in trains of a thirty-second
/// (docs/grain.md). So trains are that short where, on average over as many bytes as the buffer behind the
/// port holds, less than half of it was free. The mean keeps the length the same for a while: trains that
/// differ from one to the next upset the turns of flows in a NIC.
///
/// A message in few trains that takes turns with others is whole a turn before the last, one in a single
/// train before the next one begins; in packets all are whole in the last round. So a train is an eighth of
/// its message at most (TrainsPerMessage) where it enters a fabric, in which it may meet others, and
/// elsewhere while flows take turns (docs/grain.md, "Small messages").
class TrainLengths {
 public:
  static constexpr std::int64_t short_trains_per_buffer = 32;

  /// Of the port with this `end`; `enters_fabric`: else trains are all of one length.
  TrainLengths(const PortEnd& end, bool enters_fabric)
      : full_bytes_(std::max<std::uint32_t>(end.train_bytes(), 1)),
        short_bytes_(enters_fabric && end.far.lanes > 0 && end.far.bytes > 0 ? short_train(end)
                                                                             : full_bytes_),
        stretches_(end.stretches),
        buffer_(end.far.bytes),
        mtu_bytes_(std::max<std::uint32_t>(end.mtu_bytes, 1)),
        trains_per_message_(std::max<std::uint32_t>(end.trains_per_message, 1)),
        is_nvlink_(end.is_nvlink) {
    room_.fill(buffer_);
  }

  /// Whether there are two lengths, by the room behind the port.
  [[nodiscard]] bool vary() const { return short_bytes_ < full_bytes_; }
  /// Of the short ones at most [B].
  [[nodiscard]] std::uint32_t shorter() const { return short_bytes_; }
  /// Of the next train on `lane` at most, but for a stretch [B].
  [[nodiscard]] std::uint32_t longest(std::uint32_t lane) const {
    return 2 * room_[lane] < buffer_ ? short_bytes_ : full_bytes_;
  }
  /// Of a message of `bytes` that meets others, at most [B]. Trains by which the members of a group do the
  /// same in a switch stay long: they add up as they come.
  [[nodiscard]] std::uint32_t of_message(MessageKind kind, std::int64_t bytes) const {
    if (trains_per_message_ == 1 || (kind != MessageKind::train && kind != MessageKind::delegated_train))
      return full_bytes_;
    const std::int64_t packets = std::max<std::int64_t>(bytes / (trains_per_message_ * mtu_bytes_), 1);
    return static_cast<std::uint32_t>(std::min<std::int64_t>(packets * mtu_bytes_, full_bytes_));
  }
  /// Of a part of a message that was cut into trains of `longest` bytes at most before.
  [[nodiscard]] std::uint32_t of_part(std::uint32_t longest) const {
    if (trains_per_message_ == 1) return full_bytes_;
    const std::uint64_t packets = (std::uint64_t{longest} + mtu_bytes_ - 1) / mtu_bytes_;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(packets * mtu_bytes_, full_bytes_));
  }
  /// Whether trains are shorter at some times.
  [[nodiscard]] bool have_stretches() const { return stretches_ != nullptr; }
  /// Of a train of that kind that begins at `time` at most, where others have `longest`; only with stretches
  /// [B].
  [[nodiscard]] std::uint32_t cut(std::uint32_t longest, MessageKind kind, SimTime time) const {
    return may_be_shorter(kind) ? std::min(longest, longest_at(time)) : longest;
  }
  /// Of a train that begins at `time` at most; only with stretches [B].
  [[nodiscard]] std::uint32_t longest_at(SimTime time) const {
    const TrainStretch* stretch = stretches_->at(time);
    if (!stretch) return full_bytes_;
    const std::uint64_t bytes =
        std::uint64_t{is_nvlink_ ? stretch->nvlink_packets : stretch->packets} * mtu_bytes_;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, full_bytes_));
  }
  /// A train of `bytes` is sent on `lane`, before which `room` of the far buffer was free [B].
  void sent(std::uint32_t lane, std::int64_t bytes, std::int64_t room) {
    room_[lane] += (std::min(room, buffer_) - room_[lane]) * std::min(bytes, buffer_) / buffer_;
  }

  void save(StateWriter& out) const { out.put(room_); }
  void load(StateReader& in) { in.get(room_); }

 private:
  /// Than others of their message: not control messages, and what is numbered goes as it went first.
  [[nodiscard]] static bool may_be_shorter(MessageKind kind) {
    switch (kind) {
      case MessageKind::train:
      case MessageKind::reduce:
      case MessageKind::multicast:
      case MessageKind::fold:
      case MessageKind::delegated_train:
        return true;
      default:
        return false;
    }
  }
  [[nodiscard]] static std::uint32_t short_train(const PortEnd& end) {
    const std::int64_t packets = end.far.bytes / (short_trains_per_buffer * end.mtu_bytes);
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(packets, 1, std::max<std::int64_t>(end.grain, 1)) * end.mtu_bytes);
  }

  std::uint32_t full_bytes_, short_bytes_;      ///< fixed [B]
  const TrainStretches* stretches_;             ///< fixed; null: none
  std::int64_t buffer_;                         ///< fixed: of a lane behind the port [B]
  std::array<std::int64_t, max_lanes> room_{};  ///< by lane: free of it, on average [B]
  std::uint32_t mtu_bytes_;                     ///< fixed [B]
  std::int64_t trains_per_message_;             ///< fixed
  bool is_nvlink_;                              ///< fixed
};

}  // namespace lightrail
