#include "network/port/line_errors.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lightrail {
namespace {

/// A train fails less often than once in 10^30: not within any run.
constexpr double never = 1e-30, hopeless = 0.9;
/// Purpose of random numbers; the port is added.
constexpr std::uint32_t error_purpose = 0x4c000000;

}  // namespace

double train_failure(double codeword_failure, std::uint32_t codeword_bytes, std::uint32_t train_bytes) {
  if (codeword_bytes == 0) return 0;
  const std::uint32_t codewords = (train_bytes + codeword_bytes - 1) / codeword_bytes;
  return -std::expm1(codewords * std::log1p(-codeword_failure));
}

bool LineErrors::is_clean(const LinkLight& light) {
  return (light.codeword_bytes == 0 || light.codeword_failure < never) && light.flap_interval.count() == 0;
}

LineErrors::LineErrors(const BuildContext& build, std::uint32_t port, const LinkLight& light,
                       std::uint32_t train_bytes)
    : light_(light), errors_(build.model.seed, build.id, error_purpose + port) {
  const double failure = train_failure(light.codeword_failure, light.codeword_bytes, train_bytes);
  if (failure > hopeless)
    throw InputErrors(InputError{
        "", 0,
        fmt::format("{}: {:.1f} % of the trains of {} B on the line of port {} would fail (a codeword does "
                    "with {:.2e}): the light is too weak",
                    build.model.component_name(build.id), 100 * failure, train_bytes, port,
                    light.codeword_failure)});
  if (light.flap_interval > SimTime{0}) losses_.emplace(build.model.seed, build.id, port, light);
}

SimTime LineErrors::last_start(SimTime start, SimTime busy, std::uint32_t bytes) {
  const double failure = train_failure(light_.codeword_failure, light_.codeword_bytes, bytes);
  for (;;) {
    // A train that the loss of light cuts off goes as a whole when the link is up again.
    if (losses_) start = losses_->first_fit(start, busy);
    if (failure < never || errors_.uniform() >= failure) return start;
    ++replays_;
    start += busy + light_.replay_latency;
  }
}

void LineErrors::save(StateWriter& out) const {
  out.put(errors_), out.put(replays_);
  if (losses_) losses_->save(out);
}

void LineErrors::load(StateReader& in) {
  in.get(errors_), in.get(replays_);
  if (losses_) losses_->load(in);
}

}  // namespace lightrail
