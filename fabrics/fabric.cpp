#include "fabrics/fabric.hpp"

#include <fmt/format.h>

#include "fabrics/children.hpp"
#include "fabrics/circuits/circuit_fabric.hpp"
#include "fabrics/fabric_spec.hpp"
#include "fabrics/photonic_rails/photonic_rails.hpp"

namespace lightrail {

namespace {

const std::vector<std::pair<std::string, FabricKind>> kind_names = {
    {"none", FabricKind::none},
    {"single-switch", FabricKind::single_switch},
    {"rail-optimised", FabricKind::rail_optimised},
    {"rail-only", FabricKind::rail_only},
    {"fat-tree", FabricKind::fat_tree},
    {"mixnet", FabricKind::mixnet},
    {"topoopt", FabricKind::topoopt},
    {"photonic-rails", FabricKind::photonic_rails}};

Describe<FabricSpec> fabric_table() {
  using S = FabricSpec;
  Describe<S> table;
  table.choice("kind", &S::kind, "how switches join the NICs", kind_names);
  return table;
}

/// What a kind reads beside `kind`; anything else is left unread and so refused.
Describe<FabricSpec> table_of(FabricKind kind) {
  using S = FabricSpec;
  constexpr std::uint32_t many = 1u << 20;
  Describe<S> table;
  const bool is_rails = kind == FabricKind::rail_optimised || kind == FabricKind::rail_only;
  if (kind == FabricKind::none || kind == FabricKind::single_switch) return table;
  if (kind == FabricKind::topoopt)
    return table
        .field("strides", &S::strides,
               "servers a and a + stride are joined, by two NICs of each (default: as far apart as "
               "the NICs allow)")
        .field("demand-servers", &S::demand_servers,
               "servers that exchange among themselves (an expert group): a ring, and the other NICs by that "
               "demand, instead of strides; 0: strides",
               0u, 65'536u);
  if (kind == FabricKind::photonic_rails)
    return table.field("hold", &S::hold, "a circuit is given up when nothing has left on it for this long",
                       SimTime{0}, milliseconds(3'600'000));
  table
      .field("tiers", &S::tiers, "switch tiers; rail-only also 1", kind == FabricKind::rail_only ? 1u : 2u,
             3u)
      .field("oversubscription", &S::oversubscription, "down ports of a leaf for each uplink", 1.0, 1000.0)
      .field("spines", &S::spines, "two tiers: all, three tiers: of each group (default: as few as fit)", 1u,
             many)
      .field("cores", &S::cores, "three tiers: all (default: as few as fit)", 1u, many);
  if (is_rails)
    table.field("servers-per-pod", &S::servers_per_pod, "servers on one leaf (default: as many as fit)", 1u,
                many);
  else
    table.field("nics-per-leaf", &S::nics_per_leaf, "NICs on one leaf (default: as many as fit)", 1u, many);
  if (kind == FabricKind::rail_optimised)
    table.field("pods-per-group", &S::pods_per_group, "three tiers: pods that share their spines", 1u, many);
  else
    table.field("leaves-per-group", &S::leaves_per_group, "three tiers: leaves that share their spines", 1u,
                many);
  if (kind == FabricKind::mixnet)
    table.field("optical-nics", &S::optical_nics, "NICs of a server that an optical switch joins", 1u, 1024u)
        .field("region-servers", &S::region_servers, "servers that share an optical switch", 1u, 65'000u)
        .field("circuits-for", &S::circuits_for, "the dimension whose traffic takes circuits")
        .field("join-packet", &S::joins_both, "its traffic takes packet NICs too where it has circuits")
        .field("gather", &S::gathers,
               "what a server sends goes to its delegates over NVLink; off: past it, for its latency alone")
        .field("scatter", &S::scatters,
               "what delegates get goes to its receivers over NVLink; off: past it, for its latency alone")
        .field("failed", &S::failed,
               "out of order, known to all: 4:0 is NIC 0 of server 4; r0:5, r0: a port, a switch")
        .field("early", &S::is_early, "known demand is announced when the exchange before has ended")
        .choice("predict", &S::predicts,
                "what is announced then of demand that is not known yet: nothing, itself, the micro-batch "
                "before's, what learned transitions from the layer before make of this one's",
                {{"off", Prediction::off},
                 {"on", Prediction::on},
                 {"past", Prediction::past},
                 {"learned", Prediction::learned}})
        .field("prediction", &S::prediction, "1: predictions are right, 0: even demand", 0.0, 1.0);
  return table;
}

/// What was read of the copy counts as read of the original.
void copy_marks(const Element& copy, const Element& original) {
  original.is_read |= copy.is_read;
  original.asked_attributes = copy.asked_attributes;
  original.asked_children = copy.asked_children;
  for (const Attribute& attribute : copy.attributes)
    if (attribute.is_read) original.find(attribute.name);
  for (std::size_t i = 0; i < original.children.size(); ++i)
    copy_marks(copy.children[i], original.children[i]);
}

/// The switch, with the fabric's `routing` as if it stood on the <switch> itself.
std::optional<Part> read_switch(const Element& fabric, SystemBuilder& builder) {
  const Element* element = only_child(fabric, "switch", Need::required, builder.errors());
  if (!element) return std::nullopt;
  Element merged = *element;
  if (const Attribute* routing = fabric.find("routing")) {
    std::erase_if(merged.attributes, [](const Attribute& a) { return a.name == "routing"; });
    merged.attributes.push_back(*routing);
    element->find("routing");
  }
  const std::optional<Part> part = builder.part("switch", merged);
  copy_marks(merged, *element);
  if (part && part->radix == 0) {
    builder.errors().add(element->error("<switch> has no ports"));
    return std::nullopt;
  }
  return part;
}

/// Attributes that the chosen number of tiers leaves without effect.
void refuse_useless(const Element& fabric, std::uint32_t tiers, ErrorList& errors) {
  const auto refuse = [&](std::initializer_list<const char*> names, const char* why) {
    for (const char* name : names)
      if (const Attribute* attribute = fabric.find(name))
        errors.add({attribute->file, attribute->line,
                    fmt::format("<fabric> attribute '{}' has no effect {}", name, why)});
  };
  if (tiers < 3) refuse({"cores", "pods-per-group", "leaves-per-group"}, "without tiers=\"3\"");
  if (tiers < 2) refuse({"spines", "oversubscription", "servers-per-pod", "nics-per-leaf"}, "with one tier");
}

/// Leaves of a group in three tiers; 0 with two. Half of a spine's ports go down.
std::uint32_t group_size(const FabricSpec& spec, std::uint32_t radix, std::uint32_t rails) {
  if (spec.tiers < 3) return 0;
  if (spec.kind != FabricKind::rail_optimised)
    return spec.leaves_per_group ? spec.leaves_per_group : radix / 2;
  return rails * (spec.pods_per_group ? spec.pods_per_group : radix / 2 / rails);
}

}  // namespace

bool is_no_fabric(const Element* fabric) {
  if (!fabric) return true;
  const Attribute* kind = fabric->find("kind");
  return kind && kind->value == "none";
}

void build_fabric(const Element& fabric, const std::vector<NicPlace>& all_nics, SystemBuilder& builder,
                  FabricCounter& counter, RoutingTables& routing) {
  ErrorList& errors = builder.errors();
  const std::size_t before = errors.size();
  FabricSpec spec;
  if (!fabric.find("kind")) return errors.add(fabric.error("<fabric> lacks the required attribute 'kind'"));
  fabric_table().parse(fabric, spec, errors);
  if (errors.size() > before || spec.kind == FabricKind::none) return;
  if (spec.kind == FabricKind::rail_only) spec.tiers = 1;
  table_of(spec.kind).parse(fabric, spec, errors);
  if (spec.predicts != Prediction::on && spec.prediction < 1) {
    const Attribute* quality = fabric.find("prediction");
    errors.add({quality->file, quality->line,
                "<fabric> attribute 'prediction' has no effect without predict=\"on\""});
  }
  if (spec.kind == FabricKind::topoopt) return build_topoopt(fabric, spec, all_nics, builder, counter);
  if (spec.kind == FabricKind::photonic_rails) {
    builder.declare(fabric, fabric_table(), spec);
    builder.declare(fabric, table_of(spec.kind), spec);
    return build_photonic_rails(fabric, spec, all_nics, builder, counter);
  }
  const std::optional<Part> part = read_switch(fabric, builder);
  const bool is_mixnet = spec.kind == FabricKind::mixnet;
  const LinkRoles links(fabric,
                        is_mixnet ? std::vector<std::string>{"host", "trunk", "core", "optical"}
                                  : std::vector<std::string>{"host", "trunk", "core"},
                        builder);
  const auto host = links.cable("host", Need::required);
  auto trunk = links.cable("trunk", Need::optional);
  auto core = links.cable("core", Need::optional);
  const bool is_one_tier = spec.kind == FabricKind::single_switch || spec.tiers == 1;
  if (spec.kind != FabricKind::single_switch) refuse_useless(fabric, spec.tiers, errors);
  builder.declare(fabric, fabric_table(), spec);
  builder.declare(fabric, table_of(spec.kind), spec);
  if (errors.size() > before) return;
  if (all_nics.empty()) return errors.add(fabric.error("<fabric> has no NICs to join"));
  const std::vector<NicPlace> nics =
      is_mixnet ? build_mixnet(fabric, spec, links, builder.cable_at(*host).rate, all_nics, builder)
                : all_nics;
  if (errors.size() > before) return;

  const std::uint32_t radix = part->radix, rails = std::max(rail_count(nics), 1u);
  ClosRequest request{radix,     is_one_tier ? 1 : spec.tiers,   spec.oversubscription,
                      0,         group_size(spec, radix, rails), spec.spines,
                      spec.cores};
  request.nics_per_leaf = spec.servers_per_pod + spec.nics_per_leaf;  // one of them, or none
  if (!request.nics_per_leaf)
    request.nics_per_leaf =
        is_one_tier ? static_cast<std::uint32_t>(nics.size()) : default_down(radix, spec.oversubscription);
  if (spec.kind == FabricKind::rail_only && nics.back().is_storage)
    return errors.add(
        fabric.error("<fabric kind=\"rail-only\"> cannot attach storage: nothing joins the rails"));
  if (spec.tiers == 3 && request.leaves_per_group == 0)
    return errors.add(fabric.error(
        fmt::format("a spine of {} ports, half of them down, cannot join a pod of {} rails", radix, rails)));

  const std::vector<LeafPlan> plans =
      plan_leaves(spec, request.nics_per_leaf, request.leaves_per_group, nics);
  for (const LeafPlan& plan : plans) {
    ClosRequest own = request;
    if (is_one_tier) own.nics_per_leaf = static_cast<std::uint32_t>(plan.nics.size());
    ClosShape shape;
    for (const std::string& text : shape_clos(own, plan.leaves_by_group(), shape))
      errors.add(fabric.error("<fabric> does not fit: " + text));
    if (errors.size() > before) return;
    if (shape.spines > 0 && !trunk) return errors.add(fabric.error("<fabric> lacks a <link role=\"trunk\">"));
    build_clos(plan, shape, *part, {*host, trunk.value_or(0), core.value_or(trunk.value_or(0))}, builder,
               counter, routing);
  }
}

std::vector<ParameterDoc> fabric_documentation() {
  std::vector<ParameterDoc> docs = fabric_table().documentation();
  for (FabricKind kind : {FabricKind::rail_optimised, FabricKind::fat_tree, FabricKind::mixnet,
                          FabricKind::topoopt, FabricKind::photonic_rails})
    for (ParameterDoc& doc : table_of(kind).documentation()) {
      bool is_known = false;
      for (const ParameterDoc& known : docs) is_known |= known.name == doc.name;
      if (!is_known) docs.push_back(doc);
    }
  ParameterDoc routing;
  for (ParameterDoc& doc : docs)
    if (doc.default_value == "0") doc.default_value = "chosen";
  routing.name = "routing";
  routing.type = "text";
  routing.default_value = "the <switch>'s";
  routing.doc = "as on the <switch>, for all switches of the fabric";
  docs.push_back(routing);
  return docs;
}

}  // namespace lightrail
