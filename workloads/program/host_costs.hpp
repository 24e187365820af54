#pragma once
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// What launching takes one kind of CPU, in eager mode and bound to its GPU: attributes of <host>, each with
/// its source there. The time of an operation is the sum over what HostWork counts.
struct HostCosts {
  SimTime launch{};            ///< of a kernel, the driver's call alone; 0: nothing is known of this host
  SimTime call{};              ///< an operation of the framework around it
  SimTime module{};            ///< a module of Transformer Engine, beside its operations
  SimTime cast{};              ///< a quantisation, beside its kernel
  SimTime expert{};            ///< a local expert in a library's loop
  SimTime graph{};             ///< a CUDA graph
  SimTime node{};              ///< each kernel of it
  SimTime read_back{};         ///< from the end of an operation to its value in the CPU
  SimTime step{};              ///< between two iterations: data, logging, optimiser's bookkeeping
  SimTime collection{};        ///< a garbage collection
  SimTime start{};             ///< of a kernel on an idle stream, after its launch
  SimTime gap{};               ///< of a stream, behind every kernel
  std::uint32_t ahead = 1024;  ///< kernels that may be launched and have not ended
  double unbound = 1;          ///< all of a CPU's times, where its process is not bound

  [[nodiscard]] bool are_known() const { return launch > SimTime{0}; }
};

/// A Spec of a device that may have such figures.
class HostCostsSpec {
 public:
  [[nodiscard]] virtual const HostCosts& host_costs() const = 0;

 protected:
  ~HostCostsSpec() = default;
};

}  // namespace lightrail
