#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "components/nvswitch/recall_pattern.hpp"
#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/port/crossbar.hpp"
#include "network/transport/tables.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/message.hpp"
#include "network/wire/recall.hpp"
#include "workloads/collective/recall_plan.hpp"

namespace lightrail {

/// A timer of an NVSwitch's own: what a circle's collective, which was recalled, has put on the lines is to
/// be counted now.
struct CarryWake {
  enum class Kind : std::uint8_t { carry = 100 };
  Kind kind = Kind::carry;
  std::uint8_t unused[3] = {};
  std::uint32_t circle = 0;
  std::uint64_t more = 0;

  [[nodiscard]] static constexpr bool carries(Kind kind) { return kind == Kind::carry; }
};
static_assert(Message<CarryWake>);

/// Where GPUs of an NVSwitch say that they come to a collective of their circle (RecallPlan): it knows how
/// those before went, and says of the next one whether it goes as one of them.
///
/// It does when all that could make a difference is the same: what each member does, by how much each is
/// later than the first, and how much of each input buffer is free without the sender's having its credits;
/// the last makes none where each sender had enough of them, whatever could have been owed.
/// And when nothing else is on the members' lines: all lines, buffers and credits are at rest when the last
/// member has come, none of the members has begun by the time that it hears the answer, and none can begin
/// anything else before the lines are at rest again.
class RecallDesk {
 public:
  /// Null: there is no circle here. `gpu_at`: GPUs by port.
  [[nodiscard]] static std::unique_ptr<RecallDesk> make(const BuildContext& build, Crossbar& crossbar,
                                                        std::span<const EndpointId> gpu_at);
  RecallDesk(const BuildContext& build, Crossbar& crossbar, const RecallPlan& plan,
             std::span<const EndpointId> gpu_at);

  void on_coming(Context& context, const recall::Coming& coming, PortIndex port);
  /// The handling of its event ends with this.
  void on_report(Context& context, const recall::Report& report, PortIndex port);
  /// A train or control message has come in on `port` and been handled.
  void note(PortIndex port, std::uint32_t bytes);
  void on_wake(Context& context, const CarryWake& wake);
  void finish(Context& context);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Member {
    SimTime begin{};  ///< of its first byte
    std::uint32_t alike = 0, number = 0;
    std::uint32_t has_come = 0;  ///< to a collective that is not decided
    std::uint32_t is_at_rest = 0;
  };
  struct Circle {
    std::uint32_t number = 0;      ///< in the RecallPlan; fixed
    SimTime soonest{};             ///< fixed
    std::vector<PortIndex> ports;  ///< fixed

    std::vector<Member> members;
    std::map<std::vector<std::uint64_t>, std::uint32_t> known;  ///< pattern by key
    std::vector<RecallPattern> patterns;
    std::uint32_t at_hand = none;   ///< the pattern that is recorded or recalled now
    std::uint32_t is_recorded = 0;  ///< ... and not recalled
    std::uint32_t reports = 0;      ///< of the one that is recorded
    std::uint32_t all_clean = 1;
    std::uint32_t has_credits = 1;          ///< no member of the one that is recorded could have lacked any
    std::vector<std::uint64_t> key;         ///< of it
    SimTime base{};                         ///< first byte of the one at hand
    SimTime first_end{}, last_end{};        ///< of the one that is recorded
    std::int64_t runs = 0;                  ///< kept
    std::vector<std::int64_t> counts = {};  ///< collectives by outcome
  };

  [[nodiscard]] RecallOutcome decide(Context& context, Circle& circle);
  [[nodiscard]] bool is_at_rest(const Circle& circle, SimTime now) const;
  [[nodiscard]] std::vector<std::uint64_t> key_of(const Circle& circle) const;
  /// The key of what goes the same whatever is owed.
  [[nodiscard]] static std::vector<std::uint64_t> without_credits(std::vector<std::uint64_t> key);
  /// Behind the pattern at hand, of the member's port, which owes what it owes before it [B].
  [[nodiscard]] std::uint32_t unreported_then(const Circle& circle, std::size_t member) const;
  void start_record(Context& context, Circle& circle);
  void answer(Context& context, const Circle& circle, bool is_known);
  void end_record(Context& context, Circle& circle);

  Crossbar& crossbar_;
  std::size_t max_runs_;                             ///< fixed
  std::vector<SimTime> in_latency_;                  ///< by port; fixed
  std::vector<std::uint32_t> circle_at_, place_at_;  ///< by port; fixed
  std::vector<Circle> circles_;
};

}  // namespace lightrail
