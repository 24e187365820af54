#include "workloads/restart/restart_spec.hpp"

namespace lightrail {

Describe<JobRestartSpec> job_restart_parameters() {
  const SimTime day = milliseconds(86'400'000);
  return Describe<JobRestartSpec>()
      .field("spares", &JobRestartSpec::spares,
             "servers that no job uses, by number, as 30-31,35: they take the places of failed ones")
      .field("detection", &JobRestartSpec::detection,
             "until a failure with a health signal is acted on; what comes back earlier was not missed "
             "(default: estimate)",
             RestartPlan::notice, day)
      .field("replacement", &JobRestartSpec::replacement,
             "until a spare has taken the place of a server (default: estimate)", SimTime{0}, day)
      .field("rendezvous", &JobRestartSpec::rendezvous,
             "until all processes have met (default: torchelastic's last call, 30 s)", SimTime{0}, day)
      .field("init", &JobRestartSpec::init, "of communicators, whatever their number", SimTime{0}, day)
      .field("init-per-gpu", &JobRestartSpec::init_per_gpu,
             "of communicators, for each GPU of the job (default: MegaScale, NSDI 2024, 30 s for 10,000)",
             SimTime{0}, milliseconds(1000))
      .field("warm-up", &JobRestartSpec::warm_up,
             "between the read of the checkpoint and the first step (default: estimate)", SimTime{0}, day);
}

}  // namespace lightrail
