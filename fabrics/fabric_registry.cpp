#include "fabrics/fabric_registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/scenario/scenario.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {

namespace {

struct AnyFabricSpec {
  std::string kind;
  NicRole role = NicRole::compute;
};

Describe<AnyFabricSpec> kind_table() {
  return Describe<AnyFabricSpec>().required("kind", &AnyFabricSpec::kind, "how switches join the NICs");
}

Describe<AnyFabricSpec> any_fabric_table() {
  return kind_table().choice(
      "for", &AnyFabricSpec::role,
      "which NICs it joins: those of the GPUs, and of storage where it has no fabric "
      "of its own; or those of role=\"storage\" and of storage servers; or those of "
      "role=\"frontend\" and of storage servers for it",
      {{"compute", NicRole::compute}, {"storage", NicRole::storage}, {"frontend", NicRole::frontend}});
}

}  // namespace

Describe<FabricDetailSpec> fabric_detail_table() {
  return Describe<FabricDetailSpec>().choice(
      "detail", &FabricDetailSpec::detail,
      "trains: its switches and links, with trains as <network> or <run> has them; messages: the rates of "
      "its "
      "NICs' ports, whatever lies between them",
      {{"trains", FabricDetail::trains}, {"messages", FabricDetail::messages}});
}

namespace {

/// True, and an error, where a NIC has more ports than the kind takes.
bool refuse_several_ports(const FabricBuild& fabric) {
  if (fabric.kind.takes_dual_tor) return false;
  for (const NicPlace& place : fabric.nics)
    if (const std::uint32_t ports = fabric.builder.fabric_ports(place.nic); ports > 1) {
      fabric.fail(fmt::format("<fabric kind=\"{}\"> joins {}, which has {} ports (expected one)",
                              fabric.kind.name, fabric.builder.model().component_name(place.nic), ports));
      return true;
    }
  return false;
}

}  // namespace

void document_chosen(FabricKind& kind) {
  for (ParameterDoc& parameter : kind.parameters)
    if (parameter.default_value == "0") parameter.default_value = "chosen";
}

void FabricRegistry::add(std::shared_ptr<const FabricKind> kind) {
  for (const auto& known : kinds_)
    if (known->name == kind->name)
      throw InputErrors(InputError{"", 0, "two kinds of fabric are called '" + kind->name + "'"});
  kinds_.push_back(std::move(kind));
}

const FabricKind* FabricRegistry::of(const Element& fabric, ErrorList& errors) const {
  const Attribute* name = fabric.find("kind");
  if (!name) {
    errors.add(fabric.error("<fabric> lacks the required attribute 'kind'"));
    return nullptr;
  }
  for (const auto& kind : kinds_)
    if (kind->name == name->value) return kind.get();
  errors.add({name->file, name->line, "<fabric> attribute 'kind': " + invalid_choice(name->value, names())});
  return nullptr;
}

std::vector<std::string> FabricRegistry::names() const {
  std::vector<std::string> all;
  for (const auto& kind : kinds_) all.push_back(kind->name);
  return all;
}

std::vector<ParameterDoc> FabricRegistry::common_parameters() const {
  std::vector<ParameterDoc> all = any_fabric_table().documentation();
  all.front().type = "choice";
  all.front().choices = names();
  ParameterDoc routing;
  routing.name = "routing";
  routing.type = "text";
  routing.default_value = "the <switch>'s";
  routing.doc = "as on the <switch>, for all switches of the fabric";
  all.push_back(std::move(routing));
  for (ParameterDoc& parameter : fabric_detail_table().documentation()) all.push_back(std::move(parameter));
  return all;
}

std::vector<ParameterDoc> FabricRegistry::all_parameters() const {
  std::vector<ParameterDoc> all = common_parameters();
  for (const auto& kind : kinds_)
    for (const ParameterDoc& own : kind->parameters)
      if (std::none_of(all.begin(), all.end(), [&](const ParameterDoc& p) { return p.name == own.name; }))
        all.push_back(own);
  return all;
}

FabricElements fabrics_of(const Element& root, const FabricRegistry& registry, ErrorList& errors) {
  FabricElements found;
  for (const Element* element : root.children_named("fabric")) {
    const NicRole role = read_nic_role(*element, "for", errors);
    FabricElement& fabric = found[role];
    if (fabric.element) {
      errors.add(element->error(fmt::format(
          "a second <fabric> for {} (expected one each for compute, storage and frontend)", name_of(role))));
      continue;
    }
    FabricDetailSpec detail;
    fabric_detail_table().parse(*element, detail, errors);
    fabric = {element, registry.of(*element, errors), detail.detail};
    if (role != NicRole::compute && fabric.kind && !fabric.kind->takes_storage)
      errors.add(element->error_at("kind", fmt::format("<fabric for=\"{}\"> cannot be of kind '{}'",
                                                       name_of(role), fabric.kind->name)));
  }
  return found;
}

std::shared_ptr<const FabricsByMessages> fabrics_by_messages(const FabricElements& fabrics) {
  FabricsByMessages found;
  for (const NicRole role : nic_roles)
    if (fabrics[role].detail == FabricDetail::messages)
      found.all.push_back({role, fabrics[role].element->error_at("detail", "")});
  return found.all.empty() ? nullptr : std::make_shared<const FabricsByMessages>(std::move(found));
}

void build_fabric(const FabricElement& fabric, NicRole role, const std::vector<NicPlace>& nics,
                  SystemBuilder& builder, FabricResults& results) {
  const auto& [element, kind, detail] = fabric;
  if (!kind->joins_servers) return;
  const std::size_t before = builder.errors().size();
  const auto table = role == NicRole::compute ? kind_table() : any_fabric_table();
  const LinkRoles links(*element, kind->link_roles, builder);
  FabricBuild build{*kind,           *element,        links,  nics, builder,
                    results.counter, results.routing, before, role, results.layouts};
  builder.declare(*element, table, AnyFabricSpec{kind->name, role}, build.index());
  if (detail != FabricDetail::trains)
    builder.declare(*element, fabric_detail_table(), FabricDetailSpec{detail}, build.index());
  if (refuse_several_ports(build)) return;
  kind->build(build);
}

}  // namespace lightrail
