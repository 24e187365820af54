#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "components/gpu/compute/contention.hpp"
#include "components/gpu/compute/kernel_times.hpp"
#include "components/gpu/compute/kernel_variation.hpp"
#include "components/gpu/execution/batch_queue.hpp"
#include "components/gpu/execution/exposed_time.hpp"
#include "components/gpu/execution/iteration_stretch.hpp"
#include "components/gpu/execution/launch_server.hpp"
#include "components/gpu/execution/open_streams.hpp"
#include "components/gpu/execution/save_log.hpp"
#include "components/gpu/execution/steady_stretch.hpp"
#include "components/gpu/execution/step_clock.hpp"
#include "components/gpu/transport/gpu_transport.hpp"
#include "engine/model/output_selection.hpp"
#include "network/health/health_table.hpp"
#include "network/wire/meeting.hpp"
#include "network/wire/restart_control.hpp"
#include "workloads/collective/comm_engine.hpp"
#include "workloads/program/restart_plan.hpp"

namespace lightrail {

/// Executes one GPU's program: streams in order, dependencies, one collective at a time on a communicator,
/// all of it as often as its job has iterations, from its job's start on; the next iteration starts when
/// every stream has ended. What runs in the background (IoMode) ends for its stream when it starts, and holds
/// up nothing but its own next start. A communicator's collectives start in program order even where a later
/// one could start first, because every member must choose the same order. A collective over a group of one
/// and a marker take no time. Where launching takes time (LaunchServer), what a CPU has to launch starts no
/// earlier. Writes the rows of ops, collectives, steps and exposed.
///
/// Where jobs are restarted (RestartPlan) it says which checkpoints it has written and what takes too long,
/// stops when it is told to, reads its checkpoint and goes on behind it. It reads by its program: of that
/// only what restores takes place then.
///
/// In an inference job it executes its program once for every batch that the scheduler gives it, with the
/// sizes of that batch (BatchQueue), moves keys and values as the scheduler says, and reports both.
class ProgramRunner {
 public:
  /// `build`: of the GPU's component, which executes what GPU `self` of the job does, after a restart perhaps
  /// in its place. `launches`: none where launching takes no time.
  ProgramRunner(const BuildContext& build, EndpointId self, std::shared_ptr<KernelTimes> times,
                std::optional<LaunchServer> launches);

  void start(Context& context, GpuTransport& transport);
  void on_op_end(Context& context, GpuTransport& transport, std::uint32_t op, std::uint32_t setting);
  void on_timer(Context& context, GpuTransport& transport, Owner owner);
  void on_received(Context& context, GpuTransport& transport, Owner owner);
  [[nodiscard]] bool stands_still() const { return interference_.stops_all(); }
  /// Takes the changes of speed that are due. Where the GPU's speed changes (HealthTable::pace_changes) it
  /// comes before anything that is told to this class, which is to hear of nothing while the GPU stands
  /// still.
  void keep_pace(Context& context);
  /// Something waits for the next change of speed: this GPU will be woken (GpuWake::pace).
  void ask_for_pace(Context& context);
  /// After it stood still.
  void go_on(Context& context, GpuTransport& transport) { schedule(context, transport); }
  /// The host has launched something that is ready.
  void on_launched(Context& context, GpuTransport& transport) { schedule(context, transport); }
  void on_end(Context& context, GpuTransport& transport, const MessageEnd& end);
  /// An operation that a formula has the time of has ended.
  void on_met(Context& context, GpuTransport& transport, const meeting::Met& met);
  /// The job is stopped and will go on as `attempt`: all that runs is forgotten. The time that it had run
  /// counts in what finish() returns.
  void halt(Context& context, std::uint8_t attempt);
  /// It goes on: by reading its checkpoint, where there is one.
  void resume(Context& context, GpuTransport& transport, const restart_control::Resume& order);
  /// After that.
  void begin_again(Context& context, GpuTransport& transport);
  void on_watchdog(Context& context);
  /// Whether the watch has nothing to look at.
  [[nodiscard]] bool is_watch_idle() const { return !oldest_watched(); }
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  [[nodiscard]] bool is_stopped() const { return state_ == State::halted; }
  /// The GPU of the job whose program it executes.
  [[nodiscard]] EndpointId self() const { return self_; }
  /// The NVSwitch says that the collective which is about to begin goes as one before it, or is to be
  /// recorded.
  void on_recall_answer(Context& context, GpuTransport& transport, const recall::Answer& answer) {
    if (const auto known = transport.on_answer(context, answer))
      comm_.on_recalled(context, transport, known->slot, known->set_at, known->end);
  }
  /// Anything from the scheduler of an inference job.
  void on_scheduler(Context& context, GpuTransport& transport, const Payload& payload);

