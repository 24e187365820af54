#include "workloads/import/goal/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/dag_program.hpp"
#include "workloads/import/goal/goal_reader.hpp"
#include "workloads/import/goal/loggops.hpp"
#include "workloads/import/goal/message_ledger.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t longest_rank_ns = std::int64_t{1} << 52;  // 52 days: half of what picoseconds hold

/// Makes the program of one rank after the other.
class Importer {
 public:
  Importer(const GoalOptions& options, JobOutput& output, MessageLedger& ledger)
      : path_(options.file), options_(options), output_(output), ledger_(ledger) {}

  void start(std::uint32_t ranks) {
    output_.begin(ranks);
    ranks_ = ranks;
    JobBuilder& job = output_.job();
    GroupKind world;
    world.name = "world";
    world.digits = {{ranks, 1}};
    world_ = job.group(world);
    dimension_ = job.dimension("world");
    calc_ = job.name("calc"), send_ = job.name("send"), recv_ = job.name("recv");
    if (options_.send_end != GoalSendEnd::sent) {
      world.name = "receipts";
      receipts_ = job.group(world);
      receipts_dimension_ = job.dimension("receipts");
      receipt_ = job.name("receipt"), post_ = job.name("post");
    }
    if (!options_.message_time)
      job.note("messages take NCCL's time of a send and a receive; message-time gives another");
  }

  void add(GoalRank& rank) {
    const auto count = static_cast<std::uint32_t>(rank.nodes.size());
    if (!std::is_sorted(rank.edges.begin(), rank.edges.end(),
                        [](const auto& a, const auto& b) { return a.later < b.later; }))
      std::stable_sort(rank.edges.begin(), rank.edges.end(),
                       [](const auto& a, const auto& b) { return a.later < b.later; });
    const auto& sorted = rank.edges;
    std::vector<std::uint32_t> first_edge(count + 1);  // by the node that waits
    for (const auto& edge : sorted) ++first_edge[edge.later + 1];
    for (std::uint32_t i = 0; i < count; ++i) first_edge[i + 1] += first_edge[i];
    const std::vector<std::uint32_t> order = order_of(rank);

    DagProgram dag(output_);
    std::vector<std::uint32_t> op_of(count);
    std::map<std::uint32_t, std::vector<std::uint32_t>>
        before_start;  // by node that another one's start follows
    for (const auto& edge : rank.edges)
      if (edge.is_start) before_start[edge.earlier];
    std::int64_t total_ns = 0;
    for (std::uint32_t i : order) {
      const GoalNode& node = rank.nodes[i];
      std::vector<std::uint32_t> after;
      for (auto edge = sorted.begin() + first_edge[i]; edge != sorted.begin() + first_edge[i + 1]; ++edge) {
        const std::uint32_t on = op_of[edge->earlier];
        if (!edge->is_start) {
          after.push_back(on);
        } else {
          const auto& before = before_start[edge->earlier];
          after.insert(after.end(), before.begin(), before.end());
        }
      }
      note(rank.rank, node, total_ns);
      const auto start = before_start.empty() ? before_start.end() : before_start.find(i);
      op_of[i] = emit(dag, rank.rank, node, std::move(after),
                      start == before_start.end() ? nullptr : &start->second);
    }
    output_.job().assign(rank.rank, dag.end(fmt::format("rank {}", rank.rank)));
  }

  /// Only looks for mistakes, in the order in which add() would meet them.
  void check(const GoalRank& rank) {
    std::int64_t total_ns = 0;
    for (const std::uint32_t i : order_of(rank)) note(rank.rank, rank.nodes[i], total_ns);
  }

  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const {
    throw InputErrors(InputError{path_, static_cast<int>(line), what});
  }

 private:
  /// An empty message still says that it has come.
  static std::int64_t bytes_of(const GoalNode& node) { return std::max<std::int64_t>(1, node.size); }

