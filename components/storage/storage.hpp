#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "components/storage/drives.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/output_selection.hpp"
#include "network/health/spare_servers.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/line_time.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/message.hpp"
#include "network/wire/phase.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

/// <storage-server>: drives behind a NIC.
struct StorageSpec final : Spec, DeviceTraits {
  std::uint32_t drives = 8;
  BitRate read_rate{}, write_rate{};
  SimTime read_latency{}, write_latency{};
  SimTime metadata{};  ///< of the server, to open and look up what one request is about
  Bytes stripe{1024 * 1024};

  [[nodiscard]] DeviceRole role() const override { return DeviceRole::storage; }
};

/// A storage server: serves the reads and writes of GPUs (OpKind::storage_read, storage_write) over the
/// network.
///
/// Requests are opened one after the other, each in the spec's `metadata`. Then, of a read: its stripes queue
/// at the drives, each is sent when it is read. Of a write: it is answered, stripes are written as they fill,
/// io_done goes back when the last one is. A request has at most 1,024 stripes; larger ones get larger
/// stripes. What is left of an earlier attempt of a job that
/// was restarted is forgotten when its GPU asks anew. Ports: j = NIC j; NICs take turns to send, data comes
/// in on the first. Leaves out the file system, caches and replication.
class Storage final : public Component {
 public:
  explicit Storage(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  enum class Wake : std::uint8_t { stripe_read = 32, request, data, write_done, opened };
  /// The server's own events.
  struct Timer {
    Wake kind{};
    std::uint8_t attempt = 0;  ///< of the GPU's job
    std::uint8_t unused[2] = {};
    std::uint32_t bytes = 0;    ///< stripe_read, data [B]
    std::uint32_t ordinal = 0;  ///< of the GPU's operation
    EndpointId gpu{};

    [[nodiscard]] static constexpr bool carries(Wake wake) {
      return wake >= Wake::stripe_read && wake <= Wake::opened;
    }
  };
  static_assert(Message<Timer>);
  struct Request {
    std::int64_t bytes = 0;   ///< of the operation
    std::int64_t left = 0;    ///< reads: to be read; writes: to come in
    std::int64_t filled = 0;  ///< writes: bytes of the stripe that is filling
    SimTime start{}, end{};
    std::int64_t dimension = 0;  ///< whose traffic it is
    std::int64_t is_write = 0;
  };
  /// What was read and sent, of one dimension.
  struct Counter {
    std::int64_t bytes = 0, messages = 0;
  };

  void take(const Payload& payload, PortIndex port, Context& context);
  void on_timer(const Timer& timer, Context& context);
  void send_stripe(const Timer& stripe, Context& context);
  /// Whose operation it is.
  struct Client {
    EndpointId gpu{};
    std::uint32_t ordinal = 0;
    std::uint8_t attempt = 0;
    [[nodiscard]] std::uint64_t key() const {
      return std::uint64_t{attempt} << 36 | std::uint64_t{gpu.value} << 16 | ordinal;
    }
    [[nodiscard]] Connection connection(Phase phase) const;
  };
  [[nodiscard]] static Client client_of(const Timer& timer) {
    return {timer.gpu, timer.ordinal, timer.attempt};
  }
  [[nodiscard]] static Timer timer_of(Wake kind, const Client& client, std::uint32_t bytes = 0) {
    return {.kind = kind,
            .attempt = client.attempt,
            .bytes = bytes,
            .ordinal = client.ordinal,
            .gpu = client.gpu};
  }
  /// False: an earlier attempt of its job, which is over. A new one ends those before it.
  [[nodiscard]] bool is_current(const Client& client);
  void drop(const Request& request);
  void begin(const Client& client, Context& context);
  /// Metadata are there: a read goes to the drives, a write is asked for its data.
  void open(const Client& client, Context& context);
  void fill(const Client& client, std::int64_t bytes, Context& context);
  void send_data(const Client& client, std::uint32_t bytes, Context& context);
  void send_control(const Client& client, Phase phase, Context& context);
  void send(const Payload& message, Context& context);
  void record(Context& context, EndpointId gpu, bool is_write, const Request& request) const;
  [[nodiscard]] std::int64_t stripe_of(const Request& request) const;
  [[noreturn]] void fail(const Context& context, const std::string& what) const;

  const Model& model_;
  const StorageSpec& spec_;
  EndpointId self_;
  bool is_recorded_ = false;
  std::vector<LineTime> in_lines_;  ///< by port
  std::vector<PortIndex> nics_;     ///< connected ports

  Drives drives_;
  SimTime opened_at_{};                             ///< of the last request, whose metadata come last
  const SpareServers* spares_;                      ///< null: none stands for another
  std::map<std::uint64_t, Request> requests_;       ///< by Client::key()
  std::map<std::uint32_t, std::uint8_t> attempts_;  ///< by GPU: of its job, where that was restarted
  Discards discards_;
  std::uint32_t next_nic_ = 0;
  std::map<std::int64_t, Counter> sent_;  ///< by dimension
};

[[nodiscard]] std::shared_ptr<const ComponentKind> storage_kind();

}  // namespace lightrail
