#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/load_hint.hpp"
#include "engine/scenario/scenario.hpp"
#include "network/circuits/regions.hpp"
#include "workloads/generate/training/transformer.hpp"
#include "workloads/job/job.hpp"
#include "workloads/make_jobs.hpp"

namespace lightrail {

/// The scenario of that text, with the project's catalogue.
Scenario scenario_of(const std::string& children);

/// A model of the catalogue: "llama3_8b".
Transformer catalogue_model(const std::string& name);

/// A <model> of four small layers, with more attributes.
std::string small_model(const std::string& more);

/// What a text of a scenario's children gives on a system of `gpus` GPUs, with so many hosts and storage
/// servers.
struct MadeJob {
  Job job;
  std::vector<std::string> errors;  ///< without the file name: "3: <op> ..."
};
/// `predicts`: of a fabric with circuits; `frontend_storage`: so many of the storage servers stand there.
MadeJob make_job_of(const std::string& children, std::uint32_t gpus, std::uint32_t storage_servers = 0,
                    Prediction predicts = Prediction::off, std::uint32_t hosts = 0,
                    std::uint32_t frontend_storage = 0);
/// Operations of that name, by their place in a program.
std::vector<std::uint32_t> ops_named(const Job& job, std::size_t program, const std::string& name);
/// What make_job_of() makes, of a scenario with several jobs.
struct MadeSeveral {
  MadeJobs made;
  std::vector<std::string> errors;
};
MadeSeveral make_jobs_of(const std::string& children, std::uint32_t gpus);
/// Training of two layers of four experts on 4 GPUs, two an expert group, with that <gate>; `more`
/// attributes.
MadeJob gated_training(const std::string& gate, const std::string& more = "", int batch = 8,
                       Prediction predicts = Prediction::off);
/// What such a system's partitioner is told.
LoadHint load_hint_of(const std::string& children, std::uint32_t gpus);

}  // namespace lightrail
