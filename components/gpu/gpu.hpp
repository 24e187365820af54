#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/gpu_spec.hpp"
#include "components/gpu/held_events.hpp"
#include "engine/model/reports_progress.hpp"

namespace lightrail {

/// A GPU: executes its role's program (ProgramRunner), times kernels (ComputeSpec), speaks to others
/// (GpuTransport). After a restart of a job a spare server's GPU executes what the one did in whose place it
/// is.
///
/// Ports: 0 NVSwitch, 1 its NIC, 2 host, 3 the controller of circuits, 4 the scheduler of an inference job;
/// from 5 on further NICs, then further planes of the NVSwitch; where jobs are restarted the last one is the
/// supervisor.
/// Assumes that kernels of different streams run side by side without slowing each other; communication takes
/// multiprocessors or bandwidth of the memory from all of them. Leaves out copy engines, and the time of a
/// reduction's additions (hidden in NCCL's steps).
class Gpu final : public Component, public ReportsProgress {
 public:
  /// Of a GPU of the job: none where launching takes no time.
  using Launches = std::function<std::optional<LaunchServer>(EndpointId)>;
  /// `times`: null where there is no program.
  Gpu(const BuildContext& build, std::shared_ptr<KernelTimes> times, Launches launches);

  void start(Context& context) override;
  void handle(const Event& event, PortIndex port, Context& context) override;
  void handle_all(EventBatch& batch) override;
  void tell_hot(HotLines& lines) const override;
  void prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const override;
  void finish(Context& context) override;
  void raise_largest(std::vector<std::int64_t>& largest) const override {
    if (runner_) runner_->raise_largest(largest);
  }
  void hear_largest(std::span<const std::int64_t> largest) override {
    if (runner_) runner_->hear_largest(largest);
  }
  [[nodiscard]] WholeRun whole_run() const override { return runner_ ? runner_->whole_run() : WholeRun{}; }
  [[nodiscard]] bool is_idle_wake(const Event& event) const override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  [[nodiscard]] std::optional<double> done_share() const override {
    return runner_ ? runner_->done_share() : std::nullopt;
  }
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  /// Whether the program must not hear of anything now.
  [[nodiscard]] bool stands_still() const { return changes_pace_ && runner_->stands_still(); }
  /// It has stood still and goes on: it hears what it was told meanwhile.
  void go_on(Context& context);
  void tell_ends(Context& context);
  void watch_links(Context& context);
  [[nodiscard]] static bool is_for_program(const Payload& payload, PortIndex port);
  void dispatch(const Payload& payload, PortIndex port, Context& context);
  void on_self(const Payload& payload, Context& context);
  void on_scheduler(const Payload& payload, Context& context);
  /// What jobs that are restarted bring; false: it is nothing of it.
  bool on_restart(const Payload& payload, Context& context);
  void halt(const restart_control::Halt& order, Context& context);
  void resume(const restart_control::Resume& order, Context& context);
  void on_break(const Connection& connection, Context& context);
  /// Executes what GPU `of_job` does.
  void run_as(EndpointId of_job);
  [[nodiscard]] const Model& model() const { return build_.model; }
  [[nodiscard]] const GpuSpec& spec() const { return static_cast<const GpuSpec&>(build_.spec); }

  // A line of what every event looks at, then those of a train's arrival (GpuTransport).
  const bool changes_pace_;  ///< its speed changes: every event looks here, and most at nothing more
  const bool restarts_;      ///< jobs are
  const BuildContext build_;
  GpuTransport transport_;
  HeldEvents held_;
  const std::shared_ptr<KernelTimes> times_;  ///< null: no program
  const Launches launches_;
  std::optional<ProgramRunner> runner_;  ///< none: the job has no program for it
};

[[nodiscard]] std::shared_ptr<const ComponentKind> gpu_kind();

}  // namespace lightrail
