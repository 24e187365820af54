#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_event.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/import/nsight/nvtx_payload.hpp"

namespace lightrail {

/// NCCL's calls of one process, as its NVTX ranges have them, and its kernels: which kernel executes which
/// calls. A kernel that a call launches executes that one. Calls between ncclGroupStart and ncclGroupEnd are
/// executed by the kernels that ncclGroupEnd launches: sends and receives by those of their name, one a
/// communicator; collectives of one kind by one kernel each, or all of a communicator by one.
class NcclCalls {
 public:
  struct Call {
    std::int64_t start_ns = 0, end_ns = 0;
    std::string name;  ///< ncclAllReduce
    NcclPayload payload;
  };
  struct Kernel {
    KinetoEvent event;
    std::string thread;  ///< that launched it; "": not said
    std::int64_t launch_ns = 0;
  };

  void add(const std::string& thread, Call call);
  void add(Kernel kernel) { kernels_.push_back(std::move(kernel)); }

  /// Hands over the kernels with what they move, and before them the calls of those that execute several
  /// messages. `path` is for messages.
  void hand_over(const std::string& path, const std::function<void(const KinetoEvent&)>& on_event,
                 std::vector<std::string>& notes);

  /// In communicators, in the order of the calls that told them.
  [[nodiscard]] const std::vector<Membership>& memberships() const { return memberships_; }

 private:
  using Calls = std::vector<const Call*>;
  /// What ncclGroupEnd executes.
  struct Group {
    Calls calls;
    std::vector<std::size_t> kernels;
  };
  void assign(const std::string& path, const Group& group, std::vector<Calls>& of_kernel) const;
  void drop_own_messages(Calls& calls);
  [[nodiscard]] KinetoEvent with(KinetoEvent event, const Call& call) const;

  std::map<std::string, std::vector<Call>> calls_;  ///< by thread
  std::vector<Kernel> kernels_;
  std::vector<Membership> memberships_;
  std::map<std::uint64_t, std::size_t> places_;  ///< into memberships_, by communicator
  std::int64_t own_ = 0, summed_ = 0;
};

}  // namespace lightrail
