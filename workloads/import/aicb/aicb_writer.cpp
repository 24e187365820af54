#include "workloads/import/aicb/aicb_writer.hpp"

#include <algorithm>
#include <utility>

namespace lightrail {

AicbGroups::AicbGroups(const AicbWorkload& w, JobBuilder& job) {
  const std::uint32_t dp = w.gpus / (w.tp * w.pp);
  auto add = [&](const char* name, std::uint32_t count, std::uint32_t stride, bool holds_copies = false) {
    Place place;
    place.size = count;
    place.dimension = job.dimension(name);
    GroupKind kind;
    kind.name = name;
    kind.digits = {{count, stride}};
    kind.holds_copies = holds_copies;
    place.kind = job.group(std::move(kind));
    return place;
  };
  of[0] = add("tp", w.tp, 1);
  of[1] = add("dp", dp, w.tp, true);
  of[2] = add("ep", w.ep, w.tp);
  of[3] = add("expert-dp", dp / w.ep, w.tp * w.ep, true);
  of[4] = add("world", w.gpus, 1);
  stages = add("pp", w.pp, w.tp * dp);
}

AicbWriter::AicbWriter(const AicbGroups& groups, JobOutput& output) : groups_(groups), output_(output) {
  send_ = output.job().name("send"), receive_ = output.job().name("receive");
}

std::uint16_t AicbWriter::stream(const std::string& name) {
  auto it = std::find(streams_.begin(), streams_.end(), name);
  if (it == streams_.end()) it = streams_.insert(it, name);
  return static_cast<std::uint16_t>(it - streams_.begin());
}

std::uint32_t AicbWriter::add(const std::string& name, Op op, std::uint32_t after) {
  op.stream = stream(name);
  if (after == none) return output_.add(op, {});
  return output_.add(op, {&after, 1});
}

void AicbWriter::compute(std::int64_t duration_ns, std::uint32_t name) {
  if (duration_ns <= 1) return;
  Op op;
  op.kind = OpKind::compute;
  op.dimension = no_dimension;
  op.name = name;
  op.duration = nanoseconds(duration_ns);
  last_ = add("compute", op, last_);
}

void AicbWriter::collective(const AicbPart& part, std::uint32_t name, std::uint16_t split, bool is_blocking) {
  const bool is_barrier = part.collective == CollectiveType::barrier;
  if (part.collective == CollectiveType::none || (part.bytes == 0 && !is_barrier)) return;
  const auto& group = groups_[part.group];
  Op op;
  op.kind = OpKind::collective;
  op.collective = part.collective;
  op.name = name;
  op.group = group.kind;
  op.dimension = group.dimension;
  op.bytes = part.bytes;
  op.element_bytes = 1;
  if (part.group == AicbGroup::ep && part.collective == CollectiveType::all_to_all) op.split = split;
  const std::uint32_t at = add("nccl " + output_.job().job().groups[group.kind.value].name, op, last_);
  (is_blocking ? last_ : last_free_) = at;
}

void AicbWriter::update(std::int64_t duration_ns, std::uint32_t name) {
  if (duration_ns <= 1 || last_free_ == none) return;
  Op op;
  op.kind = OpKind::compute;
  op.dimension = no_dimension;
  op.name = name;
  op.duration = nanoseconds(duration_ns);
  add("update", op, last_free_);
}

Op AicbWriter::message(std::int32_t stage_offset, std::int64_t bytes, bool is_forward) const {
  Op op;
  op.group = groups_.stages.kind;
  op.dimension = groups_.stages.dimension;
  op.bytes = bytes;
  op.element_bytes = 1;
  op.peer_mode = PeerMode::offset;
  op.peer = stage_offset;
  op.root = is_forward ? 0 : 1;  // two stages meet in both directions: a lane each
  return op;
}

void AicbWriter::send(std::int32_t stage_offset, std::int64_t bytes, bool is_forward) {
  Op op = message(stage_offset, bytes, is_forward);
  op.kind = OpKind::send;
  op.name = send_;
  add(is_forward ? "send forward" : "send backward", op, last_);
}

void AicbWriter::receive(std::int32_t stage_offset, std::int64_t bytes, bool is_forward) {
  Op op = message(stage_offset, bytes, is_forward);
  op.kind = OpKind::recv;
  op.name = receive_;
  const std::uint32_t at = add(is_forward ? "receive forward" : "receive backward", op, none);
  Op join;
  join.dimension = no_dimension;
  join.name = receive_;
  join.stream = stream("compute");
  const std::array<std::uint32_t, 2> after{at, last_};
  last_ = output_.add(join, {after.data(), last_ == none ? 1u : 2u});
}

}  // namespace lightrail
