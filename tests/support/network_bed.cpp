#include "tests/support/network_bed.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <span>

#include "engine/model/output_selection.hpp"
#include "network/health/read_faults.hpp"
#include "tests/support/wire_messages.hpp"

namespace lightrail::test {
namespace {

class Probe final : public Component {
 public:
  Probe(const BuildContext& build, std::map<std::uint32_t, std::vector<Arrival>>* log)
      : spec_(static_cast<const ProbeSpec&>(build.spec)), log_(log ? &(*log)[build.id.value] : nullptr) {}

  void start(Context& context) override {
    for (const auto& send : spec_.script) context.send(send.port, send.at, send.payload);
  }
  void handle(const Event& event, PortIndex port, Context&) override {
    if (log_) log_->push_back({event.time, port, event.payload});
  }
  void save(StateWriter&) const override {}
  void load(StateReader&) override {}

 private:
  const ProbeSpec& spec_;
  std::vector<Arrival>* log_;
};

}  // namespace

std::shared_ptr<const ComponentKind> probe_kind(std::map<std::uint32_t, std::vector<Arrival>>* log) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "probe";
  kind->make = [log](const BuildContext& build) { return std::make_unique<Probe>(build, log); };
  return kind;
}

std::int64_t payload_bytes(const std::vector<Arrival>& arrivals) {
  std::int64_t sum = 0;
  for (const Arrival& a : arrivals)
    if (kind_of(a.payload) == MessageKind::train) sum += frame_in(a.payload).bytes;
  return sum;
}

NetworkBed::NetworkBed() {
  model_.kinds.push_back(probe_kind(&arrivals_));
}

ComponentId NetworkBed::add(std::shared_ptr<const ComponentKind> kind, std::shared_ptr<const Spec> spec,
                            const std::string& prefix, bool joins_last_atom) {
  ComponentId id{static_cast<std::uint32_t>(model_.components.size())};
  ComponentRecord record;
  auto known = std::find(model_.kinds.begin(), model_.kinds.end(), kind);
  record.kind = static_cast<std::uint16_t>(known - model_.kinds.begin());
  if (known == model_.kinds.end()) model_.kinds.push_back(std::move(kind));
  record.spec = static_cast<std::uint32_t>(model_.specs.size());
  model_.specs.push_back(std::move(spec));
  record.name_prefix = static_cast<std::uint32_t>(model_.name_prefixes.size());
  model_.name_prefixes.push_back(prefix);
  record.number = id.value;
  if (!joins_last_atom) ++model_.atom_count;
  record.atom = AtomId{model_.atom_count - 1};
  model_.components.push_back(record);
  drafts_.emplace_back();
  return id;
}

ComponentId NetworkBed::add_endpoint(std::uint32_t server, std::uint16_t local, std::uint16_t nic,
                                     bool joins_last_atom) {
  auto spec = std::make_shared<ProbeSpec>();
  ComponentId id = add(model_.kinds[0], spec, "gpu", joins_last_atom);
  probes_[id.value] = spec;
  auto endpoint = static_cast<std::uint32_t>(book_->endpoints.size());
  model_.components[id.value].number = endpoint;
  book_->endpoints.push_back({server, Lid{endpoint}, local, nic});
  book_->component_of.push_back(id);
  book_->gpu_count = book_->lid_count = endpoint + 1;
  return id;
}

std::uint16_t NetworkBed::link_class(SimTime latency, BitRate rate, std::uint32_t mtu, std::uint32_t grain) {
  model_.link_classes.push_back({"test", latency, rate, mtu, grain, "electrical", 0});
  return static_cast<std::uint16_t>(model_.link_classes.size() - 1);
}

LinkId NetworkBed::connect(ComponentId a, PortIndex port_a, ComponentId b, PortIndex port_b,
                           std::uint16_t link_class) {
  LinkId id{static_cast<std::uint32_t>(model_.links.size())};
  model_.links.push_back({a, b, port_a, port_b, link_class});
  model_.links.push_back({b, a, port_b, port_a, link_class});
  drafts_[a.value].ports[port_a] = id;
  drafts_[b.value].ports[port_b] = LinkId{id.value + 1};
  return id;
}

void NetworkBed::route(ComponentId device, SwitchRoute route) {
  routes_->route_of[device.value] = static_cast<std::uint32_t>(routes_->routes.size());
  routes_->routes.push_back(std::move(route));
}

void NetworkBed::set_health(HealthTable health) {
  model_.add<HealthTable>(std::make_shared<const HealthTable>(std::move(health)));
}

void NetworkBed::set_weights(LaneWeights weights) {
  model_.add<LaneWeights>(std::make_shared<const LaneWeights>(weights));
}

void NetworkBed::hear_batches(ComponentId probe) {
  probes_.at(probe.value)->hears_batches = true;
}

void NetworkBed::script(ComponentId probe, SimTime at, PortIndex port, const Payload& payload) {
  probes_.at(probe.value)->script.push_back({at, port, payload});
}

