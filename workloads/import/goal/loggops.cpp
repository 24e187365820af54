#include "workloads/import/goal/loggops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <queue>
#include <sstream>
#include <tuple>

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"
#include "engine/scenario/units.hpp"
#include "workloads/import/goal/mailbox.hpp"
#include "workloads/import/goal/time_queue.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t longest_ps = std::int64_t{1} << 62;  // 53 days

SimTime bytes_time(std::int64_t bytes, std::int64_t femtoseconds_per_byte) {
  const Wide ps = (Wide{std::max<std::int64_t>(0, bytes - 1)} * femtoseconds_per_byte + 999) / 1000;
  return picoseconds(static_cast<std::int64_t>(std::min<Wide>(ps, longest_ps / 4)));
}

class Model {
 public:
  Model(const std::string& path, const std::vector<GoalRank>& ranks, const LogGops& model)
      : path_(path), all_(ranks), model_(model), ranks_(ranks.size()) {
    for (const GoalRank& rank : all_)
      for (const GoalNode& n : rank.nodes)
        cpus_ = std::max(cpus_, n.cpu + 1u), nics_ = std::max(nics_, n.nic + 1u);
    prepare();
  }

  std::vector<GoalTimes> run() {
    for (std::uint32_t r = 0; r < all_.size(); ++r) {
      for (std::uint32_t n = 0; n < all_[r].nodes.size(); ++n)
        if (state(r, n).missing == 0) free_.emplace_back(r, n);
    }
    release();
    while (!queue_.empty()) {
      handle(queue_.pop());
      release();
    }
    for (std::uint32_t r = 0; r < all_.size(); ++r)
      for (std::uint32_t n = 0; n < all_[r].nodes.size(); ++n)
        if (!state(r, n).is_done) {
          const std::uint32_t line = all_[r].nodes[n].line;
          throw InputErrors(InputError{path_, static_cast<int>(line),
                                       fmt::format("rank {}: this operation never ends (a deadlock: sends of "
                                                   "more than S bytes wait for their receives)",
                                                   r)});
        }
    std::vector<GoalTimes> times;
    for (Rank& rank : ranks_) times.push_back({std::move(rank.busy), std::move(rank.cpu_free)});
    return times;
  }

 private:
  struct Event {
    SimTime at{};
    std::uint64_t number = 0;  ///< in the order of coming up; kept when it is put off
    std::uint32_t rank = 0, node = 0;
    std::uint32_t sender = 0;    ///< of a message
    std::uint32_t resource = 0;  ///< of a turn
    bool is_message = false;     ///< at `rank`, of the sender's `node`
    bool is_turn = false;        ///< of the first event that waits for `resource`
  };
  struct IsLater {
    bool operator()(const Event& a, const Event& b) const { return a.number > b.number; }
  };
  /// Events that wait for one processor (and NIC) to be free, the first to come up in front. It alone has its
  /// turn in the queue of all events: who waits costs nothing until then.
  struct Waiting {
    std::priority_queue<Event, std::vector<Event>, IsLater> events;
    SimTime turn{};
  };
  struct Node {
    SimTime ready{};
    std::uint32_t first_edge = 0;    ///< into edges_: those that wait for it, up to the next node's
    std::uint32_t missing : 31 = 0;  ///< what it waits for
    std::uint32_t is_done : 1 = 0;
  };
  struct Edge {
    std::uint32_t later = 0;  ///< node of the same rank
    bool is_start = false;
  };
  struct Rank {
    std::uint64_t first_node = 0;  ///< into nodes_
    std::vector<SimTime> cpu_free, send_free, receive_free;
    std::map<std::uint32_t, Waiting> waiting;  ///< by resource
    Mailbox receives;                          ///< that wait for a message
    Mailbox messages;                          ///< that wait for a receive, with their ends
    std::vector<GoalBusy> busy;
  };

  /// All nodes lie one after the other, and what waits for them likewise, in the order of the file.
  void prepare() {
    std::uint64_t nodes = 0, edges = 0;
    for (const GoalRank& rank : all_) nodes += rank.nodes.size(), edges += rank.edges.size();
    LIGHTRAIL_EXPECT(edges <= 0xffffffff);  // lines of a file are counted in as many bits
    nodes_.resize(nodes + 1);
    edges_.resize(edges);
    std::uint64_t first = 0;
    for (std::uint32_t r = 0; r < all_.size(); ++r) {
      Rank& rank = ranks_[r];
      rank.first_node = first;
      for (const auto& edge : all_[r].edges)
        ++nodes_[first + edge.later].missing, ++nodes_[first + edge.earlier].first_edge;
      first += all_[r].nodes.size();
      rank.cpu_free.resize(cpus_), rank.send_free.resize(nics_), rank.receive_free.resize(nics_);
    }
    std::uint32_t end = 0;  // of each node's at first, then its beginning
    for (Node& node : nodes_) node.first_edge = end += node.first_edge;
    for (std::uint32_t r = 0; r < all_.size(); ++r)
      for (auto edge = all_[r].edges.rbegin(); edge != all_[r].edges.rend(); ++edge)
        edges_[--nodes_[ranks_[r].first_node + edge->earlier].first_edge] = {edge->later, edge->is_start};
  }

