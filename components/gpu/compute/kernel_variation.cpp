#include "components/gpu/compute/kernel_variation.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/hash.hpp"
#include "engine/base/random.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t jitter_purpose = 0x47000000, spread_purpose = 0x47000001;

/// Log-normal with mean 1 and this standard deviation.
double draw(Random random, double deviation) {
  const double variance = std::log1p(deviation * deviation);
  return std::exp(random.normal(-variance / 2, std::sqrt(variance)));
}

}  // namespace

Describe<KernelVariation> variation_parameters() {
  return Describe<KernelVariation>()
      .field("jitter", &KernelVariation::jitter,
             "relative standard deviation of a kernel's time, drawn for every kernel: 0.02 is 2 %", 0.0, 10.0)
      .field("spread", &KernelVariation::spread,
             "relative standard deviation of the GPUs' speeds, drawn once for every GPU", 0.0, 10.0);
}

Describe<SlowGpus> slow_parameters() {
  return Describe<SlowGpus>()
      .field("gpus", &SlowGpus::gpus, "their numbers: 0-7,16")
      .field("name", &SlowGpus::name, "or the name of one: gpu12")
      .required("factor", &SlowGpus::factor, "their kernels take so many times as long", 0.01, 1000.0);
}

GpuPace::GpuPace(const Model& model, EndpointId gpu) : seed_(model.seed), gpu_(gpu) {
  const auto* variation = model.resource<KernelVariation>();
  if (!variation) return;
  jitter_ = variation->jitter;
  if (variation->spread > 0)
    factor_ = draw(Random(seed_, ComponentId{gpu.value}, spread_purpose), variation->spread);
  if (const auto slow = variation->slow.find(gpu.value); slow != variation->slow.end())
    factor_ *= slow->second;
}

SimTime GpuPace::of(SimTime time, std::uint64_t kernel) const {
  if (jitter_ == 0 && factor_ == 1) return time;
  double scaled = static_cast<double>(time.count()) * factor_;
  if (jitter_ > 0)
    scaled *= draw(Random(hash_combine(seed_, kernel), ComponentId{gpu_.value}, jitter_purpose), jitter_);
  // Whole nanoseconds hide the last bits of libm.
  constexpr double max_ns = 9e15;  // what picoseconds hold
  return nanoseconds(std::max<std::int64_t>(1, std::llround(std::min(scaled * 1e-3, max_ns))));
}

}  // namespace lightrail
