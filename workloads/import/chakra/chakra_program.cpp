#include "workloads/import/chakra/chakra_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/job/kernel_class.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

namespace {

enum NodeType { metadata = 1, load = 2, store = 3, comp = 4, send = 5, recv = 6, coll = 7 };
constexpr std::uint64_t longest_us = std::uint64_t{1} << 42;  // 50 days

const char* const collective_words[] = {
    "all-reduce", "reduce",         "all-gather",           "gather", "scatter", "broadcast",
    "all-to-all", "reduce-scatter", "reduce-scatter-block", "barrier"};

CollectiveType collective_of(std::int64_t type) {
  switch (type) {
    case 0:
      return CollectiveType::all_reduce;
    case 2:
      return CollectiveType::all_gather;
    case 5:
      return CollectiveType::broadcast;
    case 6:
      return CollectiveType::all_to_all;
    case 7:
    case 8:
      return CollectiveType::reduce_scatter;
    case 9:
      return CollectiveType::barrier;
    default:
      return CollectiveType::none;
  }
}

}  // namespace

ChakraProgram::ChakraProgram(std::string path, Rank rank, ChakraGroups groups, const Shared& shared)
    : path_(std::move(path)),
      rank_(rank),
      groups_(std::move(groups)),
      families_(shared.families),
      output_(shared.output),
      ledger_(shared.ledger),
      exchanges_(shared.exchanges),
      capture_(shared.capture),
      collects_(shared.collects),
      dag_(shared.output),
      nodes_(
          [this](const Item& item, const std::vector<std::uint32_t>& after) { return emit(item, after); }) {}

std::uint32_t ChakraProgram::emit(const Item& item, const std::vector<std::uint32_t>& after) {
  if (item.op.kind == OpKind::send) ledger_.sent(item.message);
  if (item.op.kind == OpKind::recv) ledger_.received(item.message);
  if (item.op.kind == OpKind::send || item.op.kind == OpKind::recv) return dag_.message(item.op, after);
  Op op = item.op;
  if (op.collective == CollectiveType::all_to_all && collects_)
    exchanges_.add(item.members, rank_.rank, op.bytes, item.parts, path_, item.message.place);
  if (op.collective == CollectiveType::all_to_all && !collects_) {
    const auto bound = exchanges_.next(item.members, rank_.rank, op.bytes);
    op.bytes = bound.bytes;
    op.split = bound.split;
    if (op.bytes == 0) op.kind = OpKind::marker;  // nobody gives anything
  }
  return item.stream.empty() ? dag_.anywhere(op, after) : dag_.on_stream(item.stream, op, after);
}

void ChakraProgram::fail(const ChakraNode& node, const std::string& what) const {
  throw InputErrors(
      InputError{path_, 0, fmt::format("node {} '{}': {}", node.id, short_kernel_name(node.name), what)});
}

void ChakraProgram::add(ChakraNode& node, bool follows_control) {
  if (node.type == metadata)
    if (std::string problem = parse_chakra_groups(node.input_values, rank_.ranks, groups_); !problem.empty())
      fail(node, problem);
  std::vector<std::uint64_t> after = node.data_dependencies;
  if (follows_control)
    after.insert(after.end(), node.control_dependencies.begin(), node.control_dependencies.end());
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  Item item = item_of(node);
  if (collects_) capture_.add(rank_.rank, node, item.op, item.members);
  if (!nodes_.add(node.id, std::move(after), std::move(item))) fail(node, "its number is used twice");
}

std::uint32_t ChakraProgram::end(const std::string& role) {
  if (!nodes_.is_complete()) {
    const auto [id, on] = nodes_.stuck();
    const std::string who = fmt::format("node {} '{}'", id, nodes_.waiting(id).name);
    throw InputErrors(
        InputError{path_, 0,
                   id == on ? who + ": its dependencies run in a circle"
                            : fmt::format("{}: dangling dependency: node {} is not in the file", who, on)});
  }
  if (untimed_ > 0)
    output_.job().note(
        fmt::format("{}: {} nodes of computation without a duration, num_ops and tensor_size take "
                    "no time",
                    path_, untimed_));
  return dag_.end(role);
}

