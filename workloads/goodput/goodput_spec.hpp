#pragma once
#include <cstdint>
#include <string>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {

/// <goodput>: weeks of the scenario's job.
struct GoodputSpec {
  std::string job;         ///< of several, by its name; "": the only one
  std::uint32_t gpus = 0;  ///< 0: those of the job
  SimTime step{};          ///< 0: of the simulated job
  SimTime period = 720 * milliseconds(3'600'000);
  std::uint32_t runs = 1000;
};

/// <failure-rates>: how often servers of a kind interrupt a job.
struct FailureRatesSpec {
  double node_days = 1000;
  std::uint32_t gpus_per_node = 8;
  std::string without;  ///< "NIC, SSD"
};

enum class FoundBy : std::uint8_t { signal, watchdog };

/// <category> of <failure-rates>.
struct CategorySpec {
  std::string name;
  double failures = 0;  ///< in FailureRatesSpec::node_days
  bool replaces_server = true;
  std::uint32_t servers = 1;  ///< that fail at once
  FoundBy found_by = FoundBy::signal;
};

enum class JobCheckpointMode : std::uint8_t { synchronous, asynchronous, peers };

/// <checkpoint> of <goodput>. Rates of 0: not given.
struct JobCheckpointSpec {
  SimTime every{};
  JobCheckpointMode mode = JobCheckpointMode::synchronous;
  Bytes size{};
  SimTime blocking{}, write{};
  BitRate copy_rate{}, write_rate{}, read_rate{};
  double speed_while_saving = 1;
  // To peers' memory alone.
  std::uint32_t copies = 2, storage_every = 0;
  SimTime memory_load{}, storage_write{};
};

/// <restart>: stages from a failure to the next step.
struct RestartSpec {
  SimTime detection = milliseconds(20'000), watchdog = milliseconds(600'000);
  SimTime replacement = milliseconds(120'000), rendezvous = milliseconds(30'000);
  SimTime init{}, init_per_gpu = milliseconds(3);
  SimTime load = milliseconds(129'490), warm_up = milliseconds(60'000);
};

/// <spares>.
struct SparesSpec {
  std::uint32_t servers = 0;
  SimTime repair = 24 * milliseconds(3'600'000);
};

/// <replicas>: groups that recover from each other.
struct ReplicasSpec {
  std::uint32_t groups = 2;
  SimTime heartbeat = milliseconds(5'000), quorum = milliseconds(100);
};

[[nodiscard]] Describe<GoodputSpec> goodput_parameters();
[[nodiscard]] Describe<FailureRatesSpec> failure_rates_parameters();
[[nodiscard]] Describe<CategorySpec> category_parameters();
[[nodiscard]] Describe<JobCheckpointSpec> job_checkpoint_parameters();
[[nodiscard]] Describe<RestartSpec> restart_parameters();
[[nodiscard]] Describe<SparesSpec> spares_parameters();
[[nodiscard]] Describe<ReplicasSpec> replicas_parameters();

}  // namespace lightrail
