#include "workloads/program/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "network/circuits/regions.hpp"
#include "network/wire/connection.hpp"
#include "workloads/program/collective_names.hpp"
#include "workloads/program/iterations.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

std::string describe(const Op& op, const AlgorithmNames& algorithms) {
  std::string text = fmt::format("{} of {} B", nccl_tests_name(op.collective), op.bytes);
  if (op.collective == CollectiveType::broadcast) text += fmt::format(" from member {}", op.root);
  if (op.algorithm != Algorithm::auto_select)
    text += fmt::format(", algorithm {}", name_of(algorithms, op.algorithm));
  if (op.protocol != Protocol::auto_select) text += fmt::format(", protocol {}", protocol_name(op.protocol));
  if (op.every > 1) text += fmt::format(", in iteration {} of {}", op.turn, op.every);
  return text;
}

bool agree(const Op& a, const Op& b) {
  return a.collective == b.collective && a.bytes == b.bytes && a.algorithm == b.algorithm &&
         a.protocol == b.protocol && a.split == b.split && a.element_bytes == b.element_bytes &&
         a.every == b.every && a.turn == b.turn &&
         (a.collective != CollectiveType::broadcast || a.root == b.root);
}

class Checker {
 public:
  Checker(const ProgramSet& set, const GroupTable& groups, const std::vector<std::string>& names,
          const AlgorithmNames& algorithms, ErrorList& errors)
      : set_(set),
        of_gpu_(set.program_of_gpu),
        groups_(groups),
        names_(names),
        algorithms_(algorithms),
        errors_(errors) {}

  void run() {
    const std::size_t before = errors_.size();
    static_assert(GroupTable::max_kinds <= Connection::max_group_kinds);
    for (const Program& program : set_.programs) check_program(program, set_, names_, errors_);
    for (std::size_t gpu = 0; gpu < set_.program_of_gpu.size(); ++gpu)
      if (set_.program_of_gpu[gpu] >= set_.programs.size())
        errors_.add({"", 0,
                     fmt::format("gpu {} has program {} (there are {})", gpu, set_.program_of_gpu[gpu],
                                 set_.programs.size())});
    if (errors_.size() > before) return;
    check_next(set_, names_, errors_);
    if (errors_.size() > before) return;
    collect();
    if (errors_.size() > before) return;
    do {
      for (std::uint32_t kind = 0; kind < groups_.kind_count(); ++kind) check_kind(GroupKindId{kind});
    } while (errors_.size() == before && go_on(set_, of_gpu_));
  }

 private:
  /// Operations of one program on one group kind.
  struct Calls {
    std::vector<std::uint32_t> collectives, points;
    std::vector<std::uint32_t> kernels;  // whose time goes by a split of the group
  };

