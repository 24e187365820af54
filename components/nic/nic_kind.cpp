#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "components/nic/nic.hpp"
#include "engine/model/require_together.hpp"
#include "network/port/build_checks.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {
namespace {

/// What the fabric says, for a NIC that has a GPU on its first port.
NicReturns returns_of(const BuildContext& build) {
  const auto* returns = build.model.resource<NicReturns>();
  const auto* book = build.model.resource<AddressBook>();
  if (!returns || !book || build.record.port_count < 2) return {};
  const LinkId out = build.model.ports[build.record.first_port + 1u].out;
  if (!out.is_valid()) return {};
  const ComponentId device = build.model.links[out.value].to;
  const std::uint32_t endpoint = build.model.components[device.value].number;
  return endpoint < book->gpu_count ? *returns : NicReturns{};
}

/// Of pauses alone.
constexpr std::array<const char*, 10> pause_attributes{
    "lossless", "headroom",  "resume-offset",  "pause-reaction", "pause-quanta",
    "repair",   "repair-of", "error-interval", "completion",     "answers"};

void check_flow_control(const Element& nic, const NicSpec& spec, ErrorList& errors) {
  if (spec.flow_control == NicFlowControl::pauses) {
    check_pauses(nic, spec, spec.lanes, Bytes{spec.buffer.value * spec.lanes}, errors);
    if (nic.find("lane-reserve"))
      errors.add(nic.error_at("lane-reserve", "<nic> attribute 'lane-reserve': pauses have no use for it"));
    return;
  }
  check_reserve(nic, spec.buffer, spec.reserve, errors);
  for (const char* name : pause_attributes)
    if (nic.find(name))
      errors.add(nic.error_at(
          name, fmt::format("<nic> attribute '{}' has no effect without flow-control=\"pauses\"", name)));
}

/// Once it is settled.
void check_completion(const Element& nic, const NicSpec& spec, ErrorList& errors) {
  if (spec.flow_control == NicFlowControl::pauses && spec.completion == NicCompletion::acknowledged &&
      spec.repaired_lanes() == 0)
    errors.add(nic.error_at("completion",
                            "<nic> attribute 'completion': nothing is acknowledged where all classes are "
                            "lossless (expected repair-of=\"all\" beside it)"));
}

/// Two ports of one NIC.
void check_ports(const Element& nic, const NicSpec& spec, ErrorList& errors) {
  if (spec.ports == 1) {
    for (const char* name : {"port-choice", "fail-over"})
      if (nic.find(name))
        errors.add(
            nic.error_at(name, fmt::format("<nic> attribute '{}' has no effect without ports=\"2\"", name)));
    return;
  }
  if (spec.flow_control != NicFlowControl::pauses)
    errors.add(
        nic.error_at("ports",
                     "<nic> attribute 'ports': each port of an InfiniBand adapter is a NIC of its own, "
                     "with an address and queue pairs of its own (expected flow-control=\"pauses\" for "
                     "a NIC of two ports, or more 'nics' of the <server>)"));
  else if (spec.port_choice != PortChoice::flow && spec.repair != LossRepair::trimming &&
           spec.repaired_lanes() == (1u << spec.lanes) - 1)
    errors.add(nic.error_at(
        "port-choice",
        "<nic> attribute 'port-choice': with load and split, what a queue pair sends overtakes itself, which "
        "go-back-n and selective-repeat take for losses (expected flow, or repair=\"trimming\")"));
}

}  // namespace

void NicSpec::settle() {
  PauseSettings settings = pause_settings(*this, lanes, Bytes{buffer.value * lanes});
  settings.least_reaction = send_latency;
  pauses_ = PauseFlowControl(settings);
}