  /// At the end of the run, once: what has ended of running chains, what belongs to what the program steps
  /// over. Returns what the GPU did in all.
  StepClock::Activity finish(Context& context, GpuTransport& transport);
  /// As Component's.
  void raise_largest(std::vector<std::int64_t>& largest) const {
    if (steady_) steady_->raise_largest(largest);
    if (repeated_) repeated_->raise_largest(largest);
  }
  void hear_largest(std::span<const std::int64_t> largest) {
    if (steady_) steady_->hear_largest(largest);
    if (repeated_) repeated_->hear_largest(largest);
  }
  /// As Component's. Where steps have left out a part of themselves, the clock is that of what was simulated.
  [[nodiscard]] WholeRun whole_run() const {
    return repeated_ && !steady_ ? repeated_->whole_run() : WholeRun{};
  }

  [[nodiscard]] std::vector<std::string> waits_for(const GpuTransport& transport) const;
  /// Of its operations, those that communicate by their bytes; none in an inference job.
  [[nodiscard]] std::optional<double> done_share() const;
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  struct Stream {
    SimTime start{};          ///< of the running operation; of a chain, of the kernel that runs
    std::uint32_t ended = 0;  ///< operations of this iteration that have ended
    std::uint32_t slot = CommEngine::no_slot;
    std::uint32_t is_running = 0;
    std::uint32_t setting = 0;  ///< how often the end of the running kernel was set
    /// Of kernels timed from their shapes, which run as a chain (ProgramIndex::chain): the one that runs,
    /// what of it was done at `since`.
    std::uint32_t is_chain = 0, kernel = 0;
    std::uint32_t length = 1;      ///< kernels of the chain; 1 of anything else
    std::uint32_t is_waiting = 0;  ///< for the host alone
    SimTime done{}, since{};
    SimTime held{};             ///< of a chain so far: its kernels had ended and the next were not launched
    SimTime launch_at{};        ///< the last one that was asked for
    Interference interference;  ///< by the running communication
  };
  static constexpr std::uint32_t none = 0xffffffff;  ///< of operations

  // Restarts (program_restart.cpp).
  enum class State : std::uint32_t {
    running,
    halted,   ///< until it is told to go on
    reading,  ///< the checkpoint
    warming_up
  };
  /// To the supervisor.
  void report(Context& context, MessageKind kind, std::uint32_t iteration, bool in_memory = false) const;
  /// A communication operation of the job begins: the watch over it runs.
  void watch(Context& context, const Op& op);
  /// When the operation began that runs for longest, of those that are watched; nothing: none runs.
  [[nodiscard]] std::optional<SimTime> oldest_watched() const;
  void begin_save(std::uint32_t op);
  void end_save(Context& context, std::uint32_t op);
  void on_loaded(Context& context);
  /// Whether an operation takes place while the checkpoint is read.
  [[nodiscard]] bool restores(const Op& op) const;
  /// Whether it takes place this time, or is passed over.
  [[nodiscard]] bool is_due(const Op& op) const {
    return state_ == State::reading ? restores(op) : op.is_due(iteration_);
  }
  /// Something else than a checkpoint that is kept in memory sends to other servers. What is received from
  /// them is on the other side of the line, and a receive runs long before anything comes.
  [[nodiscard]] bool uses_network() const;
  [[nodiscard]] SaveLog& log_of(const Op& op) { return is_in_memory(op.io) ? memory_saves_ : saves_; }

