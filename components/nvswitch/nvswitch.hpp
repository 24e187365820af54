#pragma once
#include <vector>

#include "components/network/crossbar.hpp"
#include "engine/model/address_book.hpp"

namespace lightrail {

struct NvswitchSpec final : BufferedSpec {
  std::uint32_t ports = 8;
  BitRate port_rate{3'600'000'000'000};
  Bytes buffer{1024 * 1024};
  std::uint32_t lanes = 2;
  SimTime latency{0};
  Watts power{0};

  InputBuffer input_buffer(PortIndex) const override {
    return {static_cast<std::uint8_t>(lanes), buffer.value};
  }
};

/// The NVSwitch plane of one server as a crossbar: port i leads to local GPU i.
///
/// A train to a GPU of this server goes to its port. A train to another server (PXN) goes to the local GPU on
/// the destination's rail, which hands it to its NIC; where several local GPUs share that NIC, the
/// destination's local number chooses among them; where this server has fewer NICs, rails are counted round.
/// Assumes one full-bandwidth plane whatever the number of chips. Leaves out the chips' planes, multicast and
/// in-switch reduction (NVLS), NVLink errors.
class Nvswitch final : public Component {
 public:
  explicit Nvswitch(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void prefetch() const override { crossbar_.prefetch_all(); }
  void finish(Context& context) override;
  std::vector<std::string> waits_for() const override { return crossbar_.egress().waits_for(); }
  void save(StateWriter& out) const override { crossbar_.save(out); }
  void load(StateReader& in) override { crossbar_.load(in); }

 private:
  static constexpr PortIndex unroutable = 0xfffe;
  PortIndex port_to(EndpointId to) const;

  const Model& model_;
  const NvswitchSpec& spec_;
  const AddressBook* book_;
  Crossbar crossbar_;
  std::uint32_t server_ = 0;
  std::vector<EndpointId> gpu_at_;               ///< by port
  std::vector<std::vector<PortIndex>> on_rail_;  ///< by NIC of the server: ports of the GPUs that use it
};

std::shared_ptr<const ComponentKind> nvswitch_kind();

}  // namespace lightrail
