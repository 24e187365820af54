#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/describe.hpp"
#include "network/health/spare_servers.hpp"
#include "network/port/credit/credit_flow_control.hpp"
#include "network/port/crossbar.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/injector.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/phase.hpp"
#include "network/wire/restart_control.hpp"
#include "workloads/program/host_costs.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

/// <host>: PCIe root complex and memory of one server, and what its CPUs take to launch (HostCosts).
struct HostSpec final : BufferedSpec, DeviceTraits, HostCostsSpec {
  BitRate memory_bandwidth{300'000'000'000 * 8};
  SimTime latency = nanoseconds(200);
  Bytes buffer{256 * 1024};
  Bytes stage{1024 * 1024};
  std::uint32_t lanes = 1;
  Watts power{0};
  HostCosts costs;

  [[nodiscard]] DeviceRole role() const override { return DeviceRole::host; }
  [[nodiscard]] const HostCosts& host_costs() const override { return costs; }
  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override {
    return {static_cast<std::uint8_t>(lanes), buffer.value, &credit_flow_control()};
  }
};

/// The host of a server: forwards trains between its GPUs where there is no NVSwitch, between GPUs and the
/// server's NICs for storage and the front end, and copies between GPUs and its memory (OpKind::host_copy).
///
/// Ports: i = local GPU i, then its NICs, those of role storage behind them, those of the front end last.
/// Copies: all share the memory's bandwidth, first come first served. To the host: each train is written as
/// it comes; io_done goes back when the last byte is. To the GPU: read in pieces of `stage`, sent as they are
/// read. A write to storage from host memory (IoMode::from_host) is read likewise; the NIC that the GPU uses
/// for it reads each piece from here and sends it in the GPU's name. Leaves out NUMA, pinning and the CPU's
/// own use of its memory.
class Host final : public Component, private SentListener {
 public:
  explicit Host(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  enum class Wake : std::uint8_t { piece_read = 32, copy_written, copy_asked };
  /// The host's own events.
  struct Timer {
    Wake kind{};
    std::uint8_t attempt = 0;  ///< of the GPU's job
    std::uint8_t unused[2] = {};
    std::uint32_t bytes = 0;    ///< piece_read [B]
    std::uint32_t ordinal = 0;  ///< of the GPU's operation
    EndpointId gpu{};

    [[nodiscard]] static constexpr bool carries(Wake wake) {
      return wake >= Wake::piece_read && wake <= Wake::copy_asked;
    }
  };
  static_assert(Message<Timer>);
  struct Copy {
    std::int64_t left = 0;  ///< [B] still to come (to the host) or to be read (to the GPU)
  };

  void on_sent(Context&, std::uint64_t, SimTime) override {}
  void on_timer(const Timer& timer, Context& context);
  /// What jobs that are restarted bring; false: it is nothing of it.
  bool on_restart(const Payload& payload, Context& context);
  void flush(const restart_control::Flush& order, Context& context);
  [[nodiscard]] Timer timer_of(Wake kind, EndpointId gpu, std::uint32_t ordinal,
                               std::uint32_t bytes = 0) const {
    return {.kind = kind,
            .attempt = static_cast<std::uint8_t>(attempt_),
            .bytes = bytes,
            .ordinal = ordinal,
            .gpu = gpu};
  }
  [[nodiscard]] Connection io_connection(std::uint32_t ordinal, Phase phase) const;
  /// What the GPU is called in its job.
  [[nodiscard]] EndpointId in_job(EndpointId gpu) const { return spares_ ? spares_->logical(gpu) : gpu; }
  void take(const Frame& frame, PortIndex port, Context& context);
  void read_next(EndpointId gpu, std::uint32_t ordinal, Context& context);
  void post(EndpointId gpu, MessageKind kind, Connection connection, std::int64_t bytes, Context& context);
  SimTime use_memory(std::int64_t bytes, SimTime now);
  [[nodiscard]] PortIndex port_of(EndpointId gpu) const;
  /// Of the NIC by which a GPU of this server reaches a storage server or gateway on a network behind hosts;
  /// self_port: there is none.
  [[nodiscard]] PortIndex storage_port(EndpointId gpu, EndpointId server) const;
  /// Gives the NIC a piece of a GPU's write to storage.
  void write_piece(EndpointId gpu, std::uint32_t ordinal, std::uint32_t bytes, Context& context);
  [[nodiscard]] const Op& operation(EndpointId gpu, std::uint32_t ordinal, const Context& context) const;
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

  const Model& model_;
  const HostSpec& spec_;
  const AddressBook& book_;
  EndpointId self_;
  std::uint32_t gpus_ = 0;  ///< ports to GPUs: before those to NICs

  Crossbar crossbar_;
  std::vector<LineTime> in_lines_;
  std::vector<Injector> injectors_;
  const SpareServers* spares_;            ///< null: none stands for another
  std::map<std::uint64_t, Copy> copies_;  ///< by GPU and ordinal
  SimTime memory_free_at_{};
  std::uint32_t attempt_ = 0;  ///< of the job whose server this is
  Discards discards_;
};

[[nodiscard]] Describe<HostSpec> host_parameters();
/// The attributes of <host> that say what launching takes.
[[nodiscard]] Describe<HostCosts> host_cost_parameters();
[[nodiscard]] std::shared_ptr<const Spec> make_host_spec(const Element& element, ErrorList& errors);
[[nodiscard]] std::vector<ParameterValue> host_values(const HostSpec& spec);
[[nodiscard]] std::shared_ptr<const ComponentKind> host_kind();

}  // namespace lightrail
