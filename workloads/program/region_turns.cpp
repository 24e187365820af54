#include "workloads/program/region_turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace lightrail {
namespace {

struct Job {
  const ProgramSet& set;
  const GroupTable& groups;
  const ProgramIndexes& indexes;
  std::uint16_t dimension;
  bool may_announce_early;

  [[nodiscard]] bool is_exchange(const Op& op, std::uint32_t gpu) const {
    return op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all &&
           op.dimension == dimension && groups.group_of(op.group, EndpointId{gpu}).size > 1;
  }
  [[nodiscard]] std::uint32_t exchanges(std::uint32_t gpu) const {
    const std::vector<Op>& ops = set.programs[set.program_of_gpu[gpu]].ops;
    return static_cast<std::uint32_t>(
        std::count_if(ops.begin(), ops.end(), [&](const Op& op) { return is_exchange(op, gpu); }));
  }
};

using GpusOfRegion = std::vector<std::uint32_t>;

/// One iteration of the GPUs of some regions, without times.
class Rehearsal {
 public:
  Rehearsal(const Job& job, const std::vector<GpusOfRegion>& regions, bool takes_turns)
      : job_(job), regions_(regions), takes_turns_(takes_turns) {
    for (std::uint32_t region = 0; region < regions.size(); ++region)
      for (const std::uint32_t gpu : regions[region]) add(gpu, region);
  }

  /// True when all operations end.
  bool run() {
    for (has_moved_ = true; has_moved_;) {
      has_moved_ = false;
      for (auto& [gpu, state] : gpus_)
        for (std::uint32_t stream = 0; stream < state.at.size(); ++stream)
          while (step(gpu, state, stream)) has_moved_ = true;
    }
    return std::all_of(gpus_.begin(), gpus_.end(), [](const auto& gpu) {
      return std::all_of(gpu.second.has_ended.begin(), gpu.second.has_ended.end(), [](bool b) { return b; });
    });
  }

  /// Of a region: a GPU that has announced most exchanges, and one that has announced least.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> first_and_last(const GpusOfRegion& gpus) const {
    std::vector<std::uint32_t> taking_part;
    std::copy_if(gpus.begin(), gpus.end(), std::back_inserter(taking_part),
                 [&](std::uint32_t gpu) { return gpus_.at(gpu).exchanges > 0; });
    if (taking_part.empty()) return {0, 0};
    const auto is_behind = [&](std::uint32_t a, std::uint32_t b) { return announced(a) < announced(b); };
    const auto first = std::max_element(taking_part.begin(), taking_part.end(), is_behind),
               last = std::min_element(taking_part.begin(), taking_part.end(), is_behind);
    return {*first, *last};
  }
  [[nodiscard]] std::uint32_t announced(std::uint32_t gpu) const { return gpus_.at(gpu).announced; }
  /// Where a GPU is: the first operation, stream by stream, that has not ended.
  [[nodiscard]] std::uint32_t op_of(std::uint32_t gpu) const {
    const Gpu& g = gpus_.at(gpu);
    return static_cast<std::uint32_t>(std::find(g.has_ended.begin(), g.has_ended.end(), false) -
                                      g.has_ended.begin());
  }

 private:
  struct Gpu {
    std::uint32_t region = 0;
    std::vector<std::size_t> at;                          // by stream
    std::vector<bool> has_ended;                          // by op
    std::map<std::uint32_t, std::uint32_t> turns, begun;  // by group kind: collectives that have ended, begun
    std::uint32_t exchanges = 0, announced = 0, done = 0;
  };
  using Pair =
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;  // group, from, to, lane

  void add(std::uint32_t gpu, std::uint32_t region) {
    const Program& program = job_.set.programs[job_.set.program_of_gpu[gpu]];
    Gpu& g = gpus_[gpu];
    g.region = region;
    g.at.assign(program.streams.size(), 0);
    g.has_ended.assign(program.ops.size(), false);
    g.exchanges = job_.exchanges(gpu);
  }

  bool step(std::uint32_t gpu, Gpu& g, std::uint32_t stream) {
    const std::uint32_t program = job_.set.program_of_gpu[gpu];
    const ProgramIndex& index = job_.indexes.of[program];
    const Program& p = job_.set.programs[program];
    if (g.at[stream] == index.stream_ops[stream].size()) return false;
    const std::uint32_t i = index.stream_ops[stream][g.at[stream]];
    const Op& op = p.ops[i];
    for (std::uint32_t d = 0; d < op.dependency_count; ++d)
      if (!g.has_ended[p.dependencies[op.first_dependency + d]]) return false;
    if (op.kind == OpKind::collective && g.turns[op.group.value] != index.turn[i]) return false;
    if (!ends(gpu, g, op)) return false;
    if (op.kind == OpKind::collective) ++g.turns[op.group.value];
    g.has_ended[i] = true;
    ++g.at[stream];
    return true;
  }

  bool ends(std::uint32_t gpu, Gpu& g, const Op& op) {
    if (op.kind == OpKind::collective) return ends_collective(gpu, g, op);
    if (op.kind != OpKind::send && op.kind != OpKind::recv) return true;
    const GroupView group = job_.groups.group_of(op.group, EndpointId{gpu});
    const auto size = static_cast<std::int64_t>(group.size);
    const std::int64_t at = op.peer_mode == PeerMode::index
                                ? op.peer
                                : ((std::int64_t{group.my_index} + op.peer) % size + size) % size;
    const std::uint32_t peer = group.member(static_cast<std::uint32_t>(at)).value;
    if (gpus_.count(peer) == 0) return true;
    if (op.kind == OpKind::send) return ++sent_[{op.group.value, gpu, peer, op.root}], true;
    std::uint32_t& there = sent_[{op.group.value, peer, gpu, op.root}];
    if (there == 0) return false;
    return --there, true;
  }

