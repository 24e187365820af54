#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"
#include "network/wire/address_book.hpp"
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
/// line with what else is there. A line is the NVLink or PCIe of a member, or a NIC of a server, by PXN the
/// one on the receiver's rail, whose GPU takes all that its NVLink brings. Who sends more than the buffer
/// behind its line holds is rid of it when the next line has it.
class PairLines {
 public:
  struct Terms {
    Protocol protocol = Protocol::simple;
    bool has_clears = true;  ///< large bytes wait for a clear-to-send
    SendRoom room;
  };
  /// `arrived`: by member of `group`. All must outlive this.
  PairLines(const AddressBook& book, const GroupPlan& plan, const GroupView& group, const Terms& terms,
            std::span<const SimTime> arrived);

  /// What one member sends to another.
  void add(std::uint32_t from, std::uint32_t to, std::int64_t payload);
  /// By member, when it has sent and received everything, without what lies before the first byte and behind
  /// the last one. The last call.
  [[nodiscard]] std::vector<SimTime> ends();

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Member {
    EndpointId gpu{};
    std::uint32_t server = 0, rail = 0;  ///< AddressBook's
    std::int64_t posts = 0;
    bool posts_by_rail = true;
  };
  struct Line {
    SharedLine out, in;
  };
  /// Of a message: which line has it, under which number.
  struct Place {
    std::uint32_t line = none, number = 0;
  };
  struct Pair {
    std::uint32_t from = 0, to = 0;
    Place near_out, near_in, far_out, far_in;
    bool waits_for_near = false, waits_for_far = false;  ///< the sender, until that line has it
  };
  [[nodiscard]] std::uint32_t nic_line(std::uint32_t server, std::uint32_t rail);
  /// NVLink of the GPU of a member's server that has the NIC on a rail; none: no GPU there has.
  [[nodiscard]] std::uint32_t proxy_line(const Member& member, std::uint32_t rail);

  const AddressBook& book_;
  const GroupPlan& plan_;
  Terms terms_;
  std::span<const SimTime> arrived_;
  std::vector<Member> members_;
  std::vector<Line> near_, far_;  ///< near_: of members, then of other GPUs that pass messages on
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> nic_lines_, proxy_lines_;
  std::vector<Pair> pairs_;

  [[nodiscard]] static SimTime end_of(const Place& place, const SharedLine Line::*side,
                                      const std::vector<Line>& lines) {
    return place.line == none ? SimTime{0} : (lines[place.line].*side).end(place.number);
  }
};

}  // namespace lightrail
