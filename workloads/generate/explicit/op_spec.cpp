#include "workloads/generate/explicit/op_spec.hpp"

#include <algorithm>

#include "workloads/generate/workload_kinds.hpp"

namespace lightrail {

const std::vector<std::pair<std::string, OpKind>>& operation_kinds() {
  static const std::vector<std::pair<std::string, OpKind>> all{{"compute", OpKind::compute},
                                                               {"gemm", OpKind::compute},
                                                               {"attention", OpKind::compute},
                                                               {"memory-bound", OpKind::compute},
                                                               {"host", OpKind::host},
                                                               {"collective", OpKind::collective},
                                                               {"send", OpKind::send},
                                                               {"recv", OpKind::recv},
                                                               {"storage-read", OpKind::storage_read},
                                                               {"storage-write", OpKind::storage_write},
                                                               {"host-copy", OpKind::host_copy},
                                                               {"marker", OpKind::marker}};
  return all;
}

Describe<OpSpec> op_table(const std::string& kind, const AlgorithmNames& algorithms) {
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  Describe<OpSpec> table;
  table.required("kind", &OpSpec::kind, "what the operation is")
      .field("id", &OpSpec::id, "for 'after' of later operations")
      .field("name", &OpSpec::name, "shown in timelines; default: the kind")
      .field("after", &OpSpec::after, "ids of operations that must have ended")
      .field("stream", &OpSpec::stream,
             "operations of one stream run in order; host streams start with 'host'");
  auto size = [&] {
    table.required("size", &OpSpec::size, "bytes", Bytes{1}, Bytes{largest_operation_bytes});
  };
  auto dtype = [&] { table.choice("dtype", &OpSpec::dtype, "data type", data_type_names()); };
  if (kind == "compute" || kind == "host")
    table.required("duration", &OpSpec::duration, "how long it runs", picoseconds(1),
                   milliseconds(1'000'000'000));
  if (kind == "gemm") {
    table.required("m", &OpSpec::m, "rows", std::int64_t{1}, huge)
        .required("n", &OpSpec::n, "columns", std::int64_t{1}, huge);
    table.required("k", &OpSpec::k, "inner dimension", std::int64_t{1}, huge);
    table.field("batch", &OpSpec::batch, "equal products in one kernel", std::int64_t{1}, huge);
    dtype();
    table.choice("scaling", &OpSpec::scaling, "of FP8 operands: a scale a tensor, or a row and column",
                 scaling_names());
  }
  if (kind == "attention") {
    table.required("m", &OpSpec::m, "length of the queries", std::int64_t{1}, huge);
    table.required("n", &OpSpec::n, "length of the keys", std::int64_t{1}, huge);
    table.required("heads", &OpSpec::heads, "query heads", std::int64_t{1}, huge);
    table.required("kv-heads", &OpSpec::kv_heads, "key and value heads", std::int64_t{1}, huge);
    table.required("head-dim", &OpSpec::head_dim, "size of a head", std::int64_t{1}, huge);
    table.field("batch", &OpSpec::batch, "sequences", std::int64_t{1}, huge);
    table.field("causal", &OpSpec::causal, "keys up to the query only")
        .field("backward", &OpSpec::backward, "gradient kernel");
    dtype();
  }
  if (kind == "memory-bound") size();
  if (kind == "collective") {
    table.choice("collective", &OpSpec::collective, "which collective", collective_names());
    table.field("size", &OpSpec::size, "bytes, as nccl-tests count them", Bytes{1},
                Bytes{largest_operation_bytes});
    table.field("group", &OpSpec::group, "group kind")
        .choice("algorithm", &OpSpec::algorithm, "algorithm", algorithms);
    table.choice("protocol", &OpSpec::protocol, "protocol", protocol_names());
    table.field("element", &OpSpec::element, "bytes of an element", 1u, 16u)
        .field("root", &OpSpec::root, "index of a broadcast's source");
  }
  if (kind == "send" || kind == "recv") {
    table.field("group", &OpSpec::group, "group kind")
        .required("peer", &OpSpec::peer, "index in the group, or +1, -1 from the own index");
    size();
  }
  if (kind == "storage-read" || kind == "storage-write") {
    table.field("server", &OpSpec::server, "storage server");
    size();
  }
  if (kind == "storage-write")
    table
        .choice("from", &OpSpec::io,
                "the GPU's memory, or the host's; background: the host's, and nobody waits for it but the "
                "next such write of this operation",
                {{"gpu", IoMode::own}, {"host", IoMode::from_host}, {"background", IoMode::background}})
        .field("before", &OpSpec::duration, "software before the first byte: planning, serialisation",
               SimTime{0}, milliseconds(1'000'000'000));
  if (kind == "storage-read" || kind == "storage-write" || kind == "host-copy")
    table.field("every", &OpSpec::every, "iterations from one to the next, the last of them first", 1u,
                65'535u);
  if (kind == "host-copy") {
    table.field("to-gpu", &OpSpec::to_gpu, "on: host to GPU, off: GPU to host");
    size();
  }
  return table;
}

std::vector<ParameterDoc> operation_documentation(const AlgorithmNames& algorithms) {
  std::vector<ParameterDoc> all;
  for (const auto& [kind, op] : operation_kinds())
    for (ParameterDoc doc : op_table(kind, algorithms).documentation()) {
      auto is_same = [&](const ParameterDoc& other) { return other.name == doc.name; };
      if (std::any_of(all.begin(), all.end(), is_same)) continue;
      // What one kind needs another may not have.
      doc.is_required = doc.name == "kind";
      if (doc.is_required)
        for (const auto& [choice, unused] : operation_kinds()) doc.choices.push_back(choice);
      all.push_back(std::move(doc));
    }
  return all;
}

}  // namespace lightrail
