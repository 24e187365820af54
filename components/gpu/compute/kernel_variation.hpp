#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// How far kernels' times are from what the compute model says: <variation jitter="0.02" spread="0.01"><slow
/// gpus="5" factor="1.3"/></variation>. A Model resource; without one kernels take exactly the model's time.
///
/// Jitter and spread are log-normal with mean 1: times stay positive and long ones are further away than
/// short ones. Noise interrupts a GPU: the longer a kernel, the likelier, and each time for an exponential
/// while. A GPU begins its program late by an exponential skew of its own and one of its server. A draw
/// depends on the seed, the GPU's (server's) number and the kernel's number in the job, on nothing else.
/// Leaves out: variation of links and NICs, clocks of hosts, which nothing here reads, and slowness that
/// comes and goes.
struct KernelVariation {
  double jitter = 0;  ///< relative standard deviation of a kernel's time, drawn for every kernel
  double spread = 0;  ///< relative standard deviation of the GPUs' speeds, drawn once for every GPU
  std::map<std::uint32_t, double> slow;  ///< by GPU: its kernels take so many times as long
  SimTime noise_interval{};  ///< mean time of kernels from one interruption of a GPU to the next; 0: none
  SimTime noise_time{};      ///< mean length of one
  SimTime start_skew{};      ///< mean time by which a GPU begins late; 0: all at once
  SimTime host_skew{};       ///< mean time by which all GPUs of a server begin late, together

  /// Whether anything is other than the compute model says.
  [[nodiscard]] bool is_on() const {
    return jitter > 0 || spread > 0 || !slow.empty() || noise_interval > SimTime{0} ||
           start_skew > SimTime{0} || host_skew > SimTime{0};
  }
};

[[nodiscard]] Describe<KernelVariation> variation_parameters();

/// <slow>: one row of GPUs.
struct SlowGpus {
  std::string gpus, name;
  double factor = 1;
};
[[nodiscard]] Describe<SlowGpus> slow_parameters();

/// The variation of one GPU.
class GpuPace {
 public:
  GpuPace(const Model& model, EndpointId gpu);
  /// Time of kernel number `kernel` of the job that the compute model says takes `time` [ps, whole
  /// nanoseconds, at least 1 ns, where anything varies].
  [[nodiscard]] SimTime of(SimTime time, std::uint64_t kernel) const;
  /// When it begins.
  [[nodiscard]] SimTime start() const { return start_; }

 private:
  std::uint64_t seed_ = 0;
  EndpointId gpu_{};
  double jitter_ = 0, factor_ = 1;
  double noise_interval_ = 0, noise_time_ = 0;  ///< [ps]
  SimTime start_{};
};

}  // namespace lightrail
