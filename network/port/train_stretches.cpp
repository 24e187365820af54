#include "network/port/train_stretches.hpp"

#include <cstddef>

namespace lightrail {

bool TrainStretch::overlaps(const TrainStretch& other) const {
  if (from >= other.to || other.from >= to) return false;
  if (atoms.empty() || other.atoms.empty()) return true;
  for (std::size_t i = 0; i < atoms.size(); ++i)
    if (atoms[i] && other.atoms[i]) return true;
  return false;
}

TrainStretches::TrainStretches(std::vector<TrainStretch> in_order) : all_(std::move(in_order)) {
  std::size_t atoms = 0;
  for (const TrainStretch& each : all_) atoms = std::max(atoms, each.atoms.size());
  for (std::uint32_t atom = 0; atoms > 0 && atom <= atoms; ++atom) {  // the last for all behind
    std::vector<bool> which;
    std::vector<TrainStretch> some;
    for (const TrainStretch& each : all_) {
      which.push_back(each.has(AtomId{atom}));
      if (!which.back()) continue;
      some.push_back(each);
      some.back().atoms.clear();
    }
    std::unique_ptr<const TrainStretches>& made = some_[which];
    if (!made) made = std::make_unique<const TrainStretches>(std::move(some));
  }
}

const TrainStretches* TrainStretches::of(AtomId atom) const {
  if (some_.empty()) return all_.empty() ? nullptr : this;
  std::vector<bool> which;
  for (const TrainStretch& each : all_) which.push_back(each.has(atom));
  const TrainStretches* some = some_.at(which).get();
  return some->all_.empty() ? nullptr : some;
}

}  // namespace lightrail
