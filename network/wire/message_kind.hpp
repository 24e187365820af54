#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/model/event.hpp"

namespace lightrail {

/// Every kind of message that components send one another: the first byte of a Payload. The header named at a
/// family has the structs that say what the other 15 bytes hold.
///
/// Numbers without an enumerator below first_plugin_kind are free for the timers of one component, which it
/// alone sees (on self_port) and names in an enum of its own; those from there on are for components from
/// outside the tree.
enum class MessageKind : std::uint8_t {
  // Bytes on their way (train.hpp).
  train = 1,    ///< payload of one message; its time is the head's arrival
  control = 4,  ///< small (clear-to-send, acknowledgement): routed like a train, not counted as payload
  // Optical switch -> who sent it light: the train or control message did not get through. Stands for the
  // acknowledgement that does not come: the sender's transport acts on it, not the switch.
  lost_train = 7,        ///< met darkness: sent again when the retransmission timer ends
  lost_control = 8,      ///< the same, a control message
  corrupt_train = 9,     ///< FEC could not correct it: the link replays it
  corrupt_control = 10,  ///< the same, a control message
  reduce = 11,  ///< GPU -> NVSwitch: a train to be added to those of the group's other members of this
                ///< server; the sum goes to dst as a train from dst. NIC -> switch, switch -> switch above
                ///< it: to those of the members at the same place of other servers; the sum goes to each as
                ///< a train from itself
  multicast = 12,  ///< GPU -> NVSwitch: a train for all members of the group in this server. Switch -> switch
                   ///< below it: the sum for all members there
  fold = 13,  ///< GPU -> NVSwitch: a train of a folded ring: when all members of the group have sent theirs,
              ///< as many bytes go to each of them, as trains from the member before it
  // By way of another GPU of the server (delegated_train.hpp).
  delegated_train = 14,    ///< GPU -> NVSwitch -> the GPU that it goes to first, its delegate
  delegated_control = 15,  ///< the same, a control message
  bypass_train = 16,      ///< the same, past NVLink: takes its latency alone, no time of a line and no buffer
  bypass_control = 17,    ///< the same, a control message
  returned_train = 18,    ///< NIC -> GPU: an optical switch could not pass it on; the GPU finds a way
  returned_control = 19,  ///< the same, a control message
  // Congestion control (network/port/congestion_marker.hpp, network/wire/congestion_notice.hpp)
  marked_train = 22,       ///< a train that a switch has marked on its way: it met congestion (FECN)
  congestion_notice = 23,  ///< receiving NIC -> sending NIC: trains of a flow were marked (BECN)
  // NIC -> NIC on a class that is not lossless (numbered_train.hpp)
  numbered_train = 24,
  numbered_control = 25,
  marked_numbered_train = 26,      ///< as marked_train
  acknowledgement = 27,            ///< receiving NIC -> sending NIC
  sequence_error = 28,             ///< the same: one is missing (NAK)
  selective_acknowledgement = 29,  ///< the same: this one came behind one that is missing (SACK)
  placed_train = 30,   ///< NIC -> device: came behind one that is missing; it is told when that one is there
  repair_timer = 31,   ///< the timer of a flow of the NIC's own (repair_timer.hpp)
  trimmed_train = 32,  ///< a numbered train of which a switch has cut off the payload
  trim_notice = 33,    ///< receiving NIC -> sending NIC: this one came without its payload (NACK)
  marked_acknowledgement = 34,  ///< as selective_acknowledgement, of a train that was marked
  // NIC -> GPU (counted_train.hpp)
  batch_rest = 35,  ///< trains behind the first of a batch, when the last one's head is here
  // Beside the bytes (network/port/flow_control.hpp, work_request.hpp, injector_wake.hpp).
  flow_control = 2,    ///< of the port at the far end of this link; its flow control says what is in it
  route_notice = 36,   ///< switch -> the switch before it: its way is full (route_notice.hpp)
  work_request = 3,    ///< GPU, host or storage -> NIC: send so many bytes (the NIC reads them over PCIe)
  wake = 5,            ///< the timer of one of the component's own Injectors
  returned_work = 21,  ///< NIC -> GPU: not sent, since the NIC's cable is down (returned_work.hpp)
  link_change = 20,    ///< the timer of one of the component's own ports (link_change.hpp)
  sent = 6,            ///< NIC -> poster: the last byte of that work request is on the wire
  // Circuits of a region (region_control.hpp): controller -> optical switch
  connect = 40,
  apply = 41,
  // optical switch -> controller, of a region or of a rail
  lit = 42,
  alarm = 39,
  // GPU -> controller
  demand = 43,
  demand_end = 44,
  drained = 45,
  absent = 49,
  begun = 50,
  // controller -> GPU
  pause = 46,
  circuit = 47,
  live = 48,
  later = 51,
  beside = 52,
  // Circuits of a photonic rail (rail_control.hpp): GPU -> controller
  circuit_request = 54,
  circuit_released = 55,
  // controller -> GPU
  circuit_granted = 56,
  circuit_reclaim = 57,
  // An inference job (serving_control.hpp): scheduler -> GPU
  prefill = 60,
  decode = 61,
  go = 62,
  kv_send = 63,
  kv_receive = 64,
  prompt_receive = 83,
  tokens_send = 84,
  // GPU -> scheduler
  batch_done = 65,
  kv_done = 66,
  prompt_done = 86,
  // scheduler -> gateway
  prompt_send = 82,
  tokens_receive = 85,
  // gateway -> scheduler
  tokens_done = 87,
  // Where communication takes what a formula says (meeting.hpp): GPU -> meeting
  arrived = 67,
  // meeting -> GPU
  met = 68,
  // Where jobs are restarted (restart_control.hpp): supervisor -> GPU
  halt = 69,
  resume = 70,
  // GPU -> supervisor
  halted = 71,
  saved = 72,
  loaded = 73,
  back = 74,
  ended = 75,
  broken = 76,
  // GPU -> its NICs and its host, host -> its NICs
  flush = 77,
  // a switch or NIC that gave up -> the NIC of the sender -> the device behind it
  broken_connection = 78,
  // Collectives that met this before (recall.hpp): GPU -> NVSwitch
  coming = 79,
  recall_report = 80,
  // NVSwitch -> GPU
  recall_answer = 81
};

inline constexpr std::uint8_t first_plugin_kind = 128;

/// The kind of what is on a link; on self_port as far as it is none of the component's own timers.
[[nodiscard]] inline MessageKind kind_of(const Payload& payload) {
  return static_cast<MessageKind>(payload.kind());
}

/// As error texts have it ("work request"); empty for a number that is none of the enumerators.
[[nodiscard]] std::string_view name_of(MessageKind kind);

/// The beginning of an error text about a message that its receiver has no use for: "unexpected message
/// 'circuit'", or "unknown message 47".
[[nodiscard]] std::string unexpected(const Payload& payload);

/// Carries payload of messages, and is counted as such on links.
[[nodiscard]] constexpr bool is_payload(MessageKind kind) {
  using enum MessageKind;
  return kind == train || (kind >= reduce && kind <= delegated_train) || kind == bypass_train ||
         kind == returned_train || kind == marked_train || kind == numbered_train ||
         kind == marked_numbered_train || kind == placed_train || kind == batch_rest;
}

}  // namespace lightrail
