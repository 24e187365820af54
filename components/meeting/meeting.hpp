#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/model/component.hpp"
#include "engine/model/kind.hpp"
#include "network/wire/meeting.hpp"
#include "workloads/collective/formula_detail.hpp"
#include "workloads/collective/formula_times.hpp"

namespace lightrail {

struct MeetingSpec final : Spec {
  std::vector<EndpointId> gpus;            ///< that meet here: port i leads to gpus[i]
  SimTime notice = FormulaDetail::notice;  ///< from a GPU to here or back
};

/// Where GPUs meet whose communication takes what a formula says: it waits until all simulated members of a
/// collective, or both sides of a message, have come, and tells each when it ends. Members that are not
/// simulated come with those that are.
///
/// Ports: i = GPU i of its spec. Messages of a pair meet in the order of their operations, lane by lane.
class Meeting final : public Component {
 public:
  explicit Meeting(const BuildContext& build);

  void handle(const Event& event, PortIndex port, Context& context) override;
  void save(StateWriter& out) const override;
  void load(StateReader& in) override;

 private:
  struct Guest {
    PortIndex port = 0;
    std::uint16_t unused = 0;
    std::uint32_t slot = 0;
    SimTime at{};
    SimTime duration{};  ///< of a collective, as far as this member decides it
  };
  /// Group kind and the group's first member.
  struct CircleKey {
    std::uint32_t kind = 0, first = 0;
    // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
    auto operator<=>(const CircleKey&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct LineKey {
    std::uint32_t from = 0, to = 0, kind = 0, lane = 0;
    auto operator<=>(const LineKey&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  void join(Context& context, const Op& op, const Guest& guest);
  [[nodiscard]] std::vector<SimTime> ends_of(const Op& op, const std::vector<Guest>& guests,
                                             const GroupView& group);
  void pair_up(Context& context, const Op& op, const Guest& guest);
  static Guest take(std::map<LineKey, std::vector<Guest>>& from, const LineKey& key);
  /// `guest` hears of the end of its operation at `end`, or as soon as it can.
  void tell(Context& context, const Guest& guest, SimTime end, SimTime partner_at) const;
  /// Of a group's members, those that are simulated.
  [[nodiscard]] std::size_t simulated(const CircleKey& key, const GroupView& group);

  const MeetingSpec& spec_;
  const ProgramSet& set_;
  const GroupTable& groups_;
  const FormulaDetail& detail_;
  FormulaTimes times_;
  std::map<CircleKey, std::size_t> simulated_;       ///< what simulated() has counted; follows from the model
  std::map<CircleKey, std::vector<Guest>> circles_;  ///< collectives that some members have come to
  std::map<LineKey, std::vector<Guest>> sends_, receives_;  ///< that the other side has not come to
};

[[nodiscard]] std::shared_ptr<const ComponentKind> meeting_kind();

}  // namespace lightrail