  void collect() {
    calls_.resize(set_.programs.size());
    for (std::size_t p = 0; p < set_.programs.size(); ++p) {
      const Program& program = set_.programs[p];
      for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
        const Op& op = program.ops[i];
        const bool is_collective = op.kind == OpKind::collective;
        const bool is_split_kernel = op.kind == OpKind::compute && op.split != 0;
        if (!is_collective && !is_split_kernel && op.kind != OpKind::send && op.kind != OpKind::recv)
          continue;
        if (op.group.value >= groups_.kind_count()) {
          complain(program, i, fmt::format("group kind {} does not exist", op.group.value));
          continue;
        }
        if (is_collective && op.collective == CollectiveType::none)
          complain(program, i, "names no collective");
        if (op.collective == CollectiveType::all_to_all && op.bytes > Regions::max_demand)
          complain(program, i,
                   fmt::format("an all_to_all of {} B (at most {})", op.bytes, Regions::max_demand));
        Calls& calls = calls_[p][op.group.value];
        (is_collective ? calls.collectives : is_split_kernel ? calls.kernels : calls.points).push_back(i);
      }
    }
  }

  void check_kind(GroupKindId kind) {
    std::set<std::vector<std::uint32_t>> seen;
    std::vector<bool> done(of_gpu_.size());
    for (std::uint32_t gpu = 0; gpu < of_gpu_.size(); ++gpu) {
      if (done[gpu]) continue;
      GroupView view = groups_.group_of(kind, EndpointId{gpu});
      if (view.size == 0) {
        check_outsider(kind, gpu);
        continue;
      }
      std::vector<std::uint32_t> members, roles;
      for (std::uint32_t m = 0; m < view.size; ++m) {
        members.push_back(view.member(m).value);
        if (members.back() < done.size()) done[members.back()] = true;
      }
      for (std::uint32_t member : members)
        roles.push_back(member < done.size() ? of_gpu_[member] : 0xffffffff);
      if (seen.insert(roles).second) check_group(kind, members, roles);
    }
  }

  void check_outsider(GroupKindId kind, std::uint32_t gpu) {
    std::uint32_t role = of_gpu_[gpu];
    auto calls = calls_[role].find(kind.value);
    if (calls == calls_[role].end() || !outsiders_.insert({kind.value, role}).second) return;
    const Calls& c = calls->second;
    const auto& any = !c.collectives.empty() ? c.collectives : !c.points.empty() ? c.points : c.kernels;
    complain(set_.programs[role], any[0],
             fmt::format("gpu {} is in no group of kind '{}'", gpu, groups_.kind(kind).name));
  }

  void check_group(GroupKindId kind, const std::vector<std::uint32_t>& members,
                   const std::vector<std::uint32_t>& roles) {
    static const Calls nothing;
    auto calls_of = [&](std::uint32_t role) -> const Calls& {
      if (role >= calls_.size()) return nothing;
      auto it = calls_[role].find(kind.value);
      return it == calls_[role].end() ? nothing : it->second;
    };
    const Calls& first = calls_of(roles[0]);
    std::set<std::uint32_t> compared{roles[0]};
    for (std::uint32_t op : first.collectives) check_collective(kind, members.size(), roles[0], op);
    for (const std::uint32_t role : std::set<std::uint32_t>(roles.begin(), roles.end()))
      for (std::uint32_t op : calls_of(role).kernels) check_split(kind, members.size(), role, op);
    for (std::size_t m = 1; m < roles.size(); ++m)
      if (compared.insert(roles[m]).second)
        compare(kind, members[0], roles[0], first.collectives, members[m], roles[m],
                calls_of(roles[m]).collectives);
    check_points(kind, members, roles);
  }

  void check_collective(GroupKindId kind, std::size_t size, std::uint32_t role, std::uint32_t index) {
    const Program& program = set_.programs[role];
    const Op& op = program.ops[index];
    if (op.collective == CollectiveType::broadcast && op.root >= size)
      complain(program, index,
               fmt::format("root {} is not in a group of {} ('{}')", op.root, size, groups_.kind(kind).name));
    if (op.split != 0) check_split(kind, size, role, index);
  }

  void check_split(GroupKindId kind, std::size_t size, std::uint32_t role, std::uint32_t index) {
    const Program& program = set_.programs[role];
    const Op& op = program.ops[index];
    const SplitMatrix& split = set_.splits[op.split];
    const std::size_t cells =
        op.kind == OpKind::compute || split.bytes.empty() ? split.share.size() : split.bytes.size();
    if (split.size != size || cells != size * size)
      complain(program, index,
               fmt::format("a split matrix of {} for a group of {} ('{}')", split.size, size,
                           groups_.kind(kind).name));
  }

  void compare(GroupKindId kind, std::uint32_t gpu_a, std::uint32_t role_a,
               const std::vector<std::uint32_t>& a, std::uint32_t gpu_b, std::uint32_t role_b,
               const std::vector<std::uint32_t>& b) {
    const std::string group = groups_.kind(kind).name;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const Op* x = i < a.size() ? &set_.programs[role_a].ops[a[i]] : nullptr;
      const Op* y = i < b.size() ? &set_.programs[role_b].ops[b[i]] : nullptr;
      if (x && y && agree(*x, *y)) continue;
      auto side = [&](std::uint32_t gpu, const Op* op, const std::vector<std::uint32_t>& list) {
        return op ? fmt::format("gpu {} op {} runs {}", gpu, list[i], describe(*op, algorithms_))
                  : fmt::format("gpu {} runs only {}", gpu, list.size());
      };
      errors_.add({"", 0,
                   fmt::format("group '{}' disagrees on its collective {}: {}, {}", group, i,
                               side(gpu_a, x, a), side(gpu_b, y, b))});
      return;
    }
  }

  /// Sends and receives of one pair and lane, in program order, must be the same list of sizes.
  void check_points(GroupKindId kind, const std::vector<std::uint32_t>& members,
                    const std::vector<std::uint32_t>& roles) {
    struct Message {
      std::int64_t bytes = 0;
      bool is_bare = false;
      std::uint16_t every = 1, turn = 0;
    };
    struct Sizes {
      std::vector<Message> sent, received;
    };
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Sizes> pairs;  // (from, to, lane)
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      if (roles[m] >= calls_.size()) continue;
      auto calls = calls_[roles[m]].find(kind.value);
      if (calls == calls_[roles[m]].end()) continue;
      const Program& program = set_.programs[roles[m]];
      for (std::uint32_t index : calls->second.points) {
        const Op& op = program.ops[index];
        auto size = static_cast<std::int64_t>(members.size());
        std::int64_t peer =
            op.peer_mode == PeerMode::index ? op.peer : ((std::int64_t{m} + op.peer) % size + size) % size;
        if (peer < 0 || peer >= size) {
          complain(
              program, index,
              fmt::format("peer {} is not in a group of {} ('{}')", op.peer, size, groups_.kind(kind).name));
          return;
        }
        if (op.root >= max_send_lanes) {
          complain(program, index,
                   fmt::format("lane {} does not exist (there are {})", op.root, max_send_lanes));
          return;
        }
        auto other = static_cast<std::uint32_t>(peer);
        const Message message{op.bytes, op.protocol == Protocol::bare, op.every, op.turn};
        if (op.kind == OpKind::send)
          pairs[{m, other, op.root}].sent.push_back(message);
        else
          pairs[{other, m, op.root}].received.push_back(message);
      }
    }
    for (const auto& [pair, sizes] : pairs) {
      const std::string who = fmt::format("group '{}': gpu {} sends to gpu {}", groups_.kind(kind).name,
                                          members[std::get<0>(pair)], members[std::get<1>(pair)]);
      if (sizes.sent.size() != sizes.received.size()) {
        errors_.add({"", 0,
                     fmt::format("{} {} times, which receives {} times", who, sizes.sent.size(),
                                 sizes.received.size())});
        return;
      }
      for (std::size_t i = 0; i < sizes.sent.size(); ++i) {
        const Message &sent = sizes.sent[i], &received = sizes.received[i];
        if (sent.every != received.every || sent.turn != received.turn) {
          errors_.add({"", 0,
                       fmt::format("{} message {} in iteration {} of {}, which expects it in {} of {}", who,
                                   i, sent.turn, sent.every, received.turn, received.every)});
          return;
        }
        if (sent.bytes == received.bytes && sent.is_bare == received.is_bare) continue;
        auto side = [](const Message& m) { return m.is_bare ? "bare" : "NCCL's"; };
        errors_.add({"", 0,
                     sent.bytes != received.bytes ? fmt::format("{} {} B in message {}, which expects {} B",
                                                                who, sent.bytes, i, received.bytes)
                                                  : fmt::format("{} message {} as {}, which expects it as {}",
                                                                who, i, side(sent), side(received))});
        return;
      }
    }
  }

  void complain(const Program& program, std::uint32_t op, const std::string& what) {
    errors_.add({"", 0, describe_op(program, op, names_) + ": " + what});
  }

  const ProgramSet& set_;
  std::vector<std::uint32_t> of_gpu_;  ///< programs of the iteration that is checked
  const GroupTable& groups_;
  const std::vector<std::string>& names_;
  const AlgorithmNames& algorithms_;
  ErrorList& errors_;
  std::vector<std::map<std::uint32_t, Calls>> calls_;  ///< by program, by group kind
  std::set<std::pair<std::uint32_t, std::uint32_t>> outsiders_;
};

}  // namespace

void check_programs(const ProgramSet& programs, const GroupTable& groups,
                    const std::vector<std::string>& names, const AlgorithmNames& algorithms,
                    ErrorList& errors) {
  Checker(programs, groups, names, algorithms, errors).run();
}

}  // namespace lightrail
