#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "components/gpu/gpu_spec.hpp"
#include "components/gpu/transport/paths/paths.hpp"
#include "engine/model/kind.hpp"
#include "tests/support/network_bed.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail::test {

/// GPU 0 of two servers of two GPUs, with `nics` NICs a GPU (none: 0), and what one of its paths does. GPUs 0
/// and 1 are in server 0; endpoint 4 is a host of server 1.
class PathBed final : EventSink, RowSink {
 public:
  /// On a port of the GPU; self_port: to itself.
  struct Sent {
    PortIndex port = 0;
    SimTime time{};
    Payload payload{};
  };

  /// `has_storage`: there is a storage fabric, and with it a host; endpoint 5 is a storage server.
  explicit PathBed(std::uint32_t nics, bool pxn = true, bool has_storage = false) {
    AddressBook& book = bed_.book();
    auto kind = probe_kind(nullptr);
    auto link = bed_.link_class(nanoseconds(1), BitRate{400'000'000'000});
    for (std::uint32_t g = 0; g < 4; ++g) {
      const auto local = static_cast<std::uint16_t>(g % 2);
      gpus_.push_back(bed_.add(kind, std::make_shared<ProbeSpec>(), "gpu"));
      const auto nic = static_cast<std::uint16_t>(local * std::max(nics, 1u));
      book.endpoints.push_back({g / 2, nics > 0 ? Lid{g * nics} : Lid{}, local, nic});
      book.component_of.push_back(gpus_.back());
    }
    book.gpu_count = 4;
    book.endpoints.push_back({1, Lid{0}, 0, 0});
    book.component_of.push_back(bed_.add(kind, std::make_shared<ProbeSpec>(), "host"));
    if (has_storage) {
      book.endpoints.push_back({2, Lid{}, 0, 0});
      book.component_of.push_back(bed_.add(kind, std::make_shared<ProbeSpec>(), "storage"));
      book.first_storage = 5, book.storage_count = 1;
      auto storage = std::make_shared<AddressBook>(book);
      for (std::uint32_t e = 0; e < 6; ++e) storage->endpoints[e].lid = Lid{10 + e};
      book.networks[NicRole::storage] = storage;
    }
    for (std::uint32_t g = 0; nics > 1 && g < 4; ++g)
      for (std::uint32_t i = 0; i < nics; ++i) {
        AddressBook::Entry entry = book.endpoints[g];
        entry.nic = static_cast<std::uint16_t>(entry.nic + i), entry.lid = Lid{g * nics + i};
        book.add_nic_address(EndpointId{g}, entry);
      }
    join(GpuPort::nvlink, link);
    if (has_storage) join(GpuPort::host, link);
    for (std::uint32_t i = 0; i < nics; ++i) join(GpuPort::of_nic(i), link);
    NcclSettings nccl;
    nccl.pxn = pxn, nccl.net_overhead = microseconds(1);
    Model& model = bed_.finish_model();
    model.add(std::make_shared<const NcclSettings>(nccl));
    const ComponentRecord& record = model.components[gpus_[0].value];
    build_.emplace(BuildContext{gpus_[0], record, *model.specs[record.spec], model});
    host_.emplace(*build_, EndpointId{0});
    for (std::uint32_t port = 0; port < record.port_count; ++port)
      out_.push_back({SimTime{0}, LinkId{port}, ComponentId{1}});
  }

  const BuildContext& build() const { return *build_; }
  PathHost& host() { return *host_; }
  Context at(SimTime now) { return {gpus_[0], now, out_, self_, *this, *this}; }
  /// What was sent since the last call.
  std::vector<Sent> sent() { return std::exchange(sent_, {}); }
  /// Ends that were told since the last call.
  std::vector<MessageEnd> ends() {
    std::vector<MessageEnd> all;
    host_->tell_ends([&](const MessageEnd& end) { all.push_back(end); });
    return all;
  }
  static Transfer transfer(std::uint32_t to, std::int64_t bytes, bool notify = false) {
    Transfer t;
    t.to = EndpointId{to}, t.payload_bytes = t.wire_bytes = bytes;
    t.notify = notify, t.owner = {7, 8};
    return t;
  }

 private:
  void join(PortIndex port, std::uint16_t link) {
    const ComponentId far = bed_.add(probe_kind(nullptr), std::make_shared<ProbeSpec>(), "far");
    bed_.connect(gpus_[0], port, far, 0, link);
  }
  void push(SimTime time, std::uint32_t, Payload payload, const OutLink& link) override {
    sent_.push_back({link.id == self_.id ? self_port : static_cast<PortIndex>(link.id.value), time, payload});
  }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}

  NetworkBed bed_;
  std::vector<ComponentId> gpus_;
  std::optional<BuildContext> build_;
  std::optional<PathHost> host_;
  std::vector<OutLink> out_;
  OutLink self_{SimTime{0}, LinkId{9'999}, ComponentId{0}};
  std::vector<Sent> sent_;
};

}  // namespace lightrail::test