  /// Nodes behind what they wait for. Throws where they wait in a circle.
  [[nodiscard]] std::vector<std::uint32_t> order_of(const GoalRank& rank) const {
    const auto count = static_cast<std::uint32_t>(rank.nodes.size());
    std::vector<std::uint32_t> order(count);
    // Most files have them in an order that will do, and then it is the one that is asked for.
    if (std::all_of(rank.edges.begin(), rank.edges.end(),
                    [](const auto& edge) { return edge.earlier < edge.later; })) {
      std::iota(order.begin(), order.end(), 0u);
      return order;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    edges.reserve(rank.edges.size());
    for (const auto& edge : rank.edges) edges.emplace_back(edge.later, edge.earlier);
    order = topological_order(count, edges);
    if (order.size() < count) fail_at_cycle(rank, order);
    return order;
  }

  /// Counts a node: its message, and the calcs of its rank so far.
  void note(std::uint32_t rank, const GoalNode& node, std::int64_t& total_ns) {
    if (node.kind == GoalNode::Kind::calc) {
      total_ns += node.size;
      if (total_ns > longest_rank_ns) fail(node.line, "the calcs of a rank take more than 52 days");
      return;
    }
    const bool is_send = node.kind == GoalNode::Kind::send;
    const MessageLedger::Message message{is_send ? rank : node.peer, is_send ? node.peer : rank, node.tag,
                                         bytes_of(node), node.line};
    is_send ? ledger_.sent(message) : ledger_.received(message);
  }

  std::uint32_t emit(DagProgram& dag, std::uint32_t rank, const GoalNode& node,
                     std::vector<std::uint32_t> after, std::vector<std::uint32_t>* waited) {
    Op op;
    if (node.kind == GoalNode::Kind::calc) {
      op.kind = node.size > 0 ? OpKind::compute : OpKind::marker;
      op.dimension = no_dimension;
      op.name = calc_;
      op.duration = nanoseconds(node.size);
      return dag.on_stream(processor(node.cpu), op, std::move(after), waited);
    }
    const bool is_send = node.kind == GoalNode::Kind::send;
    op.kind = is_send ? OpKind::send : OpKind::recv;
    op.name = is_send ? send_ : recv_;
    op.dimension = dimension_;
    op.group = world_;
    op.element_bytes = 1;
    op.bytes = bytes_of(node);
    op.peer_mode = PeerMode::offset;
    op.peer = static_cast<std::int32_t>((node.peer + ranks_ - rank) % ranks_);
    op.root = MessageLedger::lane_of(node.tag);
    set_software(op);
    if (options_.send_end == GoalSendEnd::sent) return dag.message(op, std::move(after), waited);
    if (options_.send_end == GoalSendEnd::eager && op.bytes <= options_.eager_limit)
      return is_send ? send_eagerly(dag, op, std::move(after), waited)
                     : dag.message(op, std::move(after), waited);
    // The sender goes on when the receiver's receipt has come.
    Op receipt = op;
    receipt.kind = is_send ? OpKind::recv : OpKind::send;
    receipt.name = receipt_;
    receipt.dimension = receipts_dimension_;
    receipt.group = receipts_;
    receipt.bytes = 1;
    receipt.duration = SimTime{0};
    receipt.protocol = Protocol::bare;
    const std::uint32_t moved = dag.message(op, std::move(after), waited);
    const std::uint32_t told = dag.message(receipt, {moved});
    return is_send ? told : moved;
  }

  const std::string& processor(std::uint8_t cpu) {
    while (processors_.size() <= cpu) processors_.push_back(fmt::format("cpu {}", processors_.size()));
    return processors_[cpu];
  }

  void set_software(Op& op) const {
    if (!options_.message_time) return;
    op.protocol = Protocol::bare;
    op.duration = *options_.message_time;
  }

  /// What comes after it waits for its software alone.
  std::uint32_t send_eagerly(DagProgram& dag, Op op, std::vector<std::uint32_t> after,
                             std::vector<std::uint32_t>* waited) {
    Op post;
    post.dimension = no_dimension;
    post.name = post_;
    if (op.duration > SimTime{0}) {
      post.kind = OpKind::compute;
      post.duration = op.duration;
      op.duration = SimTime{0};
    }
    const std::uint32_t posted = dag.anywhere(post, std::move(after), waited);
    dag.message(op, {posted});
    return posted;
  }

  [[noreturn]] void fail_at_cycle(const GoalRank& rank, const std::vector<std::uint32_t>& order) const {
    std::vector<bool> is_done(rank.nodes.size());
    for (std::uint32_t i : order) is_done[i] = true;
    for (const auto& edge : rank.edges)
      if (!is_done[edge.later] && !is_done[edge.earlier])
        fail(edge.line, fmt::format("the dependencies of rank {} run in a circle", rank.rank));
    fail(rank.line, fmt::format("the dependencies of rank {} run in a circle", rank.rank));
  }

  std::string path_;
  const GoalOptions& options_;
  JobOutput& output_;
  MessageLedger& ledger_;
  std::uint32_t ranks_ = 0, calc_ = 0, send_ = 0, recv_ = 0, receipt_ = 0, post_ = 0;
  GroupKindId world_{}, receipts_{};
  std::vector<std::string> processors_;  ///< names of their streams
  std::uint16_t dimension_ = no_dimension, receipts_dimension_ = no_dimension;
};

void read(const GoalOptions& options, JobOutput& output, MessageLedger& ledger) {
  Importer importer(options, output, ledger);
  read_goal(
      options.file, [&](std::uint32_t ranks) { importer.start(ranks); },
      [&](GoalRank& rank) { importer.add(rank); });
}

/// The same without operations. `kept`, if any, gets the ranks as the file has them.
void check(const GoalOptions& options, MessageLedger& ledger, std::vector<GoalRank>* kept = nullptr) {
  JobOutput nowhere(JobOutput::discard);
  Importer importer(options, nowhere, ledger);
  read_goal(
      options.file, [&](std::uint32_t ranks) { importer.start(ranks); },
      [&](GoalRank& rank) {
        importer.check(rank);
        if (kept) kept->push_back(std::move(rank));
      });
}

/// What the processors of ranks do as operations of a program.
class TimelineWriter {
 public:
  explicit TimelineWriter(JobBuilder& job) : names_{job.name("send"), job.name("recv"), job.name("calc")} {
    busy_.kind = OpKind::compute, wait_.kind = OpKind::host;
    busy_.dimension = wait_.dimension = no_dimension;
    wait_.name = job.name("wait");
  }

