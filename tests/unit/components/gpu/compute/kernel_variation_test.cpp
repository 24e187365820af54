#include "components/gpu/compute/kernel_variation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "network/wire/address_book.hpp"

namespace lightrail {
namespace {

Model model_with(KernelVariation variation, std::uint64_t seed = 1) {
  Model model;
  model.seed = seed;
  model.add<KernelVariation>(std::make_shared<const KernelVariation>(std::move(variation)));
  return model;
}

struct Moments {
  double mean = 0, deviation = 0;
};

template <class Draw>
Moments moments(int count, Draw draw) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double x = draw(i);
    sum += x, squares += x * x;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean)};
}

}  // namespace

TEST_CASE("without a variation a kernel takes the model's time to the picosecond") {
  const Model model;
  CHECK(GpuPace(model, EndpointId{3}).of(SimTime{1'234'567}, 8) == SimTime{1'234'567});
  const Model none = model_with({});
  CHECK(GpuPace(none, EndpointId{3}).of(SimTime{1'234'567}, 8) == SimTime{1'234'567});
}

TEST_CASE("a variation of zeros varies nothing") {
  KernelVariation variation;
  CHECK_FALSE(variation.is_on());
  variation.noise_time = SimTime{1};  // how long none of them would last
  CHECK_FALSE(variation.is_on());
  variation.noise_interval = SimTime{1};
  CHECK(variation.is_on());
  variation = {};
  variation.slow[3] = 1.5;
  CHECK(variation.is_on());
}

TEST_CASE("a slow GPU's kernels take the factor as long, the others' what they took") {
  const Model model = model_with({0, 0, {{2, 1.25}}});
  CHECK(GpuPace(model, EndpointId{2}).of(microseconds(80), 0) == microseconds(100));
  CHECK(GpuPace(model, EndpointId{2}).of(microseconds(80), 1) == microseconds(100));
  CHECK(GpuPace(model, EndpointId{1}).of(microseconds(80), 0) == microseconds(80));
}

TEST_CASE("jitter has mean 1 and the deviation that was asked for, whatever its size") {
  for (double jitter : {0.01, 0.1, 0.5}) {
    const Model model = model_with({jitter, 0, {}});
    const GpuPace pace(model, EndpointId{7});
    const int count = 40'000;
    const Moments m = moments(count, [&](int kernel) {
      return static_cast<double>(pace.of(milliseconds(1), static_cast<std::uint64_t>(kernel)).count()) * 1e-9;
    });
    // Three standard errors of the mean; the deviation within 3 %.
    CHECK(m.mean == Approx(1).margin(3 * jitter / std::sqrt(count)));
    CHECK(m.deviation == Approx(jitter).epsilon(0.03));
  }
}

TEST_CASE(
    "the spread of GPUs is drawn once for each: equal for all its kernels, different for its neighbours") {
  const Model model = model_with({0, 0.05, {}});
  const GpuPace one(model, EndpointId{4});
  CHECK(one.of(milliseconds(1), 0) == one.of(milliseconds(1), 99));
  const Moments m = moments(20'000, [&](int gpu) {
    const GpuPace pace(model, EndpointId{static_cast<std::uint32_t>(gpu)});
    return static_cast<double>(pace.of(milliseconds(1), 0).count()) * 1e-9;
  });
  CHECK(m.mean == Approx(1).margin(0.0012));
  CHECK(m.deviation == Approx(0.05).epsilon(0.03));
}

TEST_CASE("a draw depends on the seed, the GPU and the kernel, and on nothing else") {
  const Model model = model_with({0.1, 0, {}}), same = model_with({0.1, 0, {{9, 2.0}}}),
              other = model_with({0.1, 0, {}}, 2);
  const GpuPace pace(model, EndpointId{4});
  const SimTime time = pace.of(milliseconds(1), 12);
  CHECK(GpuPace(same, EndpointId{4}).of(milliseconds(1), 12) == time);
  CHECK(GpuPace(other, EndpointId{4}).of(milliseconds(1), 12) != time);
  CHECK(GpuPace(model, EndpointId{5}).of(milliseconds(1), 12) != time);
  CHECK(pace.of(milliseconds(1), 13) != time);
  CHECK(pace.of(milliseconds(1), 12) == time);
}