void NetworkBed::record(SimTime interval) {
  auto output = std::make_shared<OutputSelection>();
  output->interval = interval;
  output->by_table.assign(test::many_tables, {true, {}});
  model_.add<OutputSelection>(output);
}

Model& NetworkBed::finish_model() {
  if (is_finished_) return model_;
  is_finished_ = true;
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    model_.components[i].first_port = static_cast<std::uint32_t>(model_.ports.size());
    std::uint32_t count = drafts_[i].ports.empty() ? 0 : drafts_[i].ports.rbegin()->first + 1u;
    model_.components[i].port_count = static_cast<std::uint16_t>(count);
    for (std::uint32_t p = 0; p < count; ++p) {
      auto it = drafts_[i].ports.find(static_cast<PortIndex>(p));
      model_.ports.push_back({it == drafts_[i].ports.end() ? LinkId{} : it->second});
    }
  }
  model_.add<AddressBook>(book_);
  if (!model_.resource<HealthTable>()) set_health(health_of(model_));
  model_.add<RoutingTables>(routes_);
  return model_;
}

/// One priority queue over all components.
struct BedEngine final : EventSink, RowSink {
  struct Later {
    bool operator()(const Event& x, const Event& y) const { return comes_before(y, x); }
  };
  NetworkBed& bed;
  const Model& model;
  std::vector<std::unique_ptr<Component>> components;
  std::vector<std::vector<OutLink>> ports;
  std::vector<OutLink> selves;
  std::priority_queue<Event, std::vector<Event>, Later> queue;

  explicit BedEngine(NetworkBed& b) : bed(b), model(b.finish_model()) {
    for (std::uint32_t i = 0; i < model.components.size(); ++i) {
      const ComponentRecord& record = model.components[i];
      components.push_back(build(i));
      auto& links = ports.emplace_back();
      for (std::uint32_t p = 0; p < record.port_count; ++p) {
        OutLink out;
        out.id = model.ports[record.first_port + p].out;
        if (out.id.is_valid()) {
          const LinkClass& c = model.link_classes[model.links[out.id.value].link_class];
          out.latency = c.latency, out.to = model.links[out.id.value].to;
        }
        links.push_back(out);
      }
      OutLink self;
      self.id = model.self_link(ComponentId{i}), self.to = ComponentId{i};
      selves.push_back(self);
    }
  }
  std::unique_ptr<Component> build(std::uint32_t i) {
    const ComponentRecord& record = model.components[i];
    return model.kinds[record.kind]->make({ComponentId{i}, record, *model.specs[record.spec], model});
  }
  void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) override {
    queue.push({time, link.id, tie, payload});
  }
  void append(TableId table, ComponentId component, SimTime time,
              std::span<const std::int64_t> row) override {
    bed.rows_[table].push_back({component, time, {row.begin(), row.end()}});
  }
  Context context(std::uint32_t i, SimTime now) {
    return {ComponentId{i}, now, std::span<OutLink>(ports[i]), selves[i], *this, *this};
  }
  void save_and_load() {
    for (std::uint32_t i = 0; i < components.size(); ++i) {
      StateWriter out;
      components[i]->save(out);
      components[i] = build(i);
      StateReader in(out.bytes());
      components[i]->load(in);
      LIGHTRAIL_EXPECT(in.is_at_end());
      StateWriter again;
      components[i]->save(again);
      LIGHTRAIL_EXPECT(
          std::equal(out.bytes().begin(), out.bytes().end(), again.bytes().begin(), again.bytes().end()));
    }
  }
  void run(SimTime save_at) {
    for (std::uint32_t i = 0; i < components.size(); ++i) {
      Context c = context(i, SimTime{0});
      components[i]->start(c);
    }
    SimTime before{};
    while (!queue.empty()) {
      Event event = queue.top();
      queue.pop();
      LIGHTRAIL_EXPECT(event.time >= before);
      if (before < save_at && event.time >= save_at) save_and_load();
      before = event.time;
      ++bed.events_;
      bool is_self = event.link.value >= model.links.size();
      std::uint32_t to = is_self ? event.link.value - static_cast<std::uint32_t>(model.links.size())
                                 : model.links[event.link.value].to.value;
      Context c = context(to, event.time);
      components[to]->handle(event, is_self ? self_port : model.links[event.link.value].to_port, c);
      if (c.now() == event.time) bed.end_ = event.time;  // else Context::count_as_idle
    }
    for (std::uint32_t i = 0; i < components.size(); ++i) {
      Context c = context(i, bed.end_);
      components[i]->finish(c);
      for (const std::string& item : components[i]->waits_for())
        bed.waits_.push_back(model.component_name(ComponentId{i}) + ": " + item);
    }
  }
};

void NetworkBed::run(SimTime save_at) {
  BedEngine(*this).run(save_at);
}

std::vector<Arrival> NetworkBed::trains(ComponentId probe, MessageKind kind) const {
  std::vector<Arrival> some;
  for (const Arrival& a : arrivals(probe))
    if (kind_of(a.payload) == kind) some.push_back(a);
  return some;
}

}  // namespace lightrail::test