  void write(const GoalTimes& times, DagProgram& dag) {
    processors_.assign(times.end.size(), {});
    for (std::size_t cpu = 0; cpu < processors_.size(); ++cpu)
      processors_[cpu].host = fmt::format("host {}", cpu), processors_[cpu].cpu = fmt::format("cpu {}", cpu);
    for (const GoalBusy& b : times.busy) {
      Processor& processor = processors_[b.cpu];
      wait_until(processor, b.start, dag);
      busy_.duration = b.end - b.start;
      busy_.name = names_[static_cast<std::size_t>(b.kind)];
      processor.last = {dag.on_stream(processor.cpu, busy_, std::move(processor.last))};
      processor.at = b.end;
    }
    for (std::size_t cpu = 0; cpu < processors_.size(); ++cpu)
      wait_until(processors_[cpu], times.end[cpu], dag);
  }

 private:
  struct Processor {
    std::string host, cpu;  ///< names of its streams
    SimTime at{};
    std::vector<std::uint32_t> last;
  };

  void wait_until(Processor& processor, SimTime until, DagProgram& dag) {
    if (until <= processor.at) return;
    wait_.duration = until - processor.at;
    processor.last = {dag.on_stream(processor.host, wait_, std::move(processor.last))};
    processor.at = until;
  }

  std::array<std::uint32_t, 3> names_;
  Op busy_, wait_;
  std::vector<Processor> processors_;
};

/// Of a schedule without mistakes: every rank executes what the model says, and nothing is sent.
void write_times(const GoalOptions& options, const std::vector<GoalRank>& ranks, JobOutput& output) {
  output.begin(static_cast<std::uint32_t>(ranks.size()));
  const std::vector<GoalTimes> times = run_loggops(options.file, ranks, *options.loggops);
  JobBuilder& job = output.job();
  job.note("messages take what LogGOPS says: nothing is sent, and waiting for a message is CPU time 'wait'");
  TimelineWriter writer(job);
  std::uint32_t program = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    // Ranks of a symmetric schedule do the same at the same times.
    if (r == 0 || times[r] != times[r - 1]) {
      DagProgram dag(output);
      writer.write(times[r], dag);
      program = dag.end(fmt::format("rank {}", r));
    }
    job.assign(static_cast<std::uint32_t>(r), program);
  }
}

}  // namespace

void import_goal(const GoalOptions& options, JobOutput& output) {
  MessageLedger ledger;
  std::vector<GoalRank> ranks;
  if (options.loggops)
    check(options, ledger, &ranks);
  else
    read(options, output, ledger);
  if (!ledger.is_balanced()) {
    ledger.focus();
    check(options, ledger);
    auto problem = ledger.problem();
    throw InputErrors(InputError{options.file, static_cast<int>(problem.place),
                                 fmt::format("rank {}: {}", problem.rank, problem.what)});
  }
  if (options.loggops) write_times(options, ranks, output);
}

}  // namespace lightrail
