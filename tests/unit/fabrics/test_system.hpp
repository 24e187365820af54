#pragma once
#include <cstdint>
#include <string>

#include "engine/model/registry.hpp"
#include "fabrics/system/build_system.hpp"
#include "network/routing/routing.hpp"
#include "network/wire/address_book.hpp"
#include "tests/unit/links/link_xml.hpp"

namespace lightrail::test {

/// Kinds with the names and the few parameters that fabrics/ looks at; their components are never built.
const KindRegistry& plain_kinds();

/// Builds `inner` (the children of <scenario>) and expects no error. `has_scheduler`: for an inference job;
/// `inner` has its <scheduler>.
Model system(const std::string& inner, const FabricRegistry& fabrics = built_in_fabrics(),
             bool has_scheduler = false);
/// Builds `inner` and returns the error texts.
std::string problems(const std::string& inner);

/// <cluster> of `servers` plain servers; the links are short nvlink, pcie.
std::string cluster(int servers, int gpus, int nics, const std::string& extra = "<nvswitch/>");
/// <fabric> with `attributes` and switches of `ports` ports.
std::string fabric(const std::string& attributes, int ports);
/// Attributes of a short copper cable.
extern const std::string copper;

/// Component by name; fails the test when there is none.
ComponentId find(const Model& model, const std::string& name);
/// The component at the far end of a port; invalid when unconnected.
ComponentId far_end(const Model& model, ComponentId id, std::uint32_t port);

/// Expects that trains from every NIC reach every lid over any choice of candidate ports: every candidate is
/// connected, up moves never follow a down move (`is_up_down`), nothing loops. Returns the most switches on a
/// way.
std::uint32_t expect_all_reachable(const Model& model, bool is_up_down);

/// Expects sound tables: links and ports refer to each other, component ids are contiguous by atom, every
/// endpoint's component carries its number, lids are dense.
void expect_sound(const Model& model);

}  // namespace lightrail::test
