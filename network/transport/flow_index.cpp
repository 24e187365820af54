#include "network/transport/flow_index.hpp"

namespace lightrail {

/// The cell that holds `key`, or the empty one where the search ends.
std::size_t FlowIndex::place_of(std::uint64_t key) const {
  std::size_t i = home(key);
  while (cells_[i].slot != none && cells_[i].key != key) i = (i + 1) & (cells_.size() - 1);
  return i;
}

std::uint32_t FlowIndex::find(std::uint64_t key) const {
  return cells_.empty() ? none : cells_[place_of(key)].slot;
}

void FlowIndex::insert(std::uint64_t key, std::uint32_t slot) {
  if ((count_ + 1) * 2 > cells_.size()) grow();
  cells_[place_of(key)] = Cell{key, slot, 0};
  ++count_;
}

std::uint32_t& FlowIndex::at(std::uint64_t key) {
  if ((count_ + 1) * 2 > cells_.size()) grow();
  Cell& cell = cells_[place_of(key)];
  if (cell.slot == none) {
    cell = Cell{key, 0, 0};
    ++count_;
  }
  return cell.slot;
}

void FlowIndex::erase(std::uint64_t key) {
  std::size_t hole = place_of(key);
  LIGHTRAIL_EXPECT(cells_[hole].slot != none);
  --count_;
  // Cells behind the hole move up unless that would put them before their home.
  std::size_t mask = cells_.size() - 1;
  for (std::size_t i = (hole + 1) & mask; cells_[i].slot != none; i = (i + 1) & mask) {
    std::size_t distance_home = (i - home(cells_[i].key)) & mask;
    if (distance_home < ((i - hole) & mask)) continue;
    cells_[hole] = cells_[i];
    hole = i;
  }
  cells_[hole] = Cell{};
}

void FlowIndex::grow() {
  std::vector<Cell> old(cells_.empty() ? 4 : cells_.size() * 2);
  old.swap(cells_);
  for (const Cell& cell : old)
    if (cell.slot != none) cells_[place_of(cell.key)] = cell;
}

}  // namespace lightrail
