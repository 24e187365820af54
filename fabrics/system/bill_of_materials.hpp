#pragma once
#include <string>
#include <vector>

#include "engine/model/bill_of_materials.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// Counts what the built model has and prices it by <prices>: every NIC; every port of every packet switch;
/// a transceiver at every end of an optical link but those at optical switches; a fibre for every optical
/// link; every circulator; every optical switch port in use; with nvlink="on" every NVSwitch port. With
/// fill="on" ports of packet switches that nothing uses carry a transceiver and half a fibre too. Sets the
/// resource BillOfMaterials.
void price_network(const Element& prices, Model& model, ErrorList& errors);

/// The bill as a table with its sums; "" without one.
std::string bill_text(const Model& model);

/// Elements <prices> and <price>.
std::vector<std::pair<std::string, std::vector<ParameterDoc>>> price_documentation();

}  // namespace lightrail
