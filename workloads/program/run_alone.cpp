#include "workloads/program/run_alone.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace lightrail {
namespace {

/// By op and stream: so many operations of the stream have ended when the op starts, whatever takes how long.
class EndedBefore {
 public:
  EndedBefore(const Program& program, const ProgramIndex& index)
      : program_(program),
        index_(index),
        streams_(program.streams.size()),
        ended_(program.ops.size() * streams_) {
    std::unordered_map<std::uint32_t, std::uint32_t> last_of_group;  // looked up, never iterated
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      if (const std::uint32_t place = index.position[i]; place > 0)
        follow(i, index.stream_ops[op.stream][place - 1]);
      for (std::uint32_t d = 0; d < op.dependency_count; ++d)
        follow(i, program.dependencies[op.first_dependency + d]);
      if (op.kind != OpKind::collective) continue;
      const auto [last, is_first] = last_of_group.emplace(op.group.value, i);
      if (!is_first) follow(i, last->second);
      last->second = i;
    }
  }

  [[nodiscard]] std::uint32_t operator()(std::uint32_t op, std::size_t stream) const {
    return ended_[op * streams_ + stream];
  }

 private:
  void follow(std::uint32_t op, std::uint32_t earlier) {
    for (std::size_t s = 0; s < streams_; ++s)
      ended_[op * streams_ + s] = std::max(ended_[op * streams_ + s], ended_[earlier * streams_ + s]);
    std::uint32_t& own = ended_[op * streams_ + program_.ops[earlier].stream];
    own = std::max(own, index_.position[earlier] + 1);
  }

  const Program& program_;
  const ProgramIndex& index_;
  std::size_t streams_;
  std::vector<std::uint32_t> ended_;
};

}  // namespace

std::vector<bool> run_alone(const Program& program, const ProgramIndex& index,
                            const std::vector<bool>& some) {
  const EndedBefore ended(program, index);
  std::vector<std::vector<std::uint32_t>> marked(program.streams.size());  // by stream: places in it
  for (std::size_t s = 0; s < marked.size(); ++s)
    for (const std::uint32_t op : index.stream_ops[s])
      if (some[op]) marked[s].push_back(index.position[op]);
  std::vector<bool> alone = some;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const std::uint32_t own = program.ops[i].stream;
    for (std::size_t s = 0; s < marked.size() && alone[i]; ++s) {
      if (s == own) continue;
      // Of those that need not have ended before it the first one waits for it if any does not.
      const auto next = std::lower_bound(marked[s].begin(), marked[s].end(), ended(i, s));
      if (next != marked[s].end() && ended(index.stream_ops[s][*next], own) <= index.position[i])
        alone[i] = false;
    }
  }
  return alone;
}

}  // namespace lightrail
