#include "benchmarks/traffic_source.hpp"

#include <array>
#include <cstdint>

#include "benchmarks/measure.hpp"

#include "network/wire/address_book.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail::bench {
namespace {

constexpr PortIndex nic = 1;
constexpr std::uint32_t in_flight = 2;  // messages that keep a NIC busy without a gap

class TrafficSource final : public Component {
 public:
  explicit TrafficSource(const BuildContext& build)
      : spec_(static_cast<const TrafficSpec&>(build.spec)),
        self_(build.record.number),
        hosts_(build.model.resource<AddressBook>()->gpu_count) {}

  void start(Context& context) override {
    while (posted_ < in_flight && posted_ < spec_.messages) post(context);
  }
  void handle(const Event& event, PortIndex, Context& context) override {
    const Payload& p = event.payload;
    if (kind_of(p) == MessageKind::train) {
      const auto train = as<Train>(p);
      packet_hops_ += train.packets * hops_from(train.address.from().value);
    }
    if (kind_of(p) == MessageKind::sent && posted_ < spec_.messages) post(context);
  }
  void finish(Context& context) override {
    const std::array<std::int64_t, 1> row{packet_hops_};
    context.record(packet_hops_table, row);
  }
  void save(StateWriter& out) const override { out.put(posted_), out.put(packet_hops_); }
  void load(StateReader& in) override { in.get(posted_), in.get(packet_hops_); }

 private:
  void post(Context& context) {
    const std::uint32_t to =
        spec_.pattern == Pattern::permutation
            ? static_cast<std::uint32_t>((self_ * 2654435761ull + hosts_ / 2 + 1) % hosts_)
            : static_cast<std::uint32_t>((self_ + 1ull + posted_ % (hosts_ - 1)) % hosts_);
    ++posted_;
    context.send(nic, context.now(),
                 to_payload(WorkRequest{.notify = 1,
                                        .bytes = static_cast<std::uint32_t>(spec_.message.value),
                                        .address = Address(EndpointId{self_}, EndpointId{to}, {})}));
  }
  [[nodiscard]] std::int64_t hops_from(std::uint32_t from) const {
    const std::uint32_t leaf = from / spec_.hosts_per_leaf, own = self_ / spec_.hosts_per_leaf;
    if (leaf == own) return 3;
    return leaf / spec_.leaves_per_group == own / spec_.leaves_per_group ? 5 : 7;
  }

  const TrafficSpec& spec_;
  std::uint32_t self_, hosts_;
  std::uint32_t posted_ = 0;
  std::int64_t packet_hops_ = 0;
};

}  // namespace

std::shared_ptr<const ComponentKind> traffic_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "gpu";
  kind->doc = "Source and sink of a fixed pattern of messages.";
  bind_spec(*kind,
            Describe<TrafficSpec>()
                .choice("pattern", &TrafficSpec::pattern, "who sends to whom",
                        {{"permutation", Pattern::permutation}, {"all-to-all", Pattern::all_to_all}})
                .field("message", &TrafficSpec::message, "size of a message", Bytes{1}, Bytes{1ll << 31})
                .field("messages", &TrafficSpec::messages, "messages of a host", 1u, 1u << 20)
                .field("hosts-per-leaf", &TrafficSpec::hosts_per_leaf, "of the fabric", 1u, 1u << 20)
                .field("leaves-per-group", &TrafficSpec::leaves_per_group, "of the fabric", 1u, 1u << 20));
  kind->make = [](const BuildContext& build) { return std::make_unique<TrafficSource>(build); };
  return kind;
}

}  // namespace lightrail::bench
