#include "network/port/reports.hpp"

#include <array>
#include <bit>
#include <cstdint>

#include "engine/model/output_selection.hpp"
#include "network/port/tables.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

std::string endpoint_name(const Model& model, EndpointId endpoint) {
  auto* book = model.resource<AddressBook>();
  if (!book || endpoint.value >= book->component_of.size()) return "?";
  return model.component_name(book->component_of[endpoint.value]);
}

void record_power(Context& context, const Model& model, Watts power, const EgressBank& egress) {
  auto* output = model.resource<OutputSelection>();
  if (!output || !output->is_recorded(tables::power)) return;
  // 1 W for 1 ps is 1 pJ.
  const WholeRun& whole = context.whole_run();
  double energy_pj =
      power.value * static_cast<double>(context.now().count()) + whole.of(egress.link_energy_pj());
  if (energy_pj == 0) return;
  std::array<std::int64_t, 2> row{whole.of(egress.longest_busy()).count(),
                                  std::bit_cast<std::int64_t>(energy_pj)};
  context.record(tables::power, row);
}

}  // namespace lightrail