  /// What has come in is of serving, not of an operation, and the scheduler is told; false: it is not.
  bool on_served(Context& context, Owner owner);
  [[nodiscard]] bool has_work() const {
    return batch_queue_ ? batch_queue_->is_busy() : iteration_ < iterations_;
  }
  [[nodiscard]] const Op& op_at(std::uint32_t stream) const { return program_->ops[op_index(stream)]; }
  [[nodiscard]] std::uint32_t op_index(std::uint32_t stream) const {
    return index_.stream_ops[stream][streams_[stream].ended];
  }
  [[nodiscard]] bool has_ended(std::uint32_t op) const {
    return index_.position[op] < streams_[program_->ops[op].stream].ended;
  }
  /// `none`: there is none.
  [[nodiscard]] std::uint32_t first_missing(std::uint32_t op) const;
  /// Closes a stream that has nothing to start before another event (OpenStreams).
  bool can_start(std::uint32_t stream);
  /// It, or what depends on it, runs in the background since an earlier iteration, or this one.
  [[nodiscard]] bool is_held(std::uint32_t op) const;
  /// Of an operation that could start otherwise: has the host launched it? If not, this GPU will be woken.
  bool is_launched(Context& context, std::uint32_t stream);
  void set_waiting(Context& context, Stream& s, bool is_waiting);
  /// The first operation that no stream has started, of those that a host launches.
  [[nodiscard]] std::uint32_t first_not_started() const;
  void schedule(Context& context, GpuTransport& transport);
  /// The time before the job's start belongs to no iteration.
  void begin_job(Context& context);
  /// What kernel `op` takes beside no communication.
  KernelCost cost_of(std::uint32_t op);
  /// False when the operation took no time and has ended.
  bool start_op(Context& context, GpuTransport& transport, std::uint32_t stream);
  void end_op(Context& context, std::uint32_t stream);
  /// `partner_at`: when the other side of a send or receive was there, as far as the transport does not know.
  void complete(Context& context, GpuTransport& transport, std::uint32_t slot, SimTime partner_at = {});
  /// A marker has ended behind or before which the program steps over something.
  void pass_marker(Context& context, const GpuTransport& transport, std::uint32_t op);
  void record_collective(Context& context, const CommRun& run);
  void end_iteration(Context& context, const GpuTransport& transport);
  /// No operation of the iteration has begun.
  void rewind();
  void go_on_with(const Program& program);
  void find_program();  ///< of the iteration that a checkpoint is of
  void count(Context& context, const Op& op, int change);
  [[nodiscard]] Interference interference_of(const Op& op, std::uint32_t slot) const;
  void record_op(Context& context, std::uint32_t stream, std::uint32_t op, SimTime start, SimTime end) const;
  /// Kernels of the stream that is at `ended`.
  [[nodiscard]] const std::uint32_t* chain(std::uint32_t stream) const {
    return &index_.stream_ops[stream][streams_[stream].ended];
  }
  /// When the kernel of a chain ends that runs, beside `interference` since `since`.
  [[nodiscard]] SimTime kernel_end(std::uint32_t stream, const KernelCost& cost,
                                   const Interference& interference) const {
    const Stream& s = streams_[stream];
    const SimTime end = s.since + contention_.time_of(cost.time - s.done, cost.bound, interference);
    return launches_ ? std::max(end, last_kernel_end(chain(stream)[s.kernel], cost)) : end;
  }
  /// When kernel `op`, of a chain that the host has launched, may start behind one that ends at `end`.
  [[nodiscard]] SimTime start_behind(std::uint32_t op, SimTime end) const {
    return launches_ ? std::max(end, launches_->start_of(op)) : end;
  }
  /// Of what the host launches as several kernels: the last one's end at the earliest.
  [[nodiscard]] SimTime last_kernel_end(std::uint32_t op, const KernelCost& cost) const {
    return launches_->last_start_of(op) + cost.time / launches_->kernels(op);
  }
  /// Of the chain that begins: its kernels and when the last one ends. One that the host launches later than
  /// the one before ends begins another chain.
  SimTime begin_chain(std::uint32_t stream);
  /// Of a chain's kernel behind one that ends at `end`: its own end.
  SimTime end_behind(std::uint32_t op, SimTime end);
  /// The operation that runs, of a chain its kernel, has ended at that time: its row and its part of the
  /// energy.
  void end_row(Context& context, std::uint32_t stream, SimTime end, SimTime held);
  /// The kernel that runs, beside `interference`, has ended at that time and the next one begins.
  void next_kernel(Context& context, std::uint32_t stream, SimTime end, const KernelCost& cost,
                   const Interference& interference);
  /// Of the time since `since` until `end`, what the kernel that runs waits for launches: an operation's
  /// kernels may take less time than launching them.
  [[nodiscard]] SimTime held_until(std::uint32_t stream, SimTime end, const KernelCost& cost,
                                   const Interference& interference) const {
    const Stream& s = streams_[stream];
    const SimTime busy = contention_.time_of(cost.time - s.done, cost.bound, interference);
    return launches_ ? std::max(end - s.since - busy, SimTime{0}) : SimTime{0};
  }
  /// A chain has ended: what it waited for launches was the host's time, if no other kernel runs.
  void count_held(Context& context, const Stream& s);
  /// Goes on to where a chain is now, beside `interference` since its last change.
  void advance(Context& context, std::uint32_t stream, const Interference& interference);
  /// The kernels of a stream end, the last of them now.
  void end_rows(Context& context, std::uint32_t stream);
  /// Of a kernel of experts: the tokens that came to this GPU over the average of its group.
  [[nodiscard]] double load_of(const Op& op) const;
  /// A thread of this process begins to compute in the interpreter, or has ended: what the host has not
  /// launched comes later, or sooner.
  void share_interpreter(Context& context, bool begins);
  /// Kernels that run are as fast as what communication leaves them.
  void set_interference(Context& context, const Interference& interference);
  /// A send, receive or collective has taken until now, and not longer than the job's watch allows.
  void check_timeout(const Context& context, const CommRun& run) const;
  /// When the chain that runs ends, beside what communication takes now; time_never: the GPU stands still.
  SimTime chain_end(std::uint32_t stream);
  /// Of the operation that runs; one that was set before counts no more.
  void set_end(Context& context, std::uint32_t stream, SimTime end);
  bool is_computing(const Stream& s, std::uint32_t op);
  [[nodiscard]] std::string describe(std::uint32_t op) const;

