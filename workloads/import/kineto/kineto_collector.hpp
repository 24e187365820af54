#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workloads/import/kineto/kineto_event.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/import/kineto/nccl_metadata.hpp"

namespace lightrail {

/// A span on a CPU thread that says what a communication call moves.
struct CommunicationCall {
  std::uint32_t thread = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  int trust = 0;  ///< record_param_comms 2, nccl: 1, c10d:: 0
  std::int64_t event = 0;
  NcclMetadata metadata;
  std::int64_t record_function = -1;  ///< -1: not said
};

/// Indices of texts in the order of first sight.
class Texts {
 public:
  std::uint32_t index(const std::string& text);
  std::vector<std::string> all;

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
};

/// What the events of one file say that a replay needs, in the order of the file: kernels of all GPUs.
struct KinetoEvents {
  struct Kernel {
    GpuOperation operation;    ///< communication: index into nccl_kernels
    std::int64_t device = -1;  ///< -1: not said
    std::int64_t external_id = -1;
  };
  struct NcclKernel {
    std::string name;
    NcclMetadata metadata;
  };
  struct CpuOperator {
    std::int64_t start_ns = 0;
    std::uint32_t thread = 0;
  };
  struct Step {
    std::int64_t number = 0, start_ns = 0, end_ns = 0;
  };
  std::vector<Kernel> kernels;
  std::vector<NcclKernel> nccl_kernels;
  std::vector<RuntimeCall> calls;
  std::vector<CommunicationCall> communication_calls;
  std::unordered_map<std::int64_t, CpuOperator> cpu_operators;  ///< by External id
  std::vector<Step> steps;
  std::vector<KinetoEvent> syncs;
  Texts threads, names, streams;
  std::int64_t first_call_ns = 0;
  bool has_call = false;
  std::int64_t told_rank = -1;  ///< by record_param_comms
};

/// Takes the events of one file one by one. Throws InputErrors naming file and event.
class KinetoCollector {
 public:
  explicit KinetoCollector(std::string path);
  void take(const KinetoEvent& event);
  /// What was taken; calls, kernels and communication calls by their start.
  [[nodiscard]] KinetoEvents finish();

 private:
  [[noreturn]] void fail(const KinetoEvent& event, const std::string& what) const;
  void require_times(const KinetoEvent& event) const;
  void take_operation(const KinetoEvent& event);
  void take_call(const KinetoEvent& event);
  void take_communication_call(const KinetoEvent& event, int trust);
  void take_step(const KinetoEvent& event);
  void apply_syncs();

  std::string path_;
  KinetoEvents events_;
};

}  // namespace lightrail
