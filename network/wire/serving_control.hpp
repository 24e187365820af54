#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "network/wire/message.hpp"
#include "network/wire/message_kind.hpp"

/// What the scheduler of an inference job tells its GPUs and the gateways of its users over control links,
/// and they it.
namespace lightrail::serving_control {

/// Scheduler -> GPU: prompts of the next batch.
struct Prefill {
  MessageKind kind = MessageKind::prefill;
  std::uint8_t unused[3] = {};
  std::uint32_t tokens = 0;
  std::uint32_t twice_keys = 0;  ///< twice the mean keys that a token sees
  std::uint32_t sequences = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::prefill; }
};
static_assert(Message<Prefill>);

/// Scheduler -> GPU: sequences of the next batch that get a token.
struct Decode {
  MessageKind kind = MessageKind::decode;
  std::uint8_t unused[3] = {};
  std::uint32_t sequences = 0;
  std::uint32_t keys = 0;    ///< mean keys of a sequence
  std::uint32_t logits = 0;  ///< sequences of the batch whose next token is chosen

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::decode; }
};
static_assert(Message<Decode>);

/// Scheduler -> GPU: Prefill and Decode were the batch.
struct Go {
  MessageKind kind = MessageKind::go;
  std::uint8_t unused[11] = {};
  std::uint32_t number = 0;  ///< of the batch

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::go; }
};
static_assert(Message<Go>);

/// Scheduler -> GPU: send keys and values of a request (kv_send), or receive them (kv_receive).
struct KvMove {
  static constexpr std::int64_t unit = 64;  ///< what sizes are told in [B], rounded up
  static constexpr std::int64_t max_bytes = unit * UINT32_MAX;

  MessageKind kind = MessageKind::kv_send;
  std::uint8_t unused[3] = {};
  std::uint32_t units = 0;
  std::uint32_t gpu = 0;  ///< at the other end
  std::uint32_t request = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::kv_send || kind == MessageKind::kv_receive;
  }
};
static_assert(Message<KvMove>);

/// Scheduler -> gateway: send the prompt of a request (prompt_send); to the GPU: receive it (prompt_receive).
/// Its size is in the ServingPlan.
struct PromptMove {
  MessageKind kind = MessageKind::prompt_send;
  std::uint8_t unused[7] = {};
  std::uint32_t endpoint = 0;  ///< at the other end
  std::uint32_t request = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::prompt_send || kind == MessageKind::prompt_receive;
  }
};
static_assert(Message<PromptMove>);

/// Scheduler -> GPU: send a gateway the tokens of a batch that are for its users (tokens_send); to the
/// gateway: receive them (tokens_receive).
struct TokensMove {
  MessageKind kind = MessageKind::tokens_send;
  std::uint8_t unused[3] = {};
  std::uint32_t tokens = 0;
  std::uint32_t endpoint = 0;  ///< at the other end
  std::uint32_t number = 0;    ///< of all such messages; to the gateway

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::tokens_send || kind == MessageKind::tokens_receive;
  }
};
static_assert(Message<TokensMove>);

/// GPU -> scheduler: it has ended a batch.
struct BatchDone {
  MessageKind kind = MessageKind::batch_done;
  std::uint8_t unused[11] = {};
  std::uint32_t number = 0;  ///< of the batch

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::batch_done; }
};
static_assert(Message<BatchDone>);

/// GPU -> scheduler: it has its part of a request's keys and values.
struct KvDone {
  MessageKind kind = MessageKind::kv_done;
  std::uint8_t unused[11] = {};
  std::uint32_t request = 0;

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::kv_done; }
};
static_assert(Message<KvDone>);

/// GPU -> scheduler: a request's prompt has come in whole.
struct PromptDone {
  MessageKind kind = MessageKind::prompt_done;
  std::uint8_t unused[3] = {};
  std::uint32_t request = 0;
  SimTime at{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::prompt_done; }
};
static_assert(Message<PromptDone>);

/// Gateway -> scheduler: the users have the tokens of that message.
struct TokensDone {
  MessageKind kind = MessageKind::tokens_done;
  std::uint8_t unused[3] = {};
  std::uint32_t number = 0;
  SimTime at{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) { return kind == MessageKind::tokens_done; }
};
static_assert(Message<TokensDone>);

}  // namespace lightrail::serving_control
