#include "components/gpu/compute/kernel_variation.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/hash.hpp"
#include "engine/base/random.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t jitter_purpose = 0x47000000, spread_purpose = 0x47000001, noise_purpose = 0x47000002,
                        start_purpose = 0x47000003, host_purpose = 0x47000004;

/// Log-normal with mean 1 and this standard deviation.
double draw(Random random, double deviation) {
  const double variance = std::log1p(deviation * deviation);
  return std::exp(random.normal(-variance / 2, std::sqrt(variance)));
}

/// Of this mean; whole nanoseconds, which hide the last bits of libm.
std::int64_t exponential_ns(Random& random, double mean_ps) {
  return std::llround(-std::log1p(-random.uniform()) * mean_ps * 1e-3);
}

/// How late number `who` begins.
SimTime late(std::uint64_t seed, std::uint32_t who, std::uint32_t purpose, SimTime mean) {
  if (mean == SimTime{0}) return mean;
  Random random(seed, ComponentId{who}, purpose);
  return nanoseconds(exponential_ns(random, static_cast<double>(mean.count())));
}

}  // namespace

Describe<KernelVariation> variation_parameters() {
  return Describe<KernelVariation>()
      .field("jitter", &KernelVariation::jitter,
             "relative standard deviation of a kernel's time, drawn for every kernel: 0.02 is 2 %", 0.0, 10.0)
      .field("spread", &KernelVariation::spread,
             "relative standard deviation of the GPUs' speeds, drawn once for every GPU", 0.0, 10.0)
      .field("noise-interval", &KernelVariation::noise_interval,
             "mean time of kernels from one interruption of a GPU to the next; 0: none", SimTime{0},
             milliseconds(1'000'000'000))
      .field("noise-time", &KernelVariation::noise_time, "mean length of an interruption", SimTime{0},
             milliseconds(1'000'000))
      .field("start-skew", &KernelVariation::start_skew,
             "mean time by which a GPU begins late; 0: all begin at once", SimTime{0},
             milliseconds(1'000'000))
      .field("host-skew", &KernelVariation::host_skew,
             "mean time by which a server begins late, all its GPUs together; 0: all begin at once",
             SimTime{0}, milliseconds(1'000'000));
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
  if (variation->noise_interval > SimTime{0}) {
    noise_interval_ = static_cast<double>(variation->noise_interval.count());
    noise_time_ = static_cast<double>(variation->noise_time.count());
  }
  start_ = late(seed_, gpu.value, start_purpose, variation->start_skew);
  if (const auto* book = model.resource<AddressBook>(); book && gpu.value < book->gpu_count)
    start_ += late(seed_, (*book)[gpu].server, host_purpose, variation->host_skew);
}

SimTime GpuPace::of(SimTime time, std::uint64_t kernel) const {
  if (jitter_ == 0 && factor_ == 1 && noise_interval_ == 0) return time;
  double scaled = static_cast<double>(time.count()) * factor_;
  if (jitter_ > 0)
    scaled *= draw(Random(hash_combine(seed_, kernel), ComponentId{gpu_.value}, jitter_purpose), jitter_);
  // Whole nanoseconds hide the last bits of libm.
  constexpr double max_ns = 9e15;  // what picoseconds hold
  std::int64_t took = std::max<std::int64_t>(1, std::llround(std::min(scaled * 1e-3, max_ns)));
  if (noise_interval_ > 0) {
    // Interruptions of a Poisson process: how long until the next one, until the kernel has ended.
    Random random(hash_combine(seed_, kernel), ComponentId{gpu_.value}, noise_purpose);
    const double intervals = scaled / noise_interval_;
    for (double at = -std::log1p(-random.uniform()); at < intervals; at -= std::log1p(-random.uniform()))
      took += exponential_ns(random, noise_time_);
  }
  return nanoseconds(took);
}

}  // namespace lightrail
