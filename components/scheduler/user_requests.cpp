#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "components/scheduler/scheduler.hpp"

namespace lightrail {

using namespace serving_control;

void Scheduler::fetch_prompt(Context& context, std::uint32_t request) {
  const Replica& replica = replicas_[requests_[request].replica];
  const EndpointId gpu = replica.pool().prompt_gpu(replica.index());
  const std::uint32_t gateway = gateway_of(request);
  PromptMove move{.kind = MessageKind::prompt_send, .endpoint = gpu.value, .request = request};
  context.send(port_of_gateway(gateway), context.now(), to_payload(move));
  move.kind = MessageKind::prompt_receive, move.endpoint = book_.first_gateway + gateway;
  context.send(static_cast<PortIndex>(gpu.value), context.now(), to_payload(move));
}

void Scheduler::on_prompt_done(Context& context, const PromptDone& done) {
  RequestState& state = requests_[done.request];
  state.prompt_in = done.at;
  replicas_[state.replica].enqueue(done.request);
  poke(context, state.replica);
}

void Scheduler::send_tokens(Context& context, const Replica& replica, const Batch& batch) {
  const EndpointId gpu = replica.pool().token_gpu(replica.index());
  std::vector<std::uint32_t> tokens(book_.gateway_count, 0);
  std::vector<std::vector<Milestone>> milestones(book_.gateway_count);
  for (const Batch::Part& part : batch.parts) {
    const RequestState& state = requests_[part.request];
    const ServingRequest& request = plan_.requests[part.request];
    if (state.prefilled < request.prompt) continue;
    const std::uint32_t gateway = gateway_of(part.request);
    ++tokens[gateway];
    if (state.generated == 1) milestones[gateway].push_back({part.request, 0});
    if (state.generated == request.output) milestones[gateway].push_back({part.request, 1});
  }
  for (std::uint32_t gateway = 0; gateway < book_.gateway_count; ++gateway) {
    if (tokens[gateway] == 0) continue;
    TokensMove move{.kind = MessageKind::tokens_send,
                    .tokens = tokens[gateway],
                    .endpoint = book_.first_gateway + gateway,
                    .number = next_message_};
    context.send(static_cast<PortIndex>(gpu.value), context.now(), to_payload(move));
    move.kind = MessageKind::tokens_receive, move.endpoint = gpu.value;
    context.send(port_of_gateway(gateway), context.now(), to_payload(move));
    if (!milestones[gateway].empty()) on_the_way_[next_message_] = std::move(milestones[gateway]);
    ++next_message_;
  }
}

/// The first token may come behind the last one, which another replica sends.
void Scheduler::on_tokens_done(Context& context, const TokensDone& done) {
  const auto message = on_the_way_.find(done.number);
  if (message == on_the_way_.end()) return;
  for (const Milestone& milestone : message->second) {
    RequestState& state = requests_[milestone.request];
    (milestone.is_last != 0 ? state.last_at_user : state.first_at_user) = done.at;
    if (state.first_at_user >= SimTime{0} && state.last_at_user >= SimTime{0})
      record_request(context, milestone.request);
  }
  on_the_way_.erase(message);
}

}  // namespace lightrail