TEST_CASE("noise interrupts long kernels more often, in the mean by their share of the interval") {
  KernelVariation noise;
  noise.noise_interval = milliseconds(10), noise.noise_time = microseconds(50);
  const Model model = model_with(noise);
  const GpuPace pace(model, EndpointId{3});
  for (const SimTime time : {milliseconds(1), milliseconds(40)}) {
    const int count = 100'000;
    const Moments m = moments(count, [&](int kernel) {
      return static_cast<double>((pace.of(time, static_cast<std::uint64_t>(kernel)) - time).count());
    });
    // A compound Poisson process: n interruptions of mean 50 us, variance 2 n 50 us squared.
    const double n = static_cast<double>(time.count()) / 1e10, mean = n * 50e6,
                 deviation = std::sqrt(2 * n) * 50e6;
    CHECK(m.mean == Approx(mean).margin(4 * deviation / std::sqrt(count)));
    CHECK(m.deviation == Approx(deviation).epsilon(0.04));
  }
  CHECK(pace.of(milliseconds(40), 7) == pace.of(milliseconds(40), 7));
}

TEST_CASE("GPUs begin late by an exponential skew, each by its own") {
  KernelVariation skew;
  skew.start_skew = microseconds(3);
  const Model model = model_with(skew);
  const Moments m = moments(50'000, [&](int gpu) {
    return static_cast<double>(GpuPace(model, EndpointId{static_cast<std::uint32_t>(gpu)}).start().count());
  });
  CHECK(m.mean == Approx(3e6).epsilon(0.02));
  CHECK(m.deviation == Approx(3e6).epsilon(0.02));
  CHECK(GpuPace(Model{}, EndpointId{1}).start() == SimTime{0});
  CHECK(GpuPace(model, EndpointId{1}).of(microseconds(5), 0) == microseconds(5));
}

TEST_CASE("servers begin late by an exponential skew, all GPUs of one together") {
  KernelVariation skew;
  skew.host_skew = microseconds(3);
  Model model = model_with(skew);
  auto book = std::make_shared<AddressBook>();
  book->gpu_count = 80'000;
  for (std::uint32_t gpu = 0; gpu < book->gpu_count; ++gpu) book->endpoints.push_back({gpu / 8, {}, 0, 0});
  model.add<AddressBook>(book);
  const auto start = [&](std::uint32_t gpu) { return GpuPace(model, EndpointId{gpu}).start(); };
  const Moments m = moments(10'000, [&](int server) {
    const auto first = static_cast<std::uint32_t>(8 * server);
    CHECK(start(first + 7) == start(first));
    return static_cast<double>(start(first).count());
  });
  CHECK(m.mean == Approx(3e6).epsilon(0.04));
  CHECK(m.deviation == Approx(3e6).epsilon(0.04));
  KernelVariation both = skew;
  both.start_skew = microseconds(1);
  Model more = model_with(both);
  more.add<AddressBook>(book);
  // The GPU's own comes on top, and neither changes the other.
  KernelVariation own;
  own.start_skew = microseconds(1);
  const Model alone = model_with(own);
  for (const std::uint32_t gpu : {0u, 5u, 17u})
    CHECK(GpuPace(more, EndpointId{gpu}).start() == start(gpu) + GpuPace(alone, EndpointId{gpu}).start());
}

TEST_CASE("however fast a draw is, a kernel takes a nanosecond") {
  const Model model = model_with({0, 0, {{0, 0.01}}});
  CHECK(GpuPace(model, EndpointId{0}).of(nanoseconds(3), 0) == nanoseconds(1));
}

}  // namespace lightrail
