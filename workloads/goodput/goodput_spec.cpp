#include "workloads/goodput/goodput_spec.hpp"

namespace lightrail {
namespace {

constexpr SimTime hour = milliseconds(3'600'000);
constexpr SimTime longest = 24 * 100 * hour;  ///< of the 106 days of SimTime
constexpr BitRate largest_rate{std::int64_t{1} << 60};
/// As many GPUs times a second each, and a day for each other stage of a restart, fit into SimTime.
constexpr std::uint32_t largest_count = 8'000'000;

}  // namespace

Describe<GoodputSpec> goodput_parameters() {
  return Describe<GoodputSpec>()
      .field("job", &GoodputSpec::job, "whose weeks are played, of several: the name of its <workload>")
      .field("gpus", &GoodputSpec::gpus,
             "GPUs of the job (default: those that it has); where a simulated part stands for a larger job",
             1u, largest_count)
      .field("step", &GoodputSpec::step,
             "time of a step (default: the last iteration of the simulated job; where that tells the "
             "checkpoint too, "
             "less what its GPUs waited for storage)",
             SimTime{1}, hour)
      .field("period", &GoodputSpec::period, "how long the job runs", hour, longest)
      .field("runs", &GoodputSpec::runs, "how often the period is played, each time with other failures", 1u,
             1'000'000u);
}

Describe<FailureRatesSpec> failure_rates_parameters() {
  return Describe<FailureRatesSpec>()
      .field("node-days", &FailureRatesSpec::node_days,
             "days of a server, added over servers, in which the failures of <category> come", 1e-6, 1e12)
      .field("gpus-per-node", &FailureRatesSpec::gpus_per_node, "GPUs of such a server", 1u, 1024u)
      .field("without", &FailureRatesSpec::without, "categories that do not happen, apart by commas");
}

Describe<CategorySpec> category_parameters() {
  return Describe<CategorySpec>()
      .required("name", &CategorySpec::name, "what fails")
      .required("failures", &CategorySpec::failures, "interruptions of jobs in that many node-days", 0.0,
                1e12)
      .field("replaces-server", &CategorySpec::replaces_server, "the server goes to repair")
      .field("servers", &CategorySpec::servers, "that fail at once, drawn by chance, and go to repair", 1u,
             largest_count)
      .choice("found-by", &CategorySpec::found_by,
              "a health signal, or nothing until the watchdog of a collective ends the job",
              {{"signal", FoundBy::signal}, {"watchdog", FoundBy::watchdog}});
}

Describe<JobCheckpointSpec> job_checkpoint_parameters() {
  return Describe<JobCheckpointSpec>()
      .required("every", &JobCheckpointSpec::every, "training time between two, rounded to whole steps",
                SimTime{1}, longest)
      .choice(
          "mode", &JobCheckpointSpec::mode,
          "training waits for blocking and write; or for blocking alone, and a failure during the write "
          "falls back to the checkpoint before; to peers the same, into servers' memories, which are lost "
          "with servers",
          {{"synchronous", JobCheckpointMode::synchronous},
           {"asynchronous", JobCheckpointMode::asynchronous},
           {"peers", JobCheckpointMode::peers}})
      .field("size", &JobCheckpointSpec::size, "of the whole checkpoint, for the rates", Bytes{1},
             Bytes{std::int64_t{1} << 60})
      .field(
          "blocking", &JobCheckpointSpec::blocking,
          "until the state is safe from the next step (default: size over GPUs and copy-rate; without both, "
          "of a simulated write what GPUs waited for storage)",
          SimTime{0}, hour * 24)
      .field(
          "write", &JobCheckpointSpec::write,
          "until the checkpoint is there (default: size over write-rate; without both, first to last storage "
          "write of the simulated job's last iteration)",
          SimTime{0}, hour * 24)
      .field("copy-rate", &JobCheckpointSpec::copy_rate, "of each GPU to its host's memory", BitRate{1},
             largest_rate)
      .field("write-rate", &JobCheckpointSpec::write_rate, "of the storage, all GPUs together", BitRate{1},
             largest_rate)
      .field("read-rate", &JobCheckpointSpec::read_rate,
             "of the storage at a restart, all GPUs together; replaces load of <restart>", BitRate{1},
             largest_rate)
      .field("speed-while-saving", &JobCheckpointSpec::speed_while_saving,
             "of training while an asynchronous write goes on", 0.001, 1.0)
      .field("copies", &JobCheckpointSpec::copies,
             "to peers: servers that keep a server's state, it among them: a group", 2u, 1024u)
      .field("storage-every", &JobCheckpointSpec::storage_every,
             "to peers: checkpoints from one that is written to storage too to the next; 0: none is", 0u,
             1'000'000'000u)
      .field("storage-write", &JobCheckpointSpec::storage_write,
             "to peers: from the end in memory until such a one is in storage", SimTime{0}, hour * 24)
      .field("memory-load", &JobCheckpointSpec::memory_load,
             "to peers: load of <restart> where the state is read from memory", SimTime{0}, hour * 24);
}

Describe<RestartSpec> restart_parameters() {
  const SimTime day = 24 * hour;
  return Describe<RestartSpec>()
      .field("detection", &RestartSpec::detection,
             "until a failure with a health signal is acted on (default: estimate)", SimTime{0}, day)
      .field("watchdog", &RestartSpec::watchdog,
             "until a job that hangs is ended (default: PyTorch's time-out of NCCL, 10 min)", SimTime{0}, day)
      .field("replacement", &RestartSpec::replacement,
             "until a spare has taken the place of a server (default: estimate)", SimTime{0}, day)
      .field("rendezvous", &RestartSpec::rendezvous,
             "until all processes have met (default: torchelastic's last call, 30 s)", SimTime{0}, day)
      .field("init", &RestartSpec::init, "of communicators, whatever their number", SimTime{0}, day)
      .field("init-per-gpu", &RestartSpec::init_per_gpu,
             "of communicators, for each GPU of the job (default: MegaScale, NSDI 2024, 30 s for 10,000)",
             SimTime{0}, milliseconds(1000))
      .field(
          "load", &RestartSpec::load,
          "until the checkpoint is read, or copied from a peer (default: ByteCheckpoint, arXiv 2407.20143, "
          "Llama 3 405B on 8,960 GPUs)",
          SimTime{0}, day)
      .field("warm-up", &RestartSpec::warm_up, "what the first steps take longer (default: estimate)",
             SimTime{0}, day);
}

Describe<SparesSpec> spares_parameters() {
  return Describe<SparesSpec>()
      .required("servers", &SparesSpec::servers, "that stand by", 0u, largest_count)
      .field("repair", &SparesSpec::repair, "of a server, which stands by then (default: estimate)",
             SimTime{1}, longest);
}

Describe<ReplicasSpec> replicas_parameters() {
  return Describe<ReplicasSpec>()
      .required("groups", &ReplicasSpec::groups, "of GPUs that fail and come back one by one", 1u, 1'000'000u)
      .field("heartbeat", &ReplicasSpec::heartbeat,
             "silence after which a group counts as dead (default: that of TorchFT's lighthouse)", SimTime{0},
             hour)
      .field("quorum", &ReplicasSpec::quorum,
             "to agree on who takes part (default: a tick of TorchFT's lighthouse)", SimTime{0}, hour);
}

}  // namespace lightrail