ChakraProgram::Item ChakraProgram::item_of(const ChakraNode& node) {
  Item item;
  item.name = short_kernel_name(node.name);
  item.op.name = output_.job().name(item.name);
  item.op.dimension = no_dimension;
  item.op.element_bytes = 1;
  if (node.duration_us > longest_us)
    fail(node, fmt::format("a duration of {} us is more than 50 days", node.duration_us));
  switch (node.type) {
    case metadata:
      break;
    case load:
    case store:
      memory(node, item);
      break;
    case comp:
      compute(node, item);
      break;
    case send:
    case recv:
      message(node, item);
      break;
    case coll:
      // The CPU's call of a collective that the GPU executes is a node of its own.
      if (node.is_cpu && !node.collective && !node.bytes)
        compute(node, item);
      else
        collective(node, item);
      break;
    default:
      fail(node, fmt::format("unknown node kind {} (known: 1 metadata, 2 load, 3 store, 4 compute, 5 send, "
                             "6 receive, 7 collective)",
                             node.type));
  }
  return item;
}

void ChakraProgram::compute(const ChakraNode& node, Item& item) {
  const std::string stream = node.stream.value_or("");
  item.op.duration = microseconds(static_cast<std::int64_t>(node.duration_us));
  if (node.is_cpu) {
    item.op.kind = node.duration_us > 0 ? OpKind::host : OpKind::marker;
    item.stream = "host" + (stream.empty() ? "" : " " + stream);
    return;
  }
  item.stream = stream.empty() ? "compute" : "stream " + stream;
  item.op.kind = OpKind::compute;
  if (node.duration_us > 0) return;
  KernelShape shape;
  const std::int64_t operations = node.operations.value_or(0);
  if (operations < 0 || operations > (std::int64_t{1} << 60))
    fail(node, fmt::format("num_ops {} is out of range", operations));
  if (operations > 1) {
    // A square matrix product of as many operations.
    shape.m = shape.n = shape.k =
        std::max<std::int64_t>(1, std::llround(std::cbrt(static_cast<double>(operations) / 2)));
  } else if (node.tensor_bytes.value_or(0) > 0) {
    shape.kind = KernelKind::memory_bound;
    shape.bytes = bytes_of(node, node.tensor_bytes, "tensor_size");
  } else {
    if (!node.is_cpu && node.duration_us == 0) ++untimed_;
    item.op.kind = OpKind::marker;
    return;
  }
  item.op.shape = output_.job().shape(shape);
}

void ChakraProgram::memory(const ChakraNode& node, Item& item) {
  item.op.kind = OpKind::host_copy;
  item.op.bytes = bytes_of(node, node.tensor_bytes, "tensor_size");
  item.op.peer = node.type == load ? 1 : 0;
  item.stream = node.type == load ? "load" : "store";
}

std::int64_t ChakraProgram::bytes_of(const ChakraNode& node, std::optional<std::int64_t> bytes,
                                     const char* attribute) const {
  if (!bytes) fail(node, fmt::format("without a size (attribute '{}')", attribute));
  if (*bytes < 0 || *bytes > largest_operation_bytes)
    fail(node, fmt::format("{} {} is out of range (0 ... {})", attribute, *bytes, largest_operation_bytes));
  return *bytes;
}

ChakraExchanges::Members ChakraProgram::members_of(const ChakraNode& node) const {
  if (node.leaves_dimensions_out)
    fail(node, "involved_dim leaves dimensions of the network out (name the members: pg_name and its ranks)");
  ChakraExchanges::Members everybody(rank_.ranks);
  std::iota(everybody.begin(), everybody.end(), 0u);
  if (!node.group || node.group->empty()) return everybody;
  auto it = groups_.find(*node.group);
  if (it == groups_.end() && groups_.empty() && *node.group == "0") return everybody;
  if (it == groups_.end())
    fail(node, fmt::format("process group '{}' is not known ({} are)", *node.group, groups_.size()));
  if (it->second.empty()) return everybody;
  if (std::find(it->second.begin(), it->second.end(), rank_.rank) == it->second.end())
    fail(node, fmt::format("rank {} is not in process group '{}'", rank_.rank, *node.group));
  return it->second;
}

