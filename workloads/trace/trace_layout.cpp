#include "workloads/trace/trace_layout.hpp"

#include <limits>

#include "workloads/job/job.hpp"

namespace lightrail {

namespace {

template <class T>
constexpr std::int64_t high_of = static_cast<std::int64_t>(std::numeric_limits<T>::max());

}  // namespace

const std::vector<OpColumn>& op_columns() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  static const std::vector<OpColumn> all = {
      {"kind", "1", 0, static_cast<std::int64_t>(OpKind::marker),
       [](const Op& o) { return std::int64_t(o.kind); },
       [](Op& o, std::int64_t v) { o.kind = static_cast<OpKind>(v); }},
      {"stream", "1", 0, max_streams, [](const Op& o) { return std::int64_t(o.stream); },
       [](Op& o, std::int64_t v) { o.stream = static_cast<std::uint16_t>(v); }},
      {"collective", "1", 0, static_cast<std::int64_t>(CollectiveType::barrier),
       [](const Op& o) { return std::int64_t(o.collective); },
       [](Op& o, std::int64_t v) { o.collective = static_cast<CollectiveType>(v); }},
      {"algorithm", "1", 0, high_of<std::uint8_t>, [](const Op& o) { return std::int64_t(o.algorithm); },
       [](Op& o, std::int64_t v) { o.algorithm = static_cast<Algorithm>(v); }},
      {"protocol", "1", 0, static_cast<std::int64_t>(Protocol::bare),
       [](const Op& o) { return std::int64_t(o.protocol); },
       [](Op& o, std::int64_t v) { o.protocol = static_cast<Protocol>(v); }},
      {"peer_mode", "1", 0, static_cast<std::int64_t>(PeerMode::frontend),
       [](const Op& o) { return std::int64_t(o.peer_mode); },
       [](Op& o, std::int64_t v) { o.peer_mode = static_cast<PeerMode>(v); }},
      {"dimension", "1", 0, high_of<std::uint16_t>, [](const Op& o) { return std::int64_t(o.dimension); },
       [](Op& o, std::int64_t v) { o.dimension = static_cast<std::uint16_t>(v); }},
      {"name", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.name); },
       [](Op& o, std::int64_t v) { o.name = static_cast<std::uint32_t>(v); }},
      {"group", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.group.value); },
       [](Op& o, std::int64_t v) { o.group = GroupKindId{static_cast<std::uint32_t>(v)}; }},
      {"size_bytes", "B", 0, largest_operation_bytes, [](const Op& o) { return o.bytes; },
       [](Op& o, std::int64_t v) { o.bytes = v; }},
      {"duration_ps", "ps", 0, most, [](const Op& o) { return std::int64_t(o.duration.count()); },
       [](Op& o, std::int64_t v) { o.duration = picoseconds(v); }},
      {"shape", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.shape); },
       [](Op& o, std::int64_t v) { o.shape = static_cast<std::uint32_t>(v); }},
      {"peer", "1", std::numeric_limits<std::int32_t>::min(), high_of<std::int32_t>,
       [](const Op& o) { return std::int64_t(o.peer); },
       [](Op& o, std::int64_t v) { o.peer = static_cast<std::int32_t>(v); }},
      {"dependencies", "1", 0, high_of<std::uint16_t>,
       [](const Op& o) { return std::int64_t(o.dependency_count); },
       [](Op& o, std::int64_t v) { o.dependency_count = static_cast<std::uint16_t>(v); }},
      {"split", "1", 0, high_of<std::uint16_t>, [](const Op& o) { return std::int64_t(o.split); },
       [](Op& o, std::int64_t v) { o.split = static_cast<std::uint16_t>(v); }},
      {"element_bytes", "B", 1, 64, [](const Op& o) { return std::int64_t(o.element_bytes); },
       [](Op& o, std::int64_t v) { o.element_bytes = static_cast<std::uint16_t>(v); }},
      {"root", "1", 0, high_of<std::uint32_t>, [](const Op& o) { return std::int64_t(o.root); },
       [](Op& o, std::int64_t v) { o.root = static_cast<std::uint32_t>(v); }},
  };
  return all;
}

std::array<std::int64_t, shape_fields> fields_of(const KernelShape& s) {
  return {std::int64_t(s.kind),
          s.scaling == Scaling::rowwise ? rowwise_fp8_code : code_of(s.dtype),
          s.causal,
          s.backward,
          s.batch,
          s.m,
          s.n,
          s.k,
          s.heads,
          s.kv_heads,
          s.head_dim,
          s.bytes};
}

}  // namespace lightrail
