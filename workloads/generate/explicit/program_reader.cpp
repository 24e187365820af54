#include "workloads/generate/explicit/program_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lightrail {
namespace {

constexpr std::size_t max_operations = 1'000'000;

}  // namespace

ProgramReader::ProgramReader(const Element& element, WorkloadContext& context) : context_(context) {
  const Attribute* role = element.find("role");
  program_.role = role ? role->value : "program";
  if (const Attribute* memory = element.find("memory")) {
    Bytes bytes{};
    std::string problem = parse_value(memory->value, bytes);
    if (!problem.empty()) context_.add_error(element, "memory", problem);
    program_.memory_bytes = bytes.value;
  }
  read_children(element);
  if (program_.streams.empty()) program_.streams = {"compute"};
}

void ProgramReader::read_children(const Element& parent) {
  // Marks them read, and known to the did-you-mean of others.
  parent.children_named("op");
  parent.children_named("repeat");
  for (const Element& child : parent.children) {
    if (program_.ops.size() >= max_operations) return;
    if (child.name == "op") {
      read_op(child);
    } else if (child.name == "repeat") {
      read_repeat(child);
    }
  }
}

void ProgramReader::read_repeat(const Element& repeat) {
  std::uint32_t count = 0;
  const Attribute* text = repeat.find("count");
  std::string problem = text ? parse_value(text->value, count) : "is required";
  if (!problem.empty()) return context_.add_error(repeat, "count", problem);
  if (count == 0) {  // read, so that mistakes are found, and dropped
    const Program kept = program_;
    const auto ids = ids_;
    read_children(repeat);
    program_ = kept;
    ids_ = ids;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    std::size_t before = program_.ops.size(), errors_before = context_.errors.size();
    is_repeated_ = i > 0;
    read_children(repeat);
    is_repeated_ = false;
    if (program_.ops.size() == before || context_.errors.size() > errors_before) return;
    // Every time adds as many: said after the first one, not after a million.
    if (before + (program_.ops.size() - before) * (count - i) >= max_operations)
      return context_.errors.add(
          repeat.error(fmt::format("program '{}' has over {} operations", program_.role, max_operations)));
  }
}

void ProgramReader::read_op(const Element& at) {
  const Attribute* kind = at.find("kind");
  std::vector<std::string> names;
  OpKind op_kind = OpKind::marker;
  bool is_known = false;
  for (auto& [name, value] : operation_kinds()) {
    names.push_back(name);
    if (kind && kind->value == name) op_kind = value, is_known = true;
  }
  if (!kind) return context_.errors.add(at.error("<op> lacks the required attribute 'kind'"));
  if (!is_known) return context_.add_error(at, "kind", invalid_choice(kind->value, names));
  OpSpec spec;
  std::size_t before = context_.errors.size();
  op_table(kind->value, context_.algorithms.names()).parse(at, spec, context_.errors);
  if (context_.errors.size() > before) return;
  Op op;
  op.kind = op_kind;
  op.dimension = no_dimension;
  op.stream = stream_of(program_, !spec.stream.empty()      ? spec.stream
                                  : op_kind == OpKind::host ? "host"
                                                            : "compute");
  bool is_on_host = program_.streams[op.stream].rfind("host", 0) == 0;
  if (is_on_host != (op_kind == OpKind::host) && op_kind != OpKind::marker)
    return context_.add_error(
        at, "stream",
        fmt::format("an operation of kind '{}' cannot run on stream '{}' (host operations, and only they, "
                    "run on streams whose name starts with 'host')",
                    spec.kind, program_.streams[op.stream]));
  op.duration = spec.duration;
  op.bytes = spec.size.value;
  if (!fill(at, spec, op)) return;
  op.name = context_.job.name(!spec.name.empty()              ? spec.name
                              : op_kind == OpKind::collective ? nccl_tests_name(spec.collective)
                                                              : spec.kind);
  std::vector<std::uint32_t> after;
  if (!read_after(at, spec.after, after)) return;
  if (!spec.id.empty() && !is_repeated_ && ids_.contains(spec.id))
    return context_.add_error(at, "id", fmt::format("'{}' is already the id of another operation", spec.id));
  std::uint32_t index = append(program_, op, after);
  if (!spec.id.empty()) ids_[spec.id] = index;
}

bool ProgramReader::read_after(const Element& at, const std::string& text,
                               std::vector<std::uint32_t>& after) {
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(" ,", begin)) != std::string::npos) {
    std::size_t end = std::min(text.find_first_of(" ,", begin), text.size());
    std::string id = text.substr(begin, end - begin);
    auto it = ids_.find(id);
    if (it == ids_.end()) {
      std::vector<std::string> known;
      for (auto& [name, index] : ids_) known.push_back(name);
      const std::string guess = did_you_mean(id, known);
      context_.add_error(at, "after",
                         fmt::format("no earlier operation has the id '{}' ({}{})", id,
                                     known.empty() ? "none before it has one"
                                                   : fmt::format("known: {}", fmt::join(known, ", ")),
                                     guess.empty() ? "" : "; did you mean '" + guess + "'?"));
      return false;
    }
    if (after.size() == 0xffff) return context_.add_error(at, "after", "more than 65535 operations"), false;
    after.push_back(it->second);
    begin = end;
  }
  return true;
}