GroupFamilies::Place ChakraProgram::place_of(const ChakraNode& node,
                                             const ChakraExchanges::Members& members) {
  const bool is_everybody = members.size() == rank_.ranks && std::is_sorted(members.begin(), members.end());
  return is_everybody ? families_.world() : families_.add(members, "pg", *node.group);
}

void ChakraProgram::collective(const ChakraNode& node, Item& item) {
  if (node.is_cpu) fail(node, "a collective on the CPU (is_cpu_op) is not simulated");
  if (!node.collective) fail(node, "a collective without a kind (attribute 'comm_type')");
  const CollectiveType type = collective_of(*node.collective);
  if (type == CollectiveType::none)
    fail(node, *node.collective >= 0 && *node.collective < 10
                   ? fmt::format("collective '{}' is not simulated", collective_words[*node.collective])
                   : fmt::format("unknown kind of collective {} (0 ... 9)", *node.collective));
  Op& op = item.op;
  op.kind = OpKind::collective;
  op.collective = type;
  if (type != CollectiveType::barrier) {
    if (!node.bytes) fail(node, "a collective without a size (attribute 'comm_size')");
    op.bytes = bytes_of(node, node.bytes, "comm_size");
  }
  const auto members = members_of(node);
  const auto size = static_cast<std::uint32_t>(members.size());
  const auto place = place_of(node, members);
  if (collects_ || type == CollectiveType::all_to_all) item.members = members;
  if (type == CollectiveType::all_to_all) {
    item.parts = node.parts;
    item.message.place = node.id;
  }
  // comm_size is what one rank gives; an all-gather's buffer holds what all of them give.
  if (type == CollectiveType::all_gather) {
    if (op.bytes > largest_operation_bytes / size)
      fail(node, fmt::format("comm_size {} times {} ranks is out of range (0 ... {})", op.bytes, size,
                             largest_operation_bytes));
    op.bytes *= size;
  }
  if (type == CollectiveType::broadcast) {
    const std::int64_t root = node.root.value_or(0);
    if (root < 0 || root >= size) fail(node, fmt::format("root {} is not in a group of {}", root, size));
    op.root = static_cast<std::uint32_t>(root);
  }
  op.group = place.kind;
  op.dimension = place.dimension;
  item.stream = "nccl " + output_.job().job().groups[place.kind.value].name;
}

void ChakraProgram::message(const ChakraNode& node, Item& item) {
  const bool is_send = node.type == send;
  const char* const word = is_send ? "comm_dst" : "comm_src";
  const auto &mine = is_send ? node.from : node.to, &other = is_send ? node.to : node.from;
  if (mine && *mine != rank_.rank)
    fail(node,
         fmt::format("{} {} in the file of rank {}", is_send ? "comm_src" : "comm_dst", *mine, rank_.rank));
  if (!other) fail(node, fmt::format("without a partner (attribute '{}')", word));
  if (*other < 0 || *other >= rank_.ranks)
    fail(node, fmt::format("{} {} does not exist (the trace has {} ranks)", word, *other, rank_.ranks));
  const std::int64_t tag = node.tag.value_or(0);
  if (tag < 0 || tag > 0xffffffff)
    fail(node, fmt::format("comm_tag {} is out of range (0 ... 4294967295)", tag));
  Op& op = item.op;
  const auto peer = static_cast<std::uint32_t>(*other);
  const auto place = families_.world();
  op.kind = is_send ? OpKind::send : OpKind::recv;
  // An empty message still says that it has come.
  op.bytes = std::max<std::int64_t>(1, bytes_of(node, node.bytes, "comm_size"));
  op.group = place.kind;
  op.dimension = place.dimension;
  op.peer_mode = PeerMode::offset;
  op.peer = static_cast<std::int32_t>((peer + rank_.ranks - rank_.rank) % rank_.ranks);
  op.root = MessageLedger::lane_of(static_cast<std::uint32_t>(tag));
  item.message = {is_send ? rank_.rank : peer, is_send ? peer : rank_.rank, static_cast<std::uint32_t>(tag),
                  op.bytes, node.id};
}

}  // namespace lightrail
