#include "app/cli/partial_formula_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/cli/added_component.hpp"
#include "app/cli/send_room_of.hpp"
#include "components/meeting/meeting.hpp"
#include "engine/base/error.hpp"
#include "engine/model/sub_model.hpp"
#include "engine/partition/groups.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/formula_times.hpp"
#include "workloads/program/peer.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

/// What meets by formula, and where.
class Meetings {
 public:
  Meetings(const Model& built, const PartialFormula& formula)
      : model_(built),
        formula_(formula),
        set_(*built.resource<ProgramSet>()),
        groups_(*built.resource<GroupTable>()),
        book_(*built.resource<AddressBook>()),
        joined_(std::vector<std::int64_t>(book_.gpu_count, 1)),
        is_in_server_(book_.gpu_count),
        is_among_servers_(book_.gpu_count) {
    for (std::uint32_t k = 0; k < groups_.kind_count(); ++k)
      if (formula.names(GroupKindId{k}) && formula.has_operations[k]) join(GroupKindId{k});
  }

  [[nodiscard]] Model model() {
    std::vector<Kept> kept(model_.components.size(), Kept{true, 0});
    for (std::uint32_t gpu = 0; gpu < book_.gpu_count; ++gpu)
      kept[book_.component_of[gpu].value].spare_ports = has_two() ? 2 : is_any(gpu) ? 1 : 0;
    Model with = std::move(sub_model(model_, kept).model);
    const std::uint16_t near = link_class(with, FormulaDetail::notice), far = link_class(with, notice());
    for (const auto& [atom, gpus] : by_server()) connect(with, gpus, near, has_two() ? 2 : 1, &atom);
    for (const auto& [first, gpus] : among_servers()) connect(with, gpus, far, 1, nullptr);
    ModelPart more;
    more.resources = model_.resources();
    more.resources.add<FormulaDetail>(detail());
    with.add(std::move(more));
    return with;
  }

 private:
  void join(GroupKindId kind) {
    const bool is_near = formula_.is_in_server[kind.value];
    for (std::uint32_t gpu = 0; gpu < book_.gpu_count; ++gpu) {
      const GroupView group = groups_.group_of(kind, EndpointId{gpu});
      if (group.size < 2) continue;
      (is_near ? is_in_server_ : is_among_servers_)[gpu] = true;
      if (!is_near) joined_.unite(gpu, group.member(0).value);
    }
  }
  [[nodiscard]] bool is_any(std::uint32_t gpu) const { return is_in_server_[gpu] || is_among_servers_[gpu]; }
  [[nodiscard]] static bool has(const std::vector<bool>& some) {
    return std::find(some.begin(), some.end(), true) != some.end();
  }
  [[nodiscard]] bool has_two() const { return has(is_in_server_) && has(is_among_servers_); }

  [[nodiscard]] std::map<AtomId, std::vector<EndpointId>> by_server() const {
    std::map<AtomId, std::vector<EndpointId>> meetings;
    for (std::uint32_t gpu = 0; gpu < book_.gpu_count; ++gpu)
      if (is_in_server_[gpu])
        meetings[model_.components[book_.component_of[gpu].value].atom].push_back(EndpointId{gpu});
    return meetings;
  }
  /// By their first GPU.
  [[nodiscard]] std::map<std::uint32_t, std::vector<EndpointId>> among_servers() {
    std::map<std::uint32_t, std::vector<EndpointId>> meetings;
    for (std::uint32_t gpu = 0; gpu < book_.gpu_count; ++gpu)
      if (is_among_servers_[gpu]) meetings[joined_.find(gpu)].push_back(EndpointId{gpu});
    return meetings;
  }

