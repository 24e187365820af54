#include "engine/sync/exchange.hpp"

#include <algorithm>
#include <cstring>

#include "engine/base/error.hpp"
#include "engine/base/polite_wait.hpp"

namespace lightrail {
namespace {

constexpr std::size_t worth_ahead = 256;  // events to one neighbour; fewer go with the facts, in one message

}  // namespace

Exchange::Exchange(const Model& model, const Partition& partition, MPI_Comm comm, int few) : comm_(comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  neighbour_of_rank_.assign(static_cast<std::size_t>(partition.ranks), -1);
  const auto ranks = static_cast<std::size_t>(partition.ranks);
  std::vector<bool> is_linked(ranks * ranks, false);  // a cable is two links, one each way
  if (partition.ranks <= few)
    for (std::size_t pair = 0; pair < ranks * ranks; ++pair) is_linked[pair] = pair / ranks != pair % ranks;
  for (const LinkRecord& link : model.links) {
    const int from = partition.rank_of(model.components[link.from.value]);
    const int to = partition.rank_of(model.components[link.to.value]);
    if (from != to) is_linked[static_cast<std::size_t>(from) * ranks + static_cast<std::size_t>(to)] = true;
  }
  is_complete_ =
      std::count(is_linked.begin(), is_linked.end(), true) == partition.ranks * (partition.ranks - 1);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (!is_linked[static_cast<std::size_t>(rank) * ranks + r]) continue;
    neighbour_of_rank_[r] = static_cast<std::int32_t>(neighbours_.size());
    Neighbour& n = neighbours_.emplace_back();
    n.rank = static_cast<int>(r);
    n.out.resize(header_events);
    n.in.resize(header_events + head_events);
  }
  requests_.reserve(4 * neighbours_.size() + 1);
  tail_requests_.reserve(3 * neighbours_.size());
}

void Exchange::send_ahead(std::int64_t window) {
  std::size_t most = 0;
  for (const Neighbour& n : neighbours_) most = std::max(most, n.out.size() - header_events);
  if (most < worth_ahead || has_sent_) return;
  for (Neighbour& n : neighbours_) send(n, window, nullptr);
  has_sent_ = true;
}

void Exchange::send(Neighbour& n, std::int64_t window, const WindowFacts* facts) {
  const std::size_t count = n.out.size() - header_events;
  LIGHTRAIL_EXPECT(count < std::size_t{1} << 26);  // MPI counts bytes in an int
  const Header header{window, static_cast<std::uint32_t>(count), facts != nullptr,
                      facts ? *facts : WindowFacts{}};
  std::memcpy(static_cast<void*>(n.out.data()), &header, sizeof header);
  const std::size_t in_head = std::min(count, head_events);
  const auto bytes = [](std::size_t events) { return static_cast<int>(events * sizeof(Event)); };
  MPI_Isend(n.out.data(), bytes(header_events + in_head), MPI_BYTE, n.rank, head_tag, comm_,
            &requests_.emplace_back());
  if (count > in_head)
    MPI_Isend(n.out.data() + header_events + in_head, bytes(count - in_head), MPI_BYTE, n.rank, tail_tag,
              comm_, &tail_requests_.emplace_back());
  sent_events_ += static_cast<std::int64_t>(count);
  sent_bytes_ += static_cast<std::int64_t>((header_events + count) * sizeof(Event));
}

WindowFacts Exchange::turn(std::int64_t window, WindowFacts mine) {
  int ranks = 1;
  MPI_Comm_size(comm_, &ranks);
  if (ranks == 1) return mine;
  mine.next_time = std::min(mine.next_time, first_.count());
  for (Neighbour& n : neighbours_)
    MPI_Irecv(n.in.data(), static_cast<int>((header_events + head_events) * sizeof(Event)), MPI_BYTE, n.rank,
              head_tag, comm_, &requests_.emplace_back());
  for (Neighbour& n : neighbours_) {
    if (!has_sent_)
      send(n, window, &mine);
    else if (is_complete_)
      MPI_Isend(&mine, sizeof mine, MPI_BYTE, n.rank, facts_tag, comm_, &requests_.emplace_back());
  }
  WindowFacts all = mine;
  if (!is_complete_) start_reduction(mine, all, comm_, requests_.emplace_back());
  wait_politely(requests_);

  // Tails are waited for only now: the other side posts their receive once it has read its heads.
  for (Neighbour& n : neighbours_) {
    Header header;
    std::memcpy(static_cast<void*>(&header), n.in.data(), sizeof header);
    LIGHTRAIL_EXPECT(header.window == window);
    n.late = header.facts;
    if (is_complete_ && header.has_facts == 0)
      MPI_Irecv(&n.late, sizeof n.late, MPI_BYTE, n.rank, facts_tag, comm_, &tail_requests_.emplace_back());
    n.received = header.count;
    if (n.received > head_events) {
      if (n.in.size() < header_events + n.received) n.in.resize(header_events + n.received);
      MPI_Irecv(n.in.data() + header_events + head_events,
                static_cast<int>((n.received - head_events) * sizeof(Event)), MPI_BYTE, n.rank, tail_tag,
                comm_, &tail_requests_.emplace_back());
    }
  }
  if (!tail_requests_.empty()) wait_politely(tail_requests_);
  for (Neighbour& n : neighbours_) {
    if (is_complete_) all = both(all, n.late);
    n.out.resize(header_events);
  }
  requests_.clear(), tail_requests_.clear();
  first_ = time_never;
  has_sent_ = false;
  return all;
}

}  // namespace lightrail
