#include "network/wire/message_kind.hpp"

#include <fmt/format.h>

namespace lightrail {

std::string_view name_of(MessageKind kind) {
  using enum MessageKind;
  switch (kind) {  // the compiler wants every enumerator here (-Wswitch)
    case train:
      return "train";
    case control:
      return "control message";
    case lost_train:
      return "lost train";
    case lost_control:
      return "lost control message";
    case corrupt_train:
      return "corrupt train";
    case corrupt_control:
      return "corrupt control message";
    case reduce:
      return "train to reduce";
    case multicast:
      return "train to multicast";
    case fold:
      return "train of a folded ring";
    case delegated_train:
      return "train for a delegate";
    case delegated_control:
      return "control message for a delegate";
    case bypass_train:
      return "train past NVLink";
    case bypass_control:
      return "control message past NVLink";
    case returned_train:
      return "returned train";
    case returned_control:
      return "returned control message";
    case marked_train:
      return "marked train";
    case congestion_notice:
      return "congestion notice";
    case numbered_train:
      return "numbered train";
    case numbered_control:
      return "numbered control message";
    case marked_numbered_train:
      return "marked numbered train";
    case acknowledgement:
      return "acknowledgement";
    case sequence_error:
      return "sequence error";
    case selective_acknowledgement:
      return "selective acknowledgement";
    case placed_train:
      return "placed train";
    case batch_rest:
      return "rest of a batch of trains";
    case trimmed_train:
      return "trimmed train";
    case trim_notice:
      return "notice of trimming";
    case marked_acknowledgement:
      return "marked acknowledgement";
    case repair_timer:
      return "timer of acknowledgements";
    case route_notice:
      return "notice of a full way";
    case flow_control:
      return "flow control";
    case work_request:
      return "work request";
    case returned_work:
      return "returned work";
    case link_change:
      return "change of a link";
    case wake:
      return "wake";
    case sent:
      return "notice of sending";
    case connect:
      return "connect";
    case apply:
      return "apply";
    case lit:
      return "lit";
    case alarm:
      return "alarm";
    case demand:
      return "demand";
    case demand_end:
      return "end of demand";
    case drained:
      return "drained";
    case absent:
      return "absent";
    case begun:
      return "begun";
    case pause:
      return "pause";
    case circuit:
      return "circuit";
    case live:
      return "live";
    case later:
      return "later";
    case beside:
      return "beside";
    case circuit_request:
      return "circuit request";
    case circuit_released:
      return "circuit released";
    case circuit_granted:
      return "circuit granted";
    case circuit_reclaim:
      return "circuit reclaim";
    case prefill:
      return "prefill";
    case decode:
      return "decode";
    case go:
      return "go";
    case kv_send:
      return "send keys and values";
    case kv_receive:
      return "receive keys and values";
    case prompt_send:
      return "send a prompt";
    case prompt_receive:
      return "receive a prompt";
    case tokens_send:
      return "send tokens";
    case tokens_receive:
      return "receive tokens";
    case batch_done:
      return "batch done";
    case kv_done:
      return "keys and values done";
    case prompt_done:
      return "prompt done";
    case tokens_done:
      return "tokens done";
    case arrived:
      return "arrived";
    case met:
      return "met";
    case halt:
      return "halt";
    case resume:
      return "resume";
    case halted:
      return "halted";
    case saved:
      return "saved";
    case loaded:
      return "loaded";
    case back:
      return "back";
    case ended:
      return "ended";
    case broken:
      return "broken";
    case flush:
      return "flush";
    case broken_connection:
      return "broken connection";
    case coming:
      return "coming";
    case recall_report:
      return "recall report";
    case recall_answer:
      return "recall answer";
  }
  return "";
}

std::string unexpected(const Payload& payload) {
  const std::string_view name = name_of(kind_of(payload));
  if (name.empty()) return fmt::format("unknown message {}", payload.kind());
  return fmt::format("unexpected message '{}'", name);
}

}  // namespace lightrail