  bool ends_collective(std::uint32_t gpu, Gpu& g, const Op& op) {
    const bool is_exchange = job_.is_exchange(op, gpu);
    if (is_exchange) {
      raise(g.announced, g.done + 1);
      if (takes_turns_ && !all_announced(g.region, g.done)) return false;
    }
    raise(g.begun[op.group.value], g.turns[op.group.value] + 1);
    if (!all_begun(gpu, g, op)) return false;
    if (!is_exchange) return true;
    ++g.done;
    if (job_.may_announce_early && g.done < g.exchanges) g.announced = g.done + 1;
    return true;
  }

  /// Others may wait for it.
  void raise(std::uint32_t& count, std::uint32_t to) {
    has_moved_ |= count < to;
    count = std::max(count, to);
  }

  [[nodiscard]] bool all_announced(std::uint32_t region, std::uint32_t exchange) const {
    return std::all_of(regions_[region].begin(), regions_[region].end(), [&](std::uint32_t gpu) {
      const Gpu& other = gpus_.at(gpu);
      return other.exchanges == 0 || other.announced > exchange;
    });
  }

  /// Members that send nothing, or to some only, hold up nobody for certain.
  bool all_begun(std::uint32_t gpu, Gpu& g, const Op& op) const {
    const bool needs_all = op.collective != CollectiveType::broadcast && op.split == 0 &&
                           (op.bytes > 0 || op.collective == CollectiveType::barrier);
    if (!needs_all) return true;
    const GroupView group = job_.groups.group_of(op.group, EndpointId{gpu});
    for (std::uint32_t m = 0; m < group.size; ++m) {
      const auto member = gpus_.find(group.member(m).value);
      if (member == gpus_.end()) continue;
      const auto begun = member->second.begun.find(op.group.value);
      if (begun == member->second.begun.end() || begun->second <= g.turns[op.group.value]) return false;
    }
    return true;
  }

  const Job& job_;
  const std::vector<GpusOfRegion>& regions_;
  bool takes_turns_, has_moved_ = false;
  std::map<std::uint32_t, Gpu> gpus_;
  std::map<Pair, std::uint32_t> sent_;
};

std::string begin_of(std::size_t region) {
  return fmt::format("the exchanges of a region take turns, and in region {} ", region);
}

/// Programs with different numbers of exchanges.
std::string uneven(const Job& job, std::size_t region, const GpusOfRegion& gpus) {
  std::uint32_t one = 0, count = 0;
  for (const std::uint32_t gpu : gpus) {
    const std::uint32_t own = job.exchanges(gpu);
    if (own > 0 && count > 0 && own != count)
      return begin_of(region) + fmt::format("gpu {} has {} of them, gpu {} has {}", one, count, gpu, own);
    if (own > 0) one = gpu, count = own;
  }
  return "";
}

std::string waits(const Job& job, const std::vector<GpusOfRegion>& regions,
                  const std::vector<std::string>& names) {
  Rehearsal turns(job, regions, true);
  if (turns.run() || !Rehearsal(job, regions, false).run()) return "";
  for (std::size_t region = 0; region < regions.size(); ++region) {
    const auto [first, last] = turns.first_and_last(regions[region]);
    if (first == last || turns.announced(first) == turns.announced(last)) continue;
    const Program& program = job.set.programs[job.set.program_of_gpu[last]];
    return begin_of(region) +
           fmt::format("exchange {} of gpu {} and gpu {}, at {}, would wait for each other",
                       turns.announced(first) - 1, first, last,
                       describe_op(program, turns.op_of(last), names));
  }
  return "";
}

}  // namespace

std::string waits_of_regions(const ProgramSet& programs, const ProgramIndexes& indexes,
                             const GroupTable& groups, const Regions& regions, const AddressBook& book,
                             std::uint16_t dimension, const std::vector<std::string>& names) {
  std::vector<std::vector<std::uint32_t>> gpus(regions.regions.size());
  for (std::uint32_t gpu = 0; gpu < programs.program_of_gpu.size() && gpu < book.gpu_count; ++gpu)
    if (const Regions::Place place = regions.place(book[EndpointId{gpu}].server);
        place.region != Regions::none)
      gpus[place.region].push_back(gpu);
  const Job job{programs, groups, indexes, dimension, regions.is_early};
  bool is_mixed = false;
  std::set<std::vector<std::uint32_t>> seen;
  for (std::size_t region = 0; region < gpus.size(); ++region) {
    std::vector<std::uint32_t> roles;
    for (const std::uint32_t gpu : gpus[region]) roles.push_back(programs.program_of_gpu[gpu]);
    if (std::set<std::uint32_t>(roles.begin(), roles.end()).size() < 2 || !seen.insert(roles).second)
      continue;
    is_mixed = true;
    if (std::string problem = uneven(job, region, gpus[region]); !problem.empty()) return problem;
  }
  return is_mixed ? waits(job, gpus, names) : "";
}

}  // namespace lightrail