  [[nodiscard]] const GoalNode& node(std::uint32_t rank, std::uint32_t index) const {
    return all_[rank].nodes[index];
  }
  Node& state(std::uint32_t rank, std::uint32_t index) { return nodes_[ranks_[rank].first_node + index]; }

  void put(Event event) {
    if (event.at.count() > longest_ps / 2)
      throw InputErrors(InputError{path_, 0, "the schedule takes more than 26 days in the LogGOPS model"});
    queue_.push(event);
  }

  /// Queues what has become free: of the lowest rank first, sends before receives before calcs.
  void release() {
    if (free_.size() > 1) sort_free();
    for (auto [r, n] : free_) {
      const GoalNode& what = node(r, n);
      SimTime at = std::max(state(r, n).ready, ranks_[r].cpu_free[what.cpu]);
      if (what.kind == GoalNode::Kind::send) at = std::max(at, ranks_[r].send_free[what.nic]);
      put({at, next_++, r, n});
    }
    free_.clear();
  }
  void sort_free() {
    std::stable_sort(free_.begin(), free_.end(), [this](const auto& a, const auto& b) {
      return std::tuple(a.first, node(a.first, a.second).kind) <
             std::tuple(b.first, node(b.first, b.second).kind);
    });
  }

  void settle(std::uint32_t r, std::uint32_t n, bool is_start, SimTime at) {
    Node* const of = &state(r, n);
    if (!is_start) of->is_done = 1;
    for (std::uint32_t e = of->first_edge; e < of[1].first_edge; ++e) {
      if (edges_[e].is_start != is_start) continue;
      Node& later = state(r, edges_[e].later);
      later.ready = std::max(later.ready, at);
      if (--later.missing == 0) free_.emplace_back(r, edges_[e].later);
    }
  }
  void started(std::uint32_t r, std::uint32_t n, SimTime at) { settle(r, n, true, at); }
  void ended(std::uint32_t r, std::uint32_t n, SimTime at) { settle(r, n, false, at); }

  void occupy(std::uint32_t r, GoalNode::Kind kind, std::uint8_t cpu, SimTime start, SimTime end) {
    ranks_[r].cpu_free[cpu] = end;
    if (end > start) ranks_[r].busy.push_back({kind, cpu, start, end});
  }

