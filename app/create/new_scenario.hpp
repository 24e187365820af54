#pragma once
#include <cstdint>
#include <string>

#include "app/create/network_parts.hpp"
#include "app/plan/candidates.hpp"

namespace lightrail {

/// What `lightrail new` was told; "" and 0: not said.
struct NewOptions {
  std::string server, fabric, workload, collective, model, trace;
  std::uint32_t servers = 0;
  bool is_ethernet = false;
};

/// What the scenario consists of, everything decided.
struct NewScenario {
  std::string name;                               ///< of the scenario
  std::string server;                             ///< entry of the catalogue
  std::uint32_t servers = 1, gpus = 1, nics = 1;  ///< the last two of a server
  std::string fabric;                             ///< kind
  NetworkParts parts;                             ///< unused with fabric "none"
  std::uint32_t tiers = 2;       ///< of switches; of rail-only may be 1; unused where a kind has none
  std::uint32_t rails = 0;       ///< of a server; 0: one for each NIC
  std::string workload;          ///< kind
  std::string collective;        ///< of a collective
  std::string model;             ///< entry, of training and inference
  PlanAttributes plan;           ///< of training
  std::uint32_t tp = 1, pp = 1;  ///< of a replica, of inference
  std::string trace;             ///< path from the scenario
  std::string traced_gpu;        ///< as the trace names it; "" where it names none
  std::string recorded_on;       ///< entry of the trace's GPU; "" where the catalogue lacks it
};

}  // namespace lightrail
