#include "engine/sync/exchange.hpp"

#include <algorithm>
#include <cstring>

#include "engine/base/error.hpp"

namespace lightrail {

Exchange::Exchange(const Model& model, const Partition& partition, MPI_Comm comm)
    : comm_(comm), poller_(comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  neighbour_of_rank_.assign(static_cast<std::size_t>(partition.ranks), -1);
  std::vector<bool> is_neighbour(static_cast<std::size_t>(partition.ranks), false);
  for (const LinkRecord& link : model.links) {
    const int from = partition.rank_of(model.components[link.from.value]);
    const int to = partition.rank_of(model.components[link.to.value]);
    if (from == to) continue;
    if (from == rank) is_neighbour[static_cast<std::size_t>(to)] = true;
    if (to == rank) is_neighbour[static_cast<std::size_t>(from)] = true;
  }
  for (std::size_t r = 0; r < is_neighbour.size(); ++r) {
    if (!is_neighbour[r]) continue;
    neighbour_of_rank_[r] = static_cast<std::int32_t>(neighbours_.size());
    Neighbour& n = neighbours_.emplace_back();
    n.rank = static_cast<int>(r);
    n.out.resize(1);
    n.in.resize(1 + head_events);
  }
}

void Exchange::send(Neighbour& n, std::int64_t window) {
  const std::size_t count = n.out.size() - 1;
  LIGHTRAIL_EXPECT(count < std::size_t{1} << 26);  // MPI counts bytes in an int
  const Header header{window, static_cast<std::int64_t>(count), first_.count(), 0};
  std::memcpy(static_cast<void*>(n.out.data()), &header, sizeof header);
  const std::size_t in_head = std::min(count, head_events);
  const auto bytes = [](std::size_t events) { return static_cast<int>(events * sizeof(Event)); };
  MPI_Isend(n.out.data(), bytes(1 + in_head), MPI_BYTE, n.rank, 0, comm_, &requests_.emplace_back());
  if (count > in_head)
    MPI_Isend(n.out.data() + 1 + in_head, bytes(count - in_head), MPI_BYTE, n.rank, 1, comm_,
              &tail_requests_.emplace_back());
  sent_events_ += static_cast<std::int64_t>(count);
  sent_bytes_ += static_cast<std::int64_t>((1 + count) * sizeof(Event));
}

WindowFacts Exchange::turn(std::int64_t window, WindowFacts mine) {
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  if (ranks == 1) return mine;
  mine.next_time = std::min(mine.next_time, first_.count());
  requests_.clear();
  requests_.reserve(2 * neighbours_.size() + 1);
  tail_requests_.clear();
  tail_requests_.reserve(2 * neighbours_.size());
  for (Neighbour& n : neighbours_)
    MPI_Irecv(n.in.data(), static_cast<int>((1 + head_events) * sizeof(Event)), MPI_BYTE, n.rank, 0, comm_,
              &requests_.emplace_back());
  for (Neighbour& n : neighbours_) send(n, window);
  WindowFacts all;
  start_reduction(mine, all, comm_, requests_.emplace_back());
  poller_.wait(requests_);

  // Tails are waited for only now: the other side posts their receive once it has read its heads.
  for (Neighbour& n : neighbours_) {
    Header header;
    std::memcpy(&header, n.in.data(), sizeof header);
    LIGHTRAIL_EXPECT(header.window == window);
    n.received = static_cast<std::size_t>(header.count);
    if (n.received > head_events) {
      if (n.in.size() < 1 + n.received) n.in.resize(1 + n.received);
      MPI_Irecv(n.in.data() + 1 + head_events, static_cast<int>((n.received - head_events) * sizeof(Event)),
                MPI_BYTE, n.rank, 1, comm_, &tail_requests_.emplace_back());
    }
  }
  if (!tail_requests_.empty()) poller_.wait(tail_requests_);
  for (Neighbour& n : neighbours_) n.out.resize(1);
  first_ = time_never;
  return all;
}

}  // namespace lightrail