  /// From a GPU to a meeting among servers: the longer, the longer are windows; half of the shortest
  /// operation, for the answer takes as long, and 1 us at most.
  [[nodiscard]] SimTime notice() {
    SimTime shortest = microseconds(2);
    FormulaTimes times(model_);
    using Key = std::tuple<OpKind, std::uint32_t, std::uint32_t, CollectiveType, Algorithm, Protocol,
                           std::int64_t, std::uint16_t, std::int32_t, SimTime>;
    std::set<Key> seen;
    for (std::uint32_t gpu = 0; gpu < set_.program_of_gpu.size(); ++gpu)
      for (const Op& op : set_.programs[set_.program_of_gpu[gpu]].ops) {
        if (!is_communication(op.kind) || is_io(op.kind) || formula_.is_in_server[op.group.value] ||
            !formula_.names(op.group))
          continue;
        const GroupView group = groups_.group_of(op.group, EndpointId{gpu});
        if (group.size < 2 ||
            !seen.insert({op.kind, op.group.value, group.member(0).value, op.collective, op.algorithm,
                          op.protocol, op.bytes, op.split, op.peer, op.duration})
                 .second)
          continue;
        shortest = std::min(shortest, least_time(times, op, EndpointId{gpu}));
      }
    return std::max(shortest / 2, FormulaDetail::notice);
  }
  [[nodiscard]] SimTime least_time(FormulaTimes& times, const Op& op, EndpointId self) const {
    const GroupView group = groups_.group_of(op.group, self);
    if (group.size < 2) return time_never;
    if (op.kind == OpKind::collective) return times.of_collective(op, self);
    const EndpointId peer = peer_of(op, group);
    const bool is_send = op.kind == OpKind::send;
    return times.of_point(op, is_send ? self : peer, is_send ? peer : self).start;
  }

  static std::uint16_t link_class(Model& model, SimTime latency) {
    LinkClass notice;
    notice.name = notice.medium = "meeting";
    notice.latency = latency;
    model.link_classes.push_back(std::move(notice));
    return static_cast<std::uint16_t>(model.link_classes.size() - 1);
  }

  /// `atom`: of the server that the meeting is a part of; null: it is one by itself.
  void connect(Model& model, const std::vector<EndpointId>& gpus, std::uint16_t link_class,
               std::uint16_t from_last, const AtomId* atom) const {
    if (gpus.size() >= self_port)
      throw InputErrors(InputError{
          "", 0,
          fmt::format("<formula>: the groups that it names join {} GPUs to each other (at most {})",
                      gpus.size(), self_port - 1)});
    auto spec = std::make_shared<MeetingSpec>();
    spec->gpus = gpus;
    spec->notice = model.link_classes[link_class].latency;
    const ComponentId meeting =
        add_component(model, kind_, spec, fmt::format("meeting{}", gpus.front().value) + (atom ? "" : "w"),
                      static_cast<std::uint16_t>(gpus.size()));
    if (atom) model.components[meeting.value].atom = *atom;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const ComponentId gpu = book_.component_of[gpus[i].value];
      const std::uint16_t ports = model.components[gpu.value].port_count;
      join_ports(model, {meeting, static_cast<PortIndex>(i)},
                 {gpu, static_cast<PortIndex>(ports - from_last)}, link_class, link_class);
    }
  }

  [[nodiscard]] std::shared_ptr<const FormulaDetail> detail() const {
    auto detail = std::make_shared<FormulaDetail>();
    for (std::uint32_t gpu = 0; gpu < book_.gpu_count; ++gpu)
      if (is_any(gpu)) detail->gpus.emplace_back(gpu);
    detail->room = send_room_of(model_);
    detail->scopes = formula_.scopes;
    detail->meets_in_server = formula_.is_in_server;
    detail->has_two_meetings = has_two();
    return detail;
  }

  const Model& model_;
  const PartialFormula& formula_;
  const ProgramSet& set_;
  const GroupTable& groups_;
  const AddressBook& book_;
  Groups joined_;                                      ///< GPUs, by groups that are not in a server
  std::vector<bool> is_in_server_, is_among_servers_;  ///< by GPU: groups of its own meet there
  std::shared_ptr<const ComponentKind> kind_ = meeting_kind();
};

}  // namespace

Model with_meetings(const Model& built, const PartialFormula& formula) {
  return Meetings(built, formula).model();
}

}  // namespace lightrail
