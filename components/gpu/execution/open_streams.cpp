#include "components/gpu/execution/open_streams.hpp"

#include <bit>

namespace lightrail {

OpenStreams::OpenStreams(std::size_t streams)
    : bits_((streams + 63) / 64), groups_((bits_.size() + 63) / 64), behind_(streams, none) {
  open_all();
}

std::uint32_t OpenStreams::next(std::uint32_t stream) const {
  std::size_t word = stream / 64;
  if (word >= bits_.size()) return none;
  if (const std::uint64_t rest = bits_[word] >> stream % 64; rest != 0)
    return stream + static_cast<std::uint32_t>(std::countr_zero(rest));
  ++word;
  for (std::size_t group = word / 64; group < groups_.size(); word = 64 * ++group)
    if (const std::uint64_t rest = groups_[group] >> word % 64; rest != 0) {
      word += static_cast<std::size_t>(std::countr_zero(rest));
      return static_cast<std::uint32_t>(64 * word) +
             static_cast<std::uint32_t>(std::countr_zero(bits_[word]));
    }
  return none;
}

void OpenStreams::open(std::uint32_t stream) {
  bits_[stream / 64] |= std::uint64_t{1} << stream % 64;
  groups_[stream / 4096] |= std::uint64_t{1} << stream / 64 % 64;
}

void OpenStreams::close(std::uint32_t stream) {
  std::uint64_t& word = bits_[stream / 64];
  word &= ~(std::uint64_t{1} << stream % 64);
  if (word == 0) groups_[stream / 4096] &= ~(std::uint64_t{1} << stream / 64 % 64);
}

void OpenStreams::close_until(std::uint32_t stream, std::uint32_t op) {
  close(stream);
  behind_[stream] = first_.find(op);
  first_.at(op) = stream;
}

void OpenStreams::on_end(std::uint32_t op) {
  std::uint32_t stream = first_.find(op);
  if (stream == none) return;
  first_.erase(op);
  for (; stream != none; stream = behind_[stream]) open(stream);
}

void OpenStreams::open_all() {
  for (std::uint32_t stream = 0; stream < behind_.size(); ++stream) open(stream);
  first_ = {};
}

void OpenStreams::save(StateWriter& out) const {
  out.put(bits_), out.put(groups_), out.put(behind_), first_.save(out);
}

void OpenStreams::load(StateReader& in) {
  in.get(bits_), in.get(groups_), in.get(behind_), first_.load(in);
}

}  // namespace lightrail
