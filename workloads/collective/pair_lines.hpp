#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/time.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/send_room.hpp"
#include "workloads/collective/shared_line.hpp"
#include "workloads/collective/transport.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What a proxy thread takes to post `posts` messages to other servers, one by one; with PXN those of a
/// server's `members` to one GPU together, unless all go to GPUs on the members' own rails.
[[nodiscard]] SimTime posting_time(const GroupPlan& plan, std::int64_t posts, bool is_by_rail,
                                   std::int64_t members);

/// An all-to-all whose members send to each other all at once, and came to it at different times: bytes of a
/// pair are there when both have come, those that need no clear-to-send when their sender has, and share each
/// line with what else is there. A line is the NVLink or PCIe of a member or its NIC, of PXN the NIC on the
/// receiver's rail, whose GPU takes all that its NVLink brings. Who sends more than the buffer behind its
/// line holds is rid of it when the next line has it.
class PairLines {
 public:
  /// `arrived`: by member of `group`. `has_clears`: large bytes wait for a clear-to-send. All must outlive
  /// this.
  PairLines(const GroupPlan& plan, const GroupView& group, Protocol protocol, const SendRoom& room,
            std::span<const SimTime> arrived, bool has_clears);

  /// What one member sends to another.
  void add(std::uint32_t from, std::uint32_t to, std::int64_t payload);
  /// By member, when it has sent and received everything, without what lies before the first byte and behind
  /// the last one. The last call.
  [[nodiscard]] std::vector<SimTime> ends();

 private:
  struct Place {
    std::uint32_t server = 0, in_server = 0;
  };
  struct Lines {
    SharedLine near_out, near_in, far_out, far_in;
    std::int64_t posts = 0;
    bool posts_by_rail = true;
  };
  struct Pair {
    std::uint32_t from, to;
    const SharedLine* near;  ///< null: it goes by its own NIC at once
    std::uint32_t in_near;
    const SharedLine* far;  ///< null: it stays in its server
    std::uint32_t in_far;
    const SharedLine* last;  ///< behind the sender's, where it waits for that one; else null
    std::uint32_t in_last;
  };
  [[nodiscard]] bool uses_pxn() const { return plan_.nccl->pxn && plan_.has_nvlink; }
  /// Whose NIC sends it.
  [[nodiscard]] std::uint32_t proxy(std::uint32_t from, std::uint32_t to) const;

  const GroupPlan& plan_;
  Protocol protocol_;
  SendRoom room_;
  bool has_clears_;
  std::span<const SimTime> arrived_;
  std::vector<Place> place_;           ///< by member
  std::vector<std::uint32_t> member_;  ///< by index of the plan
  std::vector<Lines> lines_;           ///< by member
  std::vector<Pair> pairs_;
};

}  // namespace lightrail
