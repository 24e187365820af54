#pragma once
#include <cstdint>
#include <optional>

#include "engine/base/random.hpp"
#include "engine/base/time.hpp"
#include "engine/model/model.hpp"
#include "engine/model/state_io.hpp"
#include "network/health/outage.hpp"

namespace lightrail {

/// The losses of light (flaps) of one direction of an optical link, one after the other: a sequence that seed
/// and link alone fix, without an end, so that it is drawn as far as a run comes. Gaps between them are
/// exponential; each lasts the flap time and the receiver's training.
///
/// Only who puts light on the fibre asks: a port that waits for its light, or an optical switch that loses
/// what it sends then. Routing and senders are told nothing of outages so short.
class LightLosses {
 public:
  /// Of a link that loses light at all (LinkLight::flap_interval).
  [[nodiscard]] static std::optional<LightLosses> of(const Model& model, LinkId link);
  /// `port`: of `sender`, by which the sequence is seeded; `light.flap_interval` > 0.
  LightLosses(std::uint64_t seed, ComponentId sender, std::uint32_t port, const LinkLight& light);

  /// The first moment from `start` on at which light is there for `busy` without a break. Losses before it
  /// are past then: `start` must not be before the one that was given last.
  [[nodiscard]] SimTime first_fit(SimTime start, SimTime busy);

  void save(StateWriter& out) const { out.put(draws_), out.put(next_); }
  void load(StateReader& in) { in.get(draws_), in.get(next_); }

 private:
  [[nodiscard]] Outage after(SimTime from);

  SimTime interval_, length_;
  Random draws_;
  Outage next_;
};

/// Whether some link of the model loses light at all.
[[nodiscard]] bool has_flapping_links(const Model& model);

}  // namespace lightrail