  // What the time goes into (program_waits.cpp).
  /// How time is counted that is spent on an operation alone.
  [[nodiscard]] static ExposedTime::Key key_of(const Op& op);
  /// The first kernel in program order that has not ended; where none is left, the first operation.
  /// `none`: there is none.
  [[nodiscard]] std::uint32_t next_needed();
  /// Of the communicator of a collective that waits for its turn: the one whose turn it is.
  [[nodiscard]] std::uint32_t earlier_on(const Op& op) const;
  /// The running operation that stands in the way of `op`: what runs on its stream; else the same for the
  /// first dependency that is missing, for the collective whose turn it is, or, where operations start in the
  /// order of their launches, for the first one that has not started. `none`: there is none.
  [[nodiscard]] std::uint32_t blocking_op(std::uint32_t op) const;
  /// After anything has started or ended: what time goes into from now on.
  void count_time(Context& context);
  /// A send or receive ends.
  void settle(Context& context, std::uint32_t slot, SimTime partner_at);
  /// The rows of an iteration.
  void record_step(Context& context, std::int64_t iteration, const StepRecord& step) const;
  /// An iteration has ended of a program that steps over a part of it, or of a job that does over others.
  void keep_step(Context& context, const GpuTransport& transport, StepRecord step);
  /// The iterations with what was stepped over.
  void record_whole_steps(Context& context, GpuTransport& transport);
  /// What stands for what was stepped over.
  void record_stepped_over(Context& context) const;

  const Model& model_;
  const ProgramSet& set_;
  std::optional<BatchQueue> batch_queue_;  ///< none: no inference job
  const Program* program_;                 ///< of this iteration
  const ProgramIndex& index_;
  const OutputSelection* output_;
  const EndpointId self_;  ///< of the job
  const EndpointId here_;  ///< this GPU, for the rows of tables
  const SimTime start_;
  const std::uint32_t iterations_;
  std::shared_ptr<KernelTimes> times_;
  GpuPace pace_;
  std::span<const PaceChange> pace_changes_;
  const HealthTable* health_;    ///< null: nothing ever fails
  const RestartPlan* restarts_;  ///< null: the job ends with what fails
  std::optional<LaunchServer> launches_;
  std::unique_ptr<SteadyStretch> steady_;       ///< null: the program steps over nothing
  std::unique_ptr<IterationStretch> repeated_;  ///< null: the job has no iterations that are not simulated

  Contention contention_;
  CommEngine comm_;
  std::vector<Stream> streams_;
  OpenStreams open_;
  std::vector<std::uint32_t> background_;  ///< slots of operations that streams have left
  std::vector<std::uint32_t> turns_;       ///< by group kind: collectives that have ended in this iteration
  StepClock clock_;
  ExposedTime exposed_;
  Interference interference_;  ///< by all communication that runs
  bool records_ops_ = false, records_power_ = false, records_exposed_ = false;
  SimTime step_start_{};
  std::uint32_t iteration_ = 0;
  std::uint32_t ended_ = 0;         ///< operations of this iteration
  std::uint32_t first_left_ = 0;    ///< all operations before it have ended; next_needed() goes on from there
  std::uint32_t kernel_left_ = 0;   ///< likewise all kernels
  std::uint32_t paces_passed_ = 0;  ///< of pace_changes_
  std::uint32_t paces_asked_ = 0;   ///< of pace_changes_, those that this GPU is or was woken for
  State state_ = State::running;
  std::uint32_t attempt_ = 0;
  StateSource source_ = StateSource::beginning;  ///< of the checkpoint that is read
  std::uint32_t lost_memories_ = 0;              ///< LostMemories::members, then
  SaveLog saves_, memory_saves_;                 ///< in storage, in hosts' memories
  SimTime watch_at_ = time_never;                ///< a timer of the watch ends then
};

}  // namespace lightrail
