#include "fabrics/fabric_registry.hpp"

#include <algorithm>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

namespace {

struct AnyFabricSpec {
  std::string kind;
};

Describe<AnyFabricSpec> any_fabric_table() {
  return Describe<AnyFabricSpec>().required("kind", &AnyFabricSpec::kind, "how switches join the NICs");
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

void build_fabric(const FabricKind& kind, const Element& fabric, const std::vector<NicPlace>& nics,
                  SystemBuilder& builder, FabricCounter& counter, RoutingTables& routing) {
  if (!kind.joins_servers) return;
  const std::size_t before = builder.errors().size();
  builder.declare(fabric, any_fabric_table(), AnyFabricSpec{kind.name});
  const LinkRoles links(fabric, kind.link_roles, builder);
  FabricBuild build{kind, fabric, links, nics, builder, counter, routing, before};
  kind.build(build);
}

}  // namespace lightrail