bool ProgramReader::fill(const Element& at, const OpSpec& spec, Op& op) {
  KernelShape shape;
  shape.dtype = spec.dtype;
  if (spec.scaling != Scaling::tensorwise && spec.dtype != DataType::fp8)
    return context_.add_error(at, "scaling", "'rowwise' needs dtype=\"fp8\""), false;
  shape.scaling = spec.scaling;
  shape.batch = spec.batch;
  shape.m = spec.m, shape.n = spec.n, shape.k = spec.k;
  if (spec.kind == "gemm") op.shape = context_.job.shape(shape);
  if (spec.kind == "attention") {
    shape.kind = KernelKind::attention;
    shape.heads = spec.heads, shape.kv_heads = spec.kv_heads, shape.head_dim = spec.head_dim;
    shape.causal = spec.causal, shape.backward = spec.backward;
    op.shape = context_.job.shape(shape);
  }
  if (spec.kind == "memory-bound") {
    shape.kind = KernelKind::memory_bound;
    shape.bytes = spec.size.value;
    op.shape = context_.job.shape(shape);
    op.bytes = 0;
  }
  switch (op.kind) {
    case OpKind::collective:
      return fill_collective(at, spec, op);
    case OpKind::send:
    case OpKind::recv:
      return fill_peer(at, spec, op);
    case OpKind::storage_read:
    case OpKind::storage_write:
      if (spec.server >= context_.storage.all)
        return context_.add_error(at, "server",
                                  fmt::format("storage server {} does not exist (the system has {})",
                                              spec.server, context_.storage.all)),
               false;
      op.peer = static_cast<std::int32_t>(spec.server);
      op.io = spec.io;
      set_every(spec, op);
      if (op.io != IoMode::own && context_.hosts == 0)
        return context_.add_error(at, "from", "the system has no host"), false;
      op.dimension = context_.job.dimension("storage");
      return true;
    case OpKind::host_copy:
      if (context_.hosts == 0)
        return context_.errors.add(at.error("<op> host-copy needs a host, and the system has none")), false;
      op.peer = spec.to_gpu;
      set_every(spec, op);
      op.dimension = context_.job.dimension("host");
      return true;
    case OpKind::compute:
    case OpKind::host:
    case OpKind::marker:
      return true;
  }
  return true;
}

void ProgramReader::set_every(const OpSpec& spec, Op& op) {
  op.every = static_cast<std::uint16_t>(spec.every);
  op.turn = static_cast<std::uint16_t>(spec.every - 1);
}

bool ProgramReader::fill_collective(const Element& at, const OpSpec& spec, Op& op) {
  if (spec.collective == CollectiveType::none)
    return context_.errors.add(at.error("<op> of kind 'collective' lacks the attribute 'collective'")), false;
  if (spec.collective != CollectiveType::barrier && spec.size.value == 0)
    return context_.errors.add(
               at.error(fmt::format("<op> {} lacks the attribute 'size'", collective_name(spec.collective)))),
           false;
  op.group = require_group(at, spec.group, context_);
  if (!op.group.is_valid()) return false;
  std::uint32_t members = group_size(context_.job.job().groups[op.group.value]);
  if (spec.root >= members)
    return context_.add_error(at, "root", fmt::format("{} is not in a group of {}", spec.root, members)),
           false;
  op.collective = spec.collective;
  op.algorithm = spec.algorithm;
  op.protocol = spec.protocol;
  op.element_bytes = static_cast<std::uint16_t>(spec.element);
  op.root = spec.root;
  op.dimension = context_.job.dimension(spec.group);
  return true;
}

bool ProgramReader::fill_peer(const Element& at, const OpSpec& spec, Op& op) {
  op.group = require_group(at, spec.group, context_);
  if (!op.group.is_valid()) return false;
  const std::string& text = spec.peer;
  bool is_offset = !text.empty() && (text[0] == '+' || text[0] == '-');
  const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
  auto [end, code] = std::from_chars(begin, text.data() + text.size(), op.peer);
  if (code != std::errc{} || end != text.data() + text.size())
    return context_.add_error(
               at, "peer",
               fmt::format("invalid peer '{}' (expected an index, or an offset as +1 or -1)", text)),
           false;
  op.peer_mode = is_offset ? PeerMode::offset : PeerMode::index;
  auto members = static_cast<std::int32_t>(group_size(context_.job.job().groups[op.group.value]));
  if (!is_offset && op.peer >= members)
    return context_.add_error(at, "peer", fmt::format("{} is not in a group of {}", op.peer, members)), false;
  op.dimension = context_.job.dimension(spec.group);
  return true;
}

}  // namespace lightrail