InputBuffer NicSpec::input_buffer(PortIndex port) const {
  if (port >= ports) {
    // Of the host's PCIe link; GPUs and storage servers have their NIC read.
    if (for_role == NicRole::compute) return {};
    return {1, buffer.value, &credit_flow_control(), 0};
  }
  const FlowControlKind* control = nullptr;
  switch (flow_control) {
    case NicFlowControl::credits:
      control = reserve.value > 0 ? &shared_credit_flow_control() : &credit_flow_control();
      break;
    case NicFlowControl::pauses:
      control = &pauses_;
      break;
  }
  return {static_cast<std::uint8_t>(lanes), buffer.value, control, reserve.value};
}

std::shared_ptr<const ComponentKind> nic_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "nic";
  kind->doc =
      "Network adapter: cuts messages of its GPUs into trains at the lower of PCIe and fabric rate, forwards "
      "what it receives to the device it is for, answers with completions, sends again what classes lose "
      "that "
      "are not lossless. Leaves out one limit over several PCIe links, memory registration and "
      "acknowledgements of lossless classes.";
  kind->can_fail = true;
  kind->hot_bytes = 1152;  // the half of it that sending and receiving touch
  kind->prefetches = true;
  kind->weight = 4;
  kind->state_bytes = 1920;  // the rest of a NIC, messages and flows
  kind->ports = {{"0", "1", "fabric; with ports=\"2\" 0 and 1"},
                 {"1 ...", "devices", "PCIe: GPUs in local order, then host or storage"}};
  kind->statistics = {{"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "largest backlog and total wait of every output and lane"},
                      {"pause", "pauses sent and received by class, with flow-control=\"pauses\""},
                      {"buffer", "largest use of the receive buffer and what it lost, likewise"},
                      {"repair", "what was sent again and discarded by class, likewise"},
                      {"power", "energy of the adapter and of the links it drives"}};
  Describe<NicSpec> table;
  table
      .field(
          "ports", &NicSpec::ports,
          "to the fabric: 2 for two leaves (dual ToR), with one address, one PCIe and the same queue pairs",
          1u, max_fabric_ports)
      .choice(
          "port-choice", &NicSpec::port_choice,
          "of two ports: flow, a hash of sender, receiver and connection; load, for each message the port "
          "that is free first; split, of each message a part by each",
          {{"flow", PortChoice::flow}, {"load", PortChoice::load}, {"split", PortChoice::split}})
      .field("fail-over", &NicSpec::fail_over,
             "of two ports: from when one's cable goes down, or comes back, until its flows go by the other, "
             "or by it again (default: what the documentation of Linux's bonding has for miimon)",
             SimTime{0}, milliseconds(3'600'000))
      .field("port-rate", &NicSpec::port_rate, "fastest fabric link it takes", BitRate{1},
             BitRate{1'000'000'000'000'000})
      .field("pcie-rate", &NicSpec::pcie_rate, "fastest PCIe link it takes, one direction", BitRate{1},
             BitRate{1'000'000'000'000'000})
      .field("message-rate", &NicSpec::message_rate, "work requests started per second at most",
             std::int64_t{1}, std::int64_t{1'000'000'000'000})
      .field("buffer", &NicSpec::buffer, "receive buffer of one lane", Bytes{64}, Bytes{1ll << 31})
      .field("lane-reserve", &NicSpec::reserve,
             "of the buffer, what only its lane may use; the lanes of a port share the rest of all of them; "
             "0: nothing is shared",
             Bytes{0}, Bytes{1ll << 31})
      .field("lanes", &NicSpec::lanes, "virtual lanes; must match the switch", 1u, max_lanes)
      .field("sl-to-vl", &NicSpec::lane_list,
             "lanes of service levels 0, 1, 2 ... (0,0,1); without it as <lanes> says")
      .field("send-latency", &NicSpec::send_latency, "from the work request to the head on the wire",
             SimTime{0}, milliseconds(1))
      .field("receive-latency", &NicSpec::receive_latency, "from the head on the wire to the head on PCIe",
             SimTime{0}, milliseconds(1))
      .field("retransmit-timeout", &NicSpec::retransmit_timeout,
             "until what an optical switch lost is sent again, and what has not been acknowledged on a class "
             "that is not lossless",
             SimTime{1}, milliseconds(3'600'000))
      .field("retries", &NicSpec::retries, "how often before the connection breaks", 0u, max_retries)
      .choice("repair", &NicSpec::repair,
              "of what a class loses that is not lossless: everything from the lost packet on is sent again "
              "(RoCE's default), that packet alone, or what switches have trimmed",
              {{"go-back-n", LossRepair::go_back_n},
               {"selective-repeat", LossRepair::selective_repeat},
               {"trimming", LossRepair::trimming}})
      .choice(
          "repair-of", &NicSpec::repair_of,
          "classes whose trains it numbers, acknowledges and repairs: those that are not lossless, or all, "
          "where switches lose something of lossless ones too (<watchdog>)",
          {{"lossy", RepairOf::lossy}, {"all", RepairOf::all}})
      .choice("completion", &NicSpec::completion,
              "a device is told that its message was sent when its last byte is on the wire, or, on classes "
              "that are repaired, when all of it was acknowledged, as reliable connections of RDMA do",
              {{"sent", NicCompletion::sent}, {"acknowledged", NicCompletion::acknowledged}})
      .choice("answers", &NicSpec::answers,
              "acknowledgements and congestion notices leave as the rest of their class, paused with it, or "
              "first, pauses or not",
              {{"in-class", NicAnswers::in_class}, {"first", NicAnswers::first}})
      .field("error-interval", &NicSpec::error_interval,
             "with go-back-n a receiver complains again of a packet that is missing still; 0: once",
             SimTime{0}, milliseconds(3'600'000))
      .field("nccl-latency", &NicSpec::nccl_latency,
             "what its plugin reports to NCCL, which adds it to a step over the network when it chooses",
             SimTime{0}, milliseconds(1))
      .field("simple-only", &NicSpec::is_simple_only,
             "its plugin restricts NCCL to the protocol Simple where the scenario names none")
      .field("message-time", &NicSpec::message_time,
             "of the adapter's time, what its plugin takes for each message of a collective", SimTime{0},
             milliseconds(1))
      .field("staged-bytes", &NicSpec::staged_bytes,
             "first bytes of a message, which its plugin copies through buffers, at staged-rate", Bytes{0},
             Bytes{1ll << 30})
      .field("staged-rate", &NicSpec::staged_rate, "... at this rate; 0: as fast as others", BitRate{0},
             BitRate{1'000'000'000'000'000})
      .field("power", &NicSpec::power, "electrical power, for the power table; 0: not known", Watts{0},
             Watts{1e6})
      .choice("flow-control", &NicSpec::flow_control,
              "on the fabric: credits (InfiniBand), or pauses (PFC of Ethernet), as its switch has",
              {{"credits", NicFlowControl::credits}, {"pauses", NicFlowControl::pauses}});
  add_pause_fields(table);
  bind_spec(*kind, table);
  kind->make_spec = [parse = kind->make_spec](const Element& nic,
                                              ErrorList& errors) -> std::shared_ptr<const Spec> {
    require_together(nic, {{"staged-bytes", "staged-rate"}, {"staged-rate", "staged-bytes"}}, errors);
    auto spec = std::make_shared<NicSpec>(static_cast<const NicSpec&>(*parse(nic, errors)));
    read_lane_map(nic, spec->lane_table, errors);
    check_flow_control(nic, *spec, errors);
    spec->for_role = read_nic_role(nic, "role", errors);
    spec->settle();
    check_completion(nic, *spec, errors);
    check_ports(nic, *spec, errors);
    return spec;
  };
  ParameterDoc role;
  role.name = "role", role.type = "choice", role.default_value = "compute";
  role.choices = {"compute", "storage", "frontend"};
  role.doc =
      "what it is for: messages of the GPUs, the server's reads and writes on storage, or the front end";
  kind->parameters.push_back(std::move(role));
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Nic>(build, returns_of(build)); };
  return kind;
}

}  // namespace lightrail
