#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/describe.hpp"
#include "engine/scenario/element.hpp"
#include "engine/scenario/scenario.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/job/job.hpp"
#include "workloads/program/program_index.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

/// The storage servers that a job means: those of the front end, or all others.
enum class StorageNetwork : std::uint8_t { storage, frontend };

/// What the makers of a workload may know of the system, and where they put jobs and mistakes.
struct WorkloadContext {
  const Element& element;  ///< <workload>
  const Scenario& scenario;
  std::uint32_t gpu_count = 0;
  StorageServers storage{};
  std::uint32_t hosts = 0;
  std::int64_t gpu_memory_bytes = 0;     ///< of the smallest GPU [B]; 0: not known
  std::vector<std::uint32_t> servers{};  ///< the one that each GPU is in; empty: not known
  bool has_launch_times = false;         ///< of every GPU's host it is known how long a launch takes
  const AlgorithmRegistry& algorithms;
  JobBuilder& job;
  ErrorList& errors;
  std::uint64_t seed = 1;                          ///< of the run
  std::shared_ptr<ServingPlan> serving = nullptr;  ///< what an inference workload leaves beside its job
  bool learns_gate = false;    ///< the fabric expects what transitions between layers, learned, let expect
  bool restarts = false;       ///< the job is restarted when something fails
  std::uint32_t gateways = 0;  ///< machines of <users>

  /// Storage servers of one network.
  [[nodiscard]] std::uint32_t storage_on(StorageNetwork network) const {
    return network == StorageNetwork::frontend ? storage.frontend : storage.all - storage.frontend;
  }
  /// Adds an error where there is none of that network: "`what` needs a storage server, and ...".
  void require_storage(const Element& at, const std::string& what, StorageNetwork network);
  /// Problem with one attribute: "<op> attribute 'size': ...".
  void add_error(const Element& at, const std::string& attribute, const std::string& problem);
};

/// "0-7,16, 32-39" -> numbers below `gpu_count`, in the order given; "" or what is wrong. `all`: every GPU.
[[nodiscard]] std::string parse_gpu_list(const std::string& text, std::uint32_t gpu_count,
                                         std::vector<std::uint32_t>& gpus);

/// The same of other things, `many` of which there are `count`, each called `one`.
[[nodiscard]] std::string parse_number_list(const std::string& text, const char* one, const char* many,
                                            std::uint32_t count, std::vector<std::uint32_t>& numbers);

/// Reads <groups>, adds every group kind and "world" (all GPUs) to the job. Null: only "world".
void read_groups(const Element* groups, WorkloadContext& context);

/// Members of the smallest group of a kind.
[[nodiscard]] std::uint32_t group_size(const GroupKind& kind);

/// How an operation names a server of that network, `peer` behind its GPU's own.
[[nodiscard]] PeerMode peer_mode_of(StorageNetwork network);

/// An attribute "network" of type StorageNetwork.
template <class XSpec>
void describe_network(Describe<XSpec>& table, StorageNetwork XSpec::*member) {
  table.choice("network", member, "the storage servers of <storage>, or those of <storage for=\"frontend\">",
               {{"storage", StorageNetwork::storage}, {"frontend", StorageNetwork::frontend}});
}

/// The group that an attribute names, with did-you-mean; reports and returns invalid when there is none.
[[nodiscard]] GroupKindId require_group(const Element& at, const std::string& name, WorkloadContext& context);

/// Attributes of <op>, of all kinds.
[[nodiscard]] std::vector<ParameterDoc> operation_documentation(const AlgorithmNames& algorithms);
[[nodiscard]] std::vector<ParameterDoc> digit_documentation();  ///< <group> and <digit>

}  // namespace lightrail
