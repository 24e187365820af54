#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/supervisor/supervised_job.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/health/health_table.hpp"
#include "network/health/server_health.hpp"
#include "network/health/spare_servers.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/restart_control.hpp"
#include "workloads/program/restart_plan.hpp"

namespace lightrail {

struct SupervisorSpec final : Spec {};

/// Restarts jobs (RestartPlan), as the agents and the rendezvous of a job's processes do together.
///
/// A failure of a server that a job uses and that lasts longer than `detection` is known then; a broken
/// connection and a collective that takes too long a GPU tells at once. The job is stopped on all its GPUs.
/// Servers that have failed are replaced by spares; without one the job waits until they work again, and is
/// lost where they never do. Replacement, rendezvous and initialisation follow one after the other; then
/// every GPU reads its part of the last checkpoint that all have written, warms up and goes on with the
/// iteration behind it, from the first one where there is no checkpoint. One in hosts' memories is read from
/// there as long as each group has a server left that keeps it: what failed servers kept is lost, those that
/// are repaired too, until the next one is complete. What fails on the way begins all of it anew.
///
/// Ports: i = GPU i of RestartPlan. Assumes that it never fails itself. Leaves out what it and the agents
/// send each other, beyond its time (RestartPlan::notice).
class Supervisor final : public Component {
 public:
  explicit Supervisor(const BuildContext& build);

  void start(Context& context) override;
  void handle(const Event& event, PortIndex port, Context& context) override;
  void finish(Context& context) override;
  [[nodiscard]] bool is_idle_wake(const Event& event) const override;
  [[nodiscard]] std::vector<std::string> waits_for() const override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  enum class Wake : std::uint8_t { failure = 32, ready };
  /// Its own events.
  struct Timer {
    Wake kind{};
    std::uint8_t attempt = 0;  ///< ready: of the job
    std::uint8_t unused[2] = {};
    std::uint32_t number = 0;  ///< failure: of ServerHealth::failures(); ready: of the job
    std::uint64_t unused_too = 0;

    [[nodiscard]] static constexpr bool carries(Wake wake) {
      return wake >= Wake::failure && wake <= Wake::ready;
    }
  };
  static_assert(Message<Timer>);

  void on_failure(const ServerFailure& failure, Context& context);
  void on_broken(const restart_control::Broken& broken, Context& context);
  void on_report(const restart_control::Report& report, PortIndex port, Context& context);
  void stop(std::uint32_t number, const SupervisedJob::Restart& why, Context& context);
  void on_ready(std::uint32_t number, Context& context);
  /// When the job's communicators are ready again, given who is replaced; time_never: it cannot go on.
  [[nodiscard]] SimTime ready_at(std::uint32_t number, SupervisedJob::Restart& restart);
  void tell(std::uint32_t number, const Payload& message, Context& context);
  /// Where the job, which has no attempt under way, has its state from; sets the iteration.
  [[nodiscard]] StateSource find_state(std::uint32_t number);
  /// Of the group that keeps the GPU's state in memory.
  [[nodiscard]] LostMemories lost_memories(std::uint32_t number, EndpointId gpu) const;
  /// The server in the place of `server` of the job.
  [[nodiscard]] std::uint32_t in_place_of(std::uint32_t server, const SupervisedJob& job) const;
  /// The GPU in the place of the job's.
  [[nodiscard]] EndpointId in_place_of(EndpointId gpu, const SupervisedJob& job) const;
  [[nodiscard]] std::string name_of(std::uint32_t number) const;

  const Model& model_;
  const RestartPlan& plan_;
  const AddressBook& book_;
  const SpareServers& spares_;
  const ServerHealth& health_;
  std::vector<PortIndex> port_of_;                      ///< by endpoint
  std::vector<std::uint32_t> job_of_;                   ///< by endpoint: of GPUs of jobs
  std::vector<std::vector<std::uint32_t>> servers_of_;  ///< by job, in order
  std::vector<SupervisedJob> jobs_;
};

[[nodiscard]] std::shared_ptr<const ComponentKind> supervisor_kind();

}  // namespace lightrail
