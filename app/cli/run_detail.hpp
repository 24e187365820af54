#pragma once
#include <cstdint>

#include "engine/base/error.hpp"
#include "engine/model/detail_used.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/read_scenario.hpp"

namespace lightrail {

/// How fine a run is: <run detail="">.
enum class Detail : std::uint8_t {
  trains,    ///< packets in trains, as <network> has them
  packets,   ///< packet by packet, whatever <network> has
  messages,  ///< messages whole, at the rates of ports alone (message_model.hpp)
  formula    ///< communication takes what a formula says (formula_model.hpp)
};

/// As XML has it.
[[nodiscard]] const char* name_of(Detail detail);
/// Whether messages are cut into trains, of a packet too.
[[nodiscard]] constexpr bool has_trains(Detail detail) {
  return detail == Detail::trains || detail == Detail::packets;
}

/// What the scenario asks for, and where mistakes of it stand. A Model resource.
struct RunDetail {
  Detail detail = Detail::trains;
  InputError at;
};

/// What a run at that detail is of a model that is built: what its summary says.
[[nodiscard]] DetailUsed detail_used(const Model& built, Detail detail);

/// The longest trains of a model [packets].
struct LongestTrains {
  std::uint32_t fabric = 1;  ///< on PCIe and fabric links
  std::uint32_t nvlink = 1;
};
[[nodiscard]] LongestTrains longest_trains(const Model& model);

/// The scenario with such trains.
[[nodiscard]] ReadScenario with_trains(ReadScenario scenario, const LongestTrains& trains);
/// The scenario without its <stretch>, or without its <formula>.
[[nodiscard]] ReadScenario without_stretches(ReadScenario scenario);
[[nodiscard]] ReadScenario without_formulas(ReadScenario scenario);
/// The scenario at that detail: without <stretch> where that has no trains to shorten, packet by packet with
/// the switches of every fabric and without <formula>, which says nothing by formula either.
[[nodiscard]] ReadScenario with_detail(ReadScenario scenario, Detail detail);
/// Whether it asks for Detail::packets.
[[nodiscard]] bool asks_for_packets(const Scenario& scenario);

/// What a run runs of a model that is built: the model itself, its message_model() or its formula_model(),
/// with_meetings() for what <formula> names.
/// Throws InputErrors where that cannot be.
[[nodiscard]] Model model_to_run(Model built);

}  // namespace lightrail
