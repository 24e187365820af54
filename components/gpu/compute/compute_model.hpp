#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Matrix multiplication of one data type, FP8 of one scaling, on one GPU: <gemm dtype="bf16" .../>. Fitted
/// by tools/fit_gpu.py.
struct GemmSpec {
  DataType dtype = DataType::bf16;
  Scaling scaling = Scaling::tensorwise;  ///< rowwise: FP8 only
  Flops peak{};                           ///< dense peak of the datasheet
  SimTime latency{};                      ///< of the smallest kernel
  double efficiency = 1;                  ///< share of the peak that a full wave of 128 x 256 tiles reaches
  double prologue = 0;                    ///< filling and draining a tile, in multiply-add steps along k
  double memory_efficiency = 1;           ///< share of the HBM bandwidth
  double quantisation = 1;  ///< 1: a wave takes its time however few tiles it has; 0: in proportion
  double overlap = 4;       ///< how sharply compute and memory time overlap (power of the norm)
  bool casts = false;  ///< isolated times include a kernel that casts the left operand from two bytes to one
  double sustained = 1;  ///< share of the fitted speed that remains under lasting load (power, clocks)
  double tile_64x64 = 1, tile_64x128 = 1, tile_128x128 = 1;  ///< efficiency of smaller tiles, relative
};

/// Whose attention kernels <attention> describes: the catalogue's figures, or those of a library by name.
enum class AttentionLibrary : std::uint8_t {
  catalogue,
  cudnn,
  flash_attention_2,
  flash_attention_3,
  flash_attention_4,
  tensorrt_llm
};
[[nodiscard]] const std::vector<std::pair<std::string, AttentionLibrary>>& attention_library_names();

/// Attention: <attention .../>; fused kernels that read Q, K, V and write the output once.
struct AttentionSpec {
  AttentionLibrary library = AttentionLibrary::catalogue;
  SimTime latency{};             ///< of the smallest kernel, many tokens
  double efficiency = 1;         ///< share of the bf16 peak for long sequences
  double prologue = 0;           ///< work of a query tile beside its keys, in keys
  double memory_efficiency = 1;  ///< share of the HBM bandwidth, many tokens
  double overlap = 2;
  double backward_work = 2.5;      ///< backward over forward work
  double backward_efficiency = 0;  ///< share of the bf16 peak in a backward pass; 0: as forward
  SimTime decode_latency{};        ///< of the smallest kernel, one new token a sequence
  double decode_memory_efficiency = 1;
  SimTime decode_unit{};        ///< of one wave of blocks, each a sequence and key-value head
  SimTime decode_group_unit{};  ///< more of it where several query heads share a key-value head
  SimTime decode_combine{};     ///< second pass where the keys of a head are split over SMs
  double decode_overlap = 1;    ///< p of the norm that joins memory and blocks
};

/// Norms, activations, optimiser steps, casts: <memory-kernel .../>.
struct MemoryKernelSpec {
  SimTime latency{};
  double efficiency = 1;  ///< share of the HBM bandwidth
};

/// Kernel times of one GPU by kind and shape: a roofline with measured efficiencies.
///
/// GEMM: for each tile size and split of k, waves of tiles over the SMs; the fastest choice counts, as a
/// tuned library would choose; compute and memory time overlap as a p-norm. Attention: query tiles over the
/// SMs, the longest tile as a floor; one query a sequence: reading the keys and values. Memory-bound: bytes
/// over bandwidth. Leaves out: power that depends on data, L2 hits between kernels, cold
/// caches.
struct ComputeSpec {
  std::uint32_t sms = 0;
  BitRate memory_bandwidth{};
  std::uint32_t collective_sms = 0, point_sms = 0;  ///< that a running collective, or send or receive, holds
  double collective_memory = 0;  ///< bytes of memory traffic for a byte that a running collective receives;
                                 ///< half for a send
  std::vector<GemmSpec> gemms;   ///< by data type and scaling, at most one each
  std::optional<AttentionSpec> attention;
  std::optional<MemoryKernelSpec> memory_kernel;
};

[[nodiscard]] Describe<GemmSpec> gemm_parameters();
[[nodiscard]] Describe<AttentionSpec> attention_parameters();
[[nodiscard]] Describe<MemoryKernelSpec> memory_kernel_parameters();

/// Reads the children <gemm>, <attention> and <memory-kernel> of a <gpu> into `spec`; of several <attention>
/// the one of `library`.
void parse_compute(const Element& gpu, AttentionLibrary library, ComputeSpec& spec, ErrorList& errors);

/// Effective values for the output, named "gemm bf16 latency".
[[nodiscard]] std::vector<ParameterValue> compute_values(const ComputeSpec& spec);

/// What `shape` lacks in `spec` ("no <gemm dtype=\"fp8\">"), or "".
[[nodiscard]] std::string missing_for(const ComputeSpec& spec, const KernelShape& shape);

/// Isolated: as kernels are measured, alone and for a short while. Lasting: in a job, where matrix products
/// run for seconds and power limits the clock; casts are kernels of their own there.
enum class Load : std::uint8_t { isolated, lasting };

/// No kernel takes longer: one that would is refused before the run.
inline constexpr SimTime longest_kernel{1'000'000'000'000'000'000};

/// What a kernel waits for most of its time. One bound by memory needs bandwidth, for which most of the
/// multiprocessors suffice; any other needs multiprocessors.
/// One of a fixed time is slowed by no communication.
enum class Bound : std::uint8_t { compute, memory, fixed };

/// `time`: whole nanoseconds, at most longest_kernel.
struct KernelCost {
  SimTime time{};
  Bound bound = Bound::compute;
};
/// Of one kernel. Needs missing_for() == "".
[[nodiscard]] KernelCost kernel_cost(const ComputeSpec& spec, const KernelShape& shape,
                                     Load load = Load::isolated);
[[nodiscard]] inline SimTime kernel_time(const ComputeSpec& spec, const KernelShape& shape,
                                         Load load = Load::isolated) {
  return kernel_cost(spec, shape, load).time;
}

/// A <gemm> as it is named: "fp8", "fp8 rowwise".
[[nodiscard]] std::string name_of(DataType dtype, Scaling scaling);

}  // namespace lightrail
