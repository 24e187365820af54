#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/context.hpp"

namespace lightrail {

/// The rows of one window of one rank, with the times of the events that made them: they go to the recorder
/// when no rank has failed in that window. Tiles and ranks run ahead of a failure elsewhere, by how much
/// depends on their number; what they recorded after it is dropped. Rows keep their order.
class HeldRows final : public RowSink {
 public:
  explicit HeldRows(RowSink& to) : to_(&to) {}

  /// Rows are held while `running`, a component's call, is set; else they pass.
  void during(const Context* running) { running_ = running; }
  void append(TableId table, ComponentId component, SimTime time,
              std::span<const std::int64_t> row) override {
    if (!running_) return to_->append(table, component, time, row);
    held_.push_back({time, running_->now(), component, static_cast<std::uint32_t>(row.size()), table});
    values_.insert(values_.end(), row.begin(), row.end());
  }
  /// Hands over what was made until `last`, inclusive, and drops the rest.
  void hand_over(SimTime last = time_never);
  void drop() { held_.clear(), values_.clear(); }
  /// Of the row at which hand_over() threw, the first that was made of those refused: whose, and when.
  [[nodiscard]] ComponentId component() const { return component_; }
  [[nodiscard]] SimTime made() const { return made_; }

 private:
  struct Row {
    SimTime time{}, made{};
    ComponentId component{};
    std::uint32_t width = 0;
    TableId table = 0;
  };
  RowSink* to_;
  const Context* running_ = nullptr;
  ComponentId component_{};
  SimTime made_{};
  std::vector<Row> held_;
  std::vector<std::int64_t> values_;
};

}  // namespace lightrail