  /// What an event has to wait for: a processor, and for messages a NIC in one of its directions.
  [[nodiscard]] std::uint32_t resource_of(const Event& event, const GoalNode& what) const {
    if (!event.is_message && what.kind == GoalNode::Kind::calc) return what.cpu;
    return (event.is_message ? 2u : 1u) * 65'536 + what.nic * 256u + what.cpu;
  }
  [[nodiscard]] SimTime free_time(std::uint32_t r, std::uint32_t resource) const {
    const Rank& rank = ranks_[r];
    const SimTime cpu = rank.cpu_free[resource % 256];
    const std::uint32_t nic = resource / 256 % 256;
    if (resource < 65'536) return cpu;
    return std::max(cpu, resource < 2 * 65'536 ? rank.send_free[nic] : rank.receive_free[nic]);
  }

  void handle(const Event& event) {
    if (event.is_turn) return take_turn(event);
    const GoalNode& what = node(event.is_message ? event.sender : event.rank, event.node);
    if (!event.is_message && what.kind == GoalNode::Kind::recv) return on_receive(event, what);
    const std::uint32_t resource = resource_of(event, what);
    if (const SimTime free = free_time(event.rank, resource); free > event.at) {
      Waiting& waiting = ranks_[event.rank].waiting[resource];
      waiting.events.push(event);
      if (waiting.events.top().number == event.number) give_turn(waiting, event.rank, resource, free);
      return;
    }
    execute(event, what);
  }

  void give_turn(Waiting& waiting, std::uint32_t rank, std::uint32_t resource, SimTime at) {
    Event turn{at, waiting.events.top().number, rank};
    turn.is_turn = true;
    turn.resource = resource;
    waiting.turn = at;
    put(turn);
  }

  void take_turn(const Event& turn) {
    Waiting& waiting = ranks_[turn.rank].waiting[turn.resource];
    if (waiting.events.empty() || waiting.events.top().number != turn.number || waiting.turn != turn.at)
      return;  // another event has come before it meanwhile
    if (const SimTime free = free_time(turn.rank, turn.resource); free > turn.at)
      return give_turn(waiting, turn.rank, turn.resource, free);
    Event event = waiting.events.top();
    waiting.events.pop();
    event.at = turn.at;
    execute(event, node(event.is_message ? event.sender : event.rank, event.node));
    if (!waiting.events.empty())
      give_turn(waiting, turn.rank, turn.resource, std::max(turn.at, free_time(turn.rank, turn.resource)));
  }

  void execute(const Event& event, const GoalNode& what) {
    if (event.is_message)
      on_message(event, what);
    else if (what.kind == GoalNode::Kind::calc)
      on_calc(event, what);
    else
      on_send(event, what);
  }

  void on_calc(const Event& event, const GoalNode& what) {
    const SimTime end = event.at + nanoseconds(what.size);
    occupy(event.rank, what.kind, what.cpu, event.at, end);
    started(event.rank, event.node, event.at);
    ended(event.rank, event.node, end);
  }

  void on_send(const Event& event, const GoalNode& what) {
    Rank& rank = ranks_[event.rank];
    started(event.rank, event.node, event.at);
    const SimTime end = event.at + model_.overhead + bytes_time(what.size, model_.overhead_per_byte);
    occupy(event.rank, what.kind, what.cpu, event.at, end);
    rank.send_free[what.nic] = event.at + model_.gap + bytes_time(what.size, model_.gap_per_byte);
    Event message{event.at + model_.overhead + model_.latency, next_++, what.peer, event.node};
    message.is_message = true;
    message.sender = event.rank;
    put(message);
    if (what.size <= model_.rendezvous_above) ended(event.rank, event.node, end);
  }

  void on_message(const Event& event, const GoalNode& what) {
    Rank& rank = ranks_[event.rank];
    const SimTime end = event.at + model_.overhead +
                        bytes_time(what.size, std::max(model_.overhead_per_byte, model_.gap_per_byte));
    occupy(event.rank, GoalNode::Kind::recv, what.cpu, event.at, end);
    rank.receive_free[what.nic] = event.at + model_.gap + bytes_time(what.size, model_.gap_per_byte);
    const std::optional<Mailbox::Item> waiting = rank.receives.take(event.sender, what.tag);
    if (!waiting) return rank.messages.put(event.sender, what.tag, {event.node, end});
    meet(event.sender, event.node, event.at);
    ended(event.rank, waiting->node, end);
  }

  void on_receive(const Event& event, const GoalNode& what) {
    Rank& rank = ranks_[event.rank];
    started(event.rank, event.node, event.at);
    const std::optional<Mailbox::Item> arrived = rank.messages.take(what.peer, what.tag);
    if (!arrived) return rank.receives.put(what.peer, what.tag, {event.node, {}});
    meet(what.peer, arrived->node, event.at);
    ended(event.rank, event.node, std::max(event.at, arrived->end));
  }

  /// A message and its receive have met: a large send ends.
  void meet(std::uint32_t sender, std::uint32_t index, SimTime at) {
    const GoalNode& send = node(sender, index);
    if (send.size <= model_.rendezvous_above) return;
    Rank& rank = ranks_[sender];
    rank.cpu_free[send.cpu] = std::max(rank.cpu_free[send.cpu], at);
    rank.send_free[send.nic] = std::max(rank.send_free[send.nic], at);
    ended(sender, index, rank.cpu_free[send.cpu]);
  }

  const std::string& path_;
  const std::vector<GoalRank>& all_;
  const LogGops& model_;
  std::vector<Rank> ranks_;
  std::vector<Node> nodes_;  ///< of all ranks, and one behind them
  std::vector<Edge> edges_;  ///< by the node that is waited for
  TimeQueue<Event> queue_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> free_;  ///< rank, node
  std::uint64_t next_ = 0;
  std::uint32_t cpus_ = 1, nics_ = 1;  ///< of every rank
};

}  // namespace

std::string LogGops::parse(const std::string& text, LogGops& value) {
  const std::string expected = "(expected L= o= g= G= O= S=, each once: ns, G and O in ns/B, S in B)";
  std::map<std::string, double> given;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t at = word.find('=');
    const std::string name = word.substr(0, at);
    if (at != 1 || std::string("LogGOS").find(name) == std::string::npos)
      return fmt::format("invalid parameter '{}' {}", word, expected);
    double number = 0;
    if (!parse_value(word.substr(2), number).empty() || !(number >= 0 && number <= 1e12))
      return fmt::format("'{}' is not a number from 0 to 1e12 {}", word, expected);
    if (!given.emplace(name, number).second) return fmt::format("'{}=' is given twice {}", name, expected);
  }
  for (const char* name : {"L", "o", "g", "G", "O", "S"})
    if (!given.contains(name)) return fmt::format("'{}=' is missing {}", name, expected);
  auto thousandths = [&](const char* name) { return std::llround(given[name] * 1e3); };
  auto millionths = [&](const char* name) { return std::llround(std::min(given[name], 1e9) * 1e6); };
  value.latency = picoseconds(thousandths("L"));
  value.overhead = picoseconds(thousandths("o"));
  value.gap = picoseconds(thousandths("g"));
  value.gap_per_byte = millionths("G");
  value.overhead_per_byte = millionths("O");
  value.rendezvous_above = std::llround(given["S"]);
  return "";
}

std::vector<GoalTimes> run_loggops(const std::string& path, const std::vector<GoalRank>& ranks,
                                   const LogGops& model) {
  return Model(path, ranks, model).run();
}

}  // namespace lightrail
