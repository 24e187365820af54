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
    batch.detail_ = detail_of(0, 0);
    return batch;
  }
  [[nodiscard]] bool is_counted() const { return detail_ != 0; }

  /// Frame::detail of the message's next train, where they are counted; 0: not this one, for two in a batch
  /// would save nothing. `left` bytes are to be sent, in trains of `train_bytes`; `numbers` counts batches.
  [[nodiscard]] std::uint16_t next(std::int64_t left, std::uint32_t train_bytes, std::uint32_t& numbers) {
    if (left_ == 0) {
      const std::uint32_t most =
          std::clamp(ArrivingBatches::max_bytes / train_bytes, 1u, CountedTrain::max_trains);
      left_ =
          static_cast<std::uint16_t>(std::min<std::int64_t>((left + train_bytes - 1) / train_bytes, most));
      detail_ = detail_of(left_, left_ > 2 ? numbers++ : 0);
    }
    --left_;
    return frame().trains > 2 ? detail_ : 0;
  }

 private:
  [[nodiscard]] static std::uint16_t detail_of(std::uint32_t trains, std::uint32_t number) {
    return frame_of(CountedTrain{.trains = static_cast<std::uint16_t>(trains & CountedTrain::max_trains),
                                 .number = static_cast<std::uint16_t>(number & (CountedTrain::numbers - 1)),
                                 .is_counted = 1})
        .detail;
  }
  [[nodiscard]] CountedTrain frame() const {
    return as<CountedTrain>(Frame{.kind = MessageKind::train, .detail = detail_});
  }

  std::uint16_t left_ = 0;    ///< trains of the batch that are to be sent
  std::uint16_t detail_ = 0;  ///< Frame::detail of these; 0: they are never counted
};

}  // namespace lightrail
