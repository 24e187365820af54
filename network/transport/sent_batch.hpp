#pragma once
#include <algorithm>
#include <cstdint>

#include "network/transport/arriving_batches.hpp"
#include "network/wire/counted_train.hpp"

namespace lightrail {

/// The batch of trains (CountedTrain) that a message is sending. Plain state, in four bytes.
class SentBatch {
 public:
  SentBatch() = default;  ///< its trains are not counted
  [[nodiscard]] static SentBatch counted() {
    SentBatch batch;
    batch.is_counted_ = true;
    return batch;
  }
  [[nodiscard]] bool is_counted() const { return is_counted_; }

  /// Frame::detail of the message's next train, of `bytes` of the `left` that are to be sent, where its
  /// trains are counted; 0: not this one, for two in a batch would save nothing. This train is
  /// no longer than `longest`, none than `train_bytes`; `numbers` counts batches.
  [[nodiscard]] std::uint16_t next(std::int64_t left, std::uint32_t bytes, std::uint32_t longest,
                                   std::uint32_t train_bytes, std::uint32_t& numbers) {
    const std::uint32_t most = std::min(ArrivingBatches::max_bytes / train_bytes, CountedTrain::max_trains);
    if (sent_ == 0) {
      if (left <= 2 * std::int64_t{longest} || most < 3) return 0;
      number_ = static_cast<std::uint8_t>(numbers++ % CountedTrain::numbers);
    }
    ++sent_;
    const bool is_last = left == bytes || sent_ == most;
    const CountedTrain train{.trains = static_cast<std::uint16_t>(is_last ? sent_ : 0),
                             .number = static_cast<std::uint16_t>(number_ & (CountedTrain::numbers - 1)),
                             .is_counted = 1};
    if (is_last) sent_ = 0;
    return frame_of(train).detail;
  }

 private:
  std::uint8_t sent_ = 0;    ///< trains of the batch so far
  std::uint8_t number_ = 0;  ///< of the batch
  bool is_counted_ = false;  ///< whether its trains are at all
  std::uint8_t unused_ = 0;
};

}  // namespace lightrail
