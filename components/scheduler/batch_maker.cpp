#include "components/scheduler/batch_maker.hpp"

#include <algorithm>
#include <utility>

#include "components/scheduler/queue_state.hpp"

namespace lightrail {
namespace {

std::uint32_t ceil_div(std::uint64_t value, std::uint64_t by) {
  return static_cast<std::uint32_t>((value + by - 1) / by);
}

}  // namespace

void Batch::save(StateWriter& out) const {
  out.put(start), out.put(number), out.put(reports), out.put(prefill_tokens), out.put(decode_sequences);
  out.put(kv_tokens), out.put(parts);
}

void Batch::load(StateReader& in) {
  in.get(start), in.get(number), in.get(reports), in.get(prefill_tokens), in.get(decode_sequences);
  in.get(kv_tokens), in.get(parts);
}

std::int64_t Replica::room(std::uint32_t request) const {
  const ServingRequest& r = plan_->requests[request];
  return plan_->kv_room(std::int64_t{r.prompt} + (pool_->decodes ? r.output : 1));
}

void Replica::reserve(std::uint32_t request) {
  kv_tokens_ += room(request);
  load_ += room(request);
  ++coming_;
}

void Replica::join(std::uint32_t request) {
  --coming_;
  running_.push_back(request);
}

void Replica::park(std::uint32_t request) {
  std::erase(running_, request);
}

void Replica::leave(std::uint32_t request) {
  std::erase(running_, request);
  kv_tokens_ -= room(request);
  load_ -= room(request);
}

void Replica::admit(std::uint32_t request) {
  waiting_.pop_front();
  running_.push_back(request);
  kv_tokens_ += room(request);
}

void Replica::add_decodes(Batch& batch, std::int64_t& budget, const std::vector<RequestState>& requests) {
  for (std::uint32_t request : running_) {
    const RequestState& state = requests[request];
    if (budget == 0) return;
    if (state.is_in_batch || state.generated == 0) continue;
    batch.parts.push_back({request, 0});
    ++batch.decode_sequences;
    --budget;
  }
}

void Replica::add_prompts(Batch& batch, std::int64_t& budget, const std::vector<RequestState>& requests) {
  const auto add = [&](std::uint32_t request) {
    const std::uint32_t left = plan_->requests[request].prompt - requests[request].prefilled;
    const auto tokens = static_cast<std::uint32_t>(std::min<std::int64_t>(budget, left));
    batch.parts.push_back({request, tokens});
    batch.prefill_tokens += tokens;
    budget -= tokens;
  };
  for (std::uint32_t request : running_) {
    const RequestState& state = requests[request];
    if (budget > 0 && !state.is_in_batch && state.generated == 0) add(request);
  }
  while (budget > 0 && !waiting_.empty() && has_place()) {
    const std::uint32_t request = waiting_.front();
    if (room(request) > kv_free()) return;
    if (!plan_->is_chunked && plan_->requests[request].prompt > budget) return;
    admit(request);
    add(request);
  }
}

const Batch* Replica::make_batch(SimTime now, std::vector<RequestState>& requests) {
  if (!can_take_batch()) return nullptr;
  Batch batch;
  std::int64_t budget = std::int64_t{plan_->batch_tokens} * pool_->dp;
  if (plan_->is_chunked) {
    add_decodes(batch, budget, requests);
    add_prompts(batch, budget, requests);
  } else {
    add_prompts(batch, budget, requests);
    if (batch.parts.empty()) add_decodes(batch, budget, requests);
  }
  if (batch.parts.empty()) return nullptr;
  for (const Batch::Part& part : batch.parts) {
    RequestState& state = requests[part.request];
    state.is_in_batch = 1;
    if (part.tokens > 0 && state.prefilled == 0) state.start = now;
  }
  batch.start = now;
  batch.number = next_number_++;
  batch.kv_tokens = kv_tokens_;
  batches_.push_back(std::move(batch));
  return &batches_.back();
}

bool Replica::report(std::uint32_t number, Batch& ended) {
  const auto batch =
      std::find_if(batches_.begin(), batches_.end(), [&](const Batch& b) { return b.number == number; });
  LIGHTRAIL_EXPECT(batch != batches_.end());
  if (++batch->reports < pool_->replica_gpus()) return false;
  ended = std::move(*batch);
  batches_.erase(batch);
  return true;
}

BatchSizes Replica::share(const Batch& batch, const std::vector<RequestState>& requests) const {
  std::uint64_t twice_prefill_keys = 0, decode_keys = 0, prompts = 0, logits = 0;
  for (const Batch::Part& part : batch.parts) {
    const RequestState& state = requests[part.request];
    const std::uint64_t before = state.prefilled, tokens = part.tokens;
    if (tokens == 0) {
      decode_keys += before + state.generated;
      ++logits;
      continue;
    }
    // Each of `tokens` sees what is before it: on average before + tokens / 2.
    twice_prefill_keys += tokens * (2 * before + tokens);
    ++prompts;
    logits += before + tokens == plan_->requests[part.request].prompt;
  }
  BatchSizes sizes;
  sizes.number = batch.number;
  sizes.prefill_tokens = ceil_div(batch.prefill_tokens, pool_->dp);
  sizes.prefill_sequences = ceil_div(prompts, pool_->dp);
  if (batch.prefill_tokens > 0) sizes.twice_prefill_keys = ceil_div(twice_prefill_keys, batch.prefill_tokens);
  sizes.decode_sequences = ceil_div(batch.decode_sequences, pool_->dp);
  if (batch.decode_sequences > 0) sizes.decode_keys = ceil_div(decode_keys, batch.decode_sequences);
  sizes.logits = ceil_div(logits, pool_->dp);
  return sizes;
}

void Replica::save(StateWriter& out) const {
  put_queue(out, waiting_);
  out.put(running_), out.put(batches_.size());
  for (const Batch& batch : batches_) batch.save(out);
  out.put(load_), out.put(kv_tokens_), out.put(next_number_), out.put(coming_);
}

void Replica::load(StateReader& in) {
  std::size_t count = 0;
  get_queue(in, waiting_);
  in.get(running_), in.get(count);
  batches_.assign(count, {});
  for (Batch& batch : batches_) batch.load(in);
  in.get(load_), in.get(kv_tokens_), in.get(next_number_), in.get(coming_);
}

}  // namespace lightrail
