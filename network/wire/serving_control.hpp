#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/model/event.hpp"

namespace lightrail {

/// What the scheduler of an inference job and its GPUs tell each other over control links.
enum class ServingKind : std::uint8_t {
  // scheduler -> GPU
  prefill = 60,     ///< of the next batch: bytes: tokens of prompts, a: twice the mean keys, b: sequences
  decode = 61,      ///< of the next batch: bytes: sequences, a: mean keys, b: sequences that get a token
  go = 62,          ///< b: number; that was the batch
  kv_send = 63,     ///< a: GPU that receives, b: request, bytes: units of kv_unit
  kv_receive = 64,  ///< a: GPU that sends, b: request, bytes: units of kv_unit
  // GPU -> scheduler
  batch_done = 65,  ///< b: number
  kv_done = 66      ///< b: request; this GPU has its part
};

/// Sizes of keys and values that move are told in this unit [B], rounded up.
inline constexpr std::int64_t kv_unit = 64;

inline Payload serving_payload(ServingKind kind, std::int64_t bytes, std::uint32_t a, std::uint32_t b) {
  Payload p;
  p.kind = static_cast<std::uint8_t>(kind);
  p.bytes = static_cast<std::uint32_t>(bytes);
  p.a = a;
  p.b = b;
  return p;
}
inline ServingKind serving_kind_of(const Payload& p) {
  return static_cast<ServingKind>(p.kind);
}

}  // namespace lightrail
