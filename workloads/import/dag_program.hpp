#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/import/flat_map.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// Gives the operations of a dependency graph their place in a program. An operation goes on the stream that
/// its format names (a processor that does one thing after the other), or anywhere: on a stream whose last
/// operation is an ancestor, so that the stream orders nothing that the graph leaves open. Operations are
/// added after all that they depend on.
class DagProgram {
 public:
  explicit DagProgram(JobOutput& output) : output_(output) {}

  /// Both return the operation's index. `waited` takes what it waits for before it starts: dependencies and
  /// the one before it on its stream.
  std::uint32_t on_stream(const std::string& stream, const Op& op, std::vector<std::uint32_t> after,
                          std::vector<std::uint32_t>* waited = nullptr);
  std::uint32_t anywhere(const Op& op, std::vector<std::uint32_t> after,
                         std::vector<std::uint32_t>* waited = nullptr);

  /// Anywhere, but after the operation before it of the same kind, peer and lane: messages of a lane keep
  /// their order. `op` is a send or a recv.
  std::uint32_t message(const Op& op, std::vector<std::uint32_t> after,
                        std::vector<std::uint32_t>* waited = nullptr);

  /// Ends the program; its index.
  std::uint32_t end(const std::string& role) { return output_.end(role, names_); }

 private:
  /// A stream whose last operation `tail` is an ancestor of operation `since` and all that follow from it.
  struct Spare {
    std::uint32_t stream = 0, tail = 0, since = 0;
  };
  struct Stream {
    std::uint32_t tail = 0xffffffff;
    bool is_named = false;
    std::vector<Spare> spare;
  };
  std::uint16_t open_stream(const std::string& name, bool is_named);
  std::uint16_t choose(const std::vector<std::uint32_t>& after);
  std::uint32_t place(Op op, std::uint16_t stream, const std::vector<std::uint32_t>& after,
                      std::vector<std::uint32_t>* waited);
  void normalise(std::vector<std::uint32_t>& after);

  JobOutput& output_;
  std::vector<std::string> names_;
  std::vector<Stream> streams_;
  std::vector<std::uint16_t> stream_of_;  ///< by operation
  std::map<std::string, std::uint16_t> named_;
  FlatMap<std::uint32_t> last_message_;  ///< 1 + the last operation of a kind, group, peer and lane
  std::uint32_t unnamed_ = 0;
};

/// Indices 0 ... count-1 so that every edge's second comes before its first, the smallest index first. When
/// that cannot be, the result is shorter and holds all that does not depend on a cycle.
[[nodiscard]] std::vector<std::uint32_t> topological_order(
    std::uint32_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace lightrail
