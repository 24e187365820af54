#include "workloads/program/program_index.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "network/wire/connection.hpp"

namespace lightrail {
namespace {

/// Ordinals take the place of group kind and channel in a Connection.
constexpr std::size_t max_io_ops = std::size_t{Connection::max_group_kinds} * Connection::max_channels;

/// They take place in the same iterations.
bool go_together(const Op& a, const Op& b) {
  return a.every == b.every && a.turn == b.turn;
}

/// ProgramIndex::chain.
std::vector<std::uint32_t> chains(const Program& program, const ProgramIndex& index) {
  std::vector<std::uint32_t> chain(program.ops.size(), 1);
  std::vector<bool> is_awaited(program.ops.size()), awaits(program.ops.size());  // by, of another stream
  for (std::uint32_t i = 0; i < program.ops.size(); ++i)
    for (std::uint32_t d = 0; d < program.ops[i].dependency_count; ++d) {
      const std::uint32_t on = program.dependencies[program.ops[i].first_dependency + d];
      if (program.ops[on].stream != program.ops[i].stream) is_awaited[on] = awaits[i] = true;
    }
  for (const std::vector<std::uint32_t>& ops : index.stream_ops)
    for (std::size_t k = ops.size(); k-- > 1;)
      if (is_timed_from_shape(program.ops[ops[k - 1]]) && is_timed_from_shape(program.ops[ops[k]]) &&
          go_together(program.ops[ops[k - 1]], program.ops[ops[k]]) && !is_awaited[ops[k - 1]] &&
          !awaits[ops[k]])
        chain[ops[k - 1]] = chain[ops[k]] + 1;
  return chain;
}

}  // namespace

ProgramIndex make_program_index(const Program& program) {
  ProgramIndex index;
  index.stream_ops.resize(program.streams.size());
  std::map<std::uint32_t, std::uint32_t> turns;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    auto& stream = index.stream_ops[op.stream];
    index.position.push_back(static_cast<std::uint32_t>(stream.size()));
    stream.push_back(i);
    index.turn.push_back(op.kind == OpKind::collective ? turns[op.group.value]++ : 0);
    index.io_ordinal.push_back(static_cast<std::uint32_t>(index.io_ops.size()));
    if (is_io(op.kind)) index.io_ops.push_back(i);
  }
  index.chain = chains(program, index);
  return index;
}

const Op* io_operation(const ProgramSet& set, const ProgramIndexes& indexes, EndpointId gpu,
                       std::uint32_t ordinal) {
  if (gpu.value >= set.program_of_gpu.size()) return nullptr;
  const std::uint32_t program = set.program_of_gpu[gpu.value];
  const ProgramIndex& index = indexes.of[program];
  return ordinal < index.io_ops.size() ? &set.programs[program].ops[index.io_ops[ordinal]] : nullptr;
}

std::string describe_op(const Program& program, std::uint32_t op, const std::vector<std::string>& names) {
  std::uint32_t name = program.ops[op].name;
  return fmt::format("op {} '{}' of program '{}'", op, name < names.size() ? names[name] : "", program.role);
}

void check_program(const Program& program, const ProgramSet& set, const std::vector<std::string>& names,
                   ErrorList& errors) {
  auto complain = [&](std::uint32_t op, const std::string& what) {
    errors.add({"", 0, describe_op(program, op, names) + ": " + what});
  };
  std::size_t io_ops = 0;
  for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.stream >= program.streams.size())
      complain(
          i, fmt::format("stream {} does not exist (the program has {})", op.stream, program.streams.size()));
    if (op.bytes < 0) complain(i, fmt::format("{} bytes (a size is not negative)", op.bytes));
    if (op.duration < SimTime{0}) complain(i, fmt::format("a duration of {} ps", op.duration.count()));
    if (op.protocol == Protocol::bare && op.kind != OpKind::send && op.kind != OpKind::recv)
      complain(i, "protocol 'bare' (only sends and receives have it)");
    const bool is_point = op.kind == OpKind::send || op.kind == OpKind::recv;
    if (is_in_memory(op.io) ? !is_point && op.kind != OpKind::host_copy
                            : op.io != IoMode::own && op.kind != OpKind::storage_write)
      complain(i, "of the host's memory (only storage writes are, or a checkpoint's copies and messages)");
    if (op.peer_mode == PeerMode::frontend && op.kind != OpKind::storage_read &&
        op.kind != OpKind::storage_write)
      complain(i, "a partner on the front end (only what storage reads and writes name has one there)");
    if (op.every == 0 || op.turn >= op.every)
      complain(i, fmt::format("takes place in iteration {} of {}", op.turn, op.every));
    if (op.is_once && (op.every > 1 || !is_io(op.kind)))
      complain(i,
               "takes place in the first iteration alone (only I/O may, and either in that one or in each so "
               "many-th)");
    if (op.restores && op.kind != OpKind::storage_read && !is_in_memory(op.io))
      complain(i, "reads the checkpoint after a restart (only storage reads do, and what hosts hold of it)");
    if (op.first_dependency + std::size_t{op.dependency_count} > program.dependencies.size())
      complain(i, fmt::format("dependencies {} to {} do not exist (the program has {})", op.first_dependency,
                              op.first_dependency + op.dependency_count - 1, program.dependencies.size()));
    else
      for (std::uint32_t d = 0; d < op.dependency_count; ++d)
        if (std::uint32_t on = program.dependencies[op.first_dependency + d]; on >= i)
          complain(i, fmt::format("depends on op {}, which is not before it", on));
    if (is_timed_from_shape(op) && op.shape >= set.shapes.size())
      complain(i, fmt::format("shape {} does not exist (there are {})", op.shape, set.shapes.size()));
    if (op.split != 0 && op.split >= set.splits.size())
      complain(i, fmt::format("split matrix {} does not exist (there are {})", op.split, set.splits.size()));
    io_ops += is_io(op.kind);
  }
  if (io_ops > max_io_ops)
    errors.add({"", 0,
                fmt::format("program '{}' has {} storage and host copy operations (at most {})", program.role,
                            io_ops, max_io_ops)});
}

}  // namespace lightrail
