#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/model/state_io.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

/// Where one request has come to.
struct RequestState {
  SimTime start{}, first{}, end{};   ///< first batch, first token, last token
  std::int64_t kv_bytes = 0;         ///< moved between replicas [B]
  std::uint32_t prefilled = 0;       ///< [tokens]
  std::uint32_t generated = 0;       ///< [tokens]
  std::uint32_t replica = 0;         ///< that prefills it
  std::uint32_t decode_replica = 0;  ///< that decodes it
  std::uint32_t is_in_batch = 0;
  std::uint32_t open_transfers = 0;  ///< GPUs that have not got their part of its keys and values
  /// Where users come in by gateways: its prompt has come in; they have its first token, its last one. -1:
  /// not yet.
  SimTime prompt_in{-1}, first_at_user{-1}, last_at_user{-1};
};

/// A batch at work.
struct Batch {
  struct Part {
    std::uint32_t request = 0, tokens = 0;  ///< tokens of its prompt; 0: it gets its next token
  };
  SimTime start{};
  std::uint32_t number = 0, reports = 0;  ///< GPUs that have ended it
  std::uint32_t prefill_tokens = 0, decode_sequences = 0;
  std::int64_t kv_tokens = 0;  ///< room taken in its replica when it was made
  std::vector<Part> parts;

  void save(StateWriter& out) const;
  void load(StateReader& in);
};

/// One replica: its queue, its room for keys and values and how its batches are made.
///
/// A request is admitted when the room for all its tokens is free, in the order of the queue. Chunked: every
/// request at work gets its next token, then prompts fill the batch, cut where it is full. Else prompts go
/// whole and before anything else. Sequences that are in a batch wait for its end; a pipeline of p stages
/// works on p batches at once. Leaves out: preemption, prefixes that requests share.
class Replica {
 public:
  Replica(const ServingPlan& plan, const ServingPool& pool, std::uint32_t index)
      : plan_(&plan), pool_(&pool), index_(index) {}

  [[nodiscard]] const ServingPool& pool() const { return *pool_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }  ///< in its pool
  [[nodiscard]] EndpointId gpu(std::uint32_t i) const {
    return EndpointId{pool_->first_gpu + index_ * pool_->replica_gpus() + i};
  }
  /// Tokens of all requests that are here or will come, and have not ended.
  [[nodiscard]] std::int64_t load() const { return load_; }
  [[nodiscard]] std::int64_t kv_free() const { return pool_->kv_tokens - kv_tokens_; }
  [[nodiscard]] std::int64_t kv_tokens() const { return kv_tokens_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] bool can_take_batch() const { return batches_.size() < pool_->pp; }

  /// A request will come, to be enqueued when its prompt is here.
  void await(std::uint32_t request) { load_ += room(request); }
  void enqueue(std::uint32_t request) { waiting_.push_back(request); }
  /// Room that the request takes here: with its output where this replica decodes.
  [[nodiscard]] std::int64_t room(std::uint32_t request) const;
  /// A request whose keys and values come from elsewhere: takes its room; join() when they are here.
  void reserve(std::uint32_t request);
  [[nodiscard]] bool has_place() const { return running_.size() + coming_ < max_sequences(); }
  void join(std::uint32_t request);
  /// The request has ended or gone elsewhere.
  void leave(std::uint32_t request);
  /// Prefilled, and waits for its transfer: it keeps its room.
  void park(std::uint32_t request);

  /// The next batch, or null: nothing can be done now.
  const Batch* make_batch(SimTime now, std::vector<RequestState>& requests);
  /// A GPU has ended batch `number`: the batch, when it was the last one.
  bool report(std::uint32_t number, Batch& ended);
  /// What one GPU works on in `batch`.
  [[nodiscard]] BatchSizes share(const Batch& batch, const std::vector<RequestState>& requests) const;

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  [[nodiscard]] std::size_t max_sequences() const { return std::size_t{plan_->sequences} * pool_->dp; }
  void admit(std::uint32_t request);
  void add_decodes(Batch& batch, std::int64_t& budget, const std::vector<RequestState>& requests);
  void add_prompts(Batch& batch, std::int64_t& budget, const std::vector<RequestState>& requests);

  const ServingPlan* plan_;
  const ServingPool* pool_;
  std::uint32_t index_;

  std::deque<std::uint32_t> waiting_;   ///< in the order of arrival
  std::vector<std::uint32_t> running_;  ///< in the order of admission
  std::vector<Batch> batches_;
  std::int64_t load_ = 0, kv_tokens_ = 0;
  std::uint32_t next_number_ = 0, coming_ = 0;
};

}  // namespace lightrail
