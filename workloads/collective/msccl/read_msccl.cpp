#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "engine/scenario/xml_file.hpp"
#include "workloads/collective/msccl/msccl_program.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t most_gpus = 1024, most_chunks = 65'536, most_steps = 1'000'000;
constexpr std::int64_t most_slots = 1 << 20;  // chunks of all buffers of all GPUs: the check follows each

const std::map<std::string, MscclStepKind>& step_kinds() {
  static const std::map<std::string, MscclStepKind> all = {{"nop", MscclStepKind::nop},
                                                           {"s", MscclStepKind::send},
                                                           {"r", MscclStepKind::receive},
                                                           {"rcs", MscclStepKind::receive_copy_send},
                                                           {"rrc", MscclStepKind::receive_reduce_copy},
                                                           {"rrs", MscclStepKind::receive_reduce_send},
                                                           {"rrcs", MscclStepKind::receive_reduce_copy_send},
                                                           {"cpy", MscclStepKind::copy},
                                                           {"re", MscclStepKind::reduce}};
  return all;
}

const std::map<std::string, CollectiveType>& collectives() {
  static const std::map<std::string, CollectiveType> all = {
      {"allreduce", CollectiveType::all_reduce},
      {"allgather", CollectiveType::all_gather},
      {"reduce_scatter", CollectiveType::reduce_scatter},
      {"reducescatter", CollectiveType::reduce_scatter},
      {"alltoall", CollectiveType::all_to_all}};
  return all;
}

const std::map<std::string, Protocol>& protocols() {
  static const std::map<std::string, Protocol> all = {
      {"Simple", Protocol::simple}, {"LL", Protocol::ll}, {"LL128", Protocol::ll128}};
  return all;
}

class Reader {
 public:
  explicit Reader(const std::string& path) {
    program_.file = path;
    ErrorList errors;
    const bool is_read = read_xml_file(path, {path, 0, ""}, root_, errors);
    errors.throw_if_any();
    if (!is_read || root_.name != "algo")
      throw InputErrors(
          root_.error(fmt::format("<{}> is no algorithm of MSCCL (expected <algo>)", root_.name)));
  }

  MscclProgram read() {
    program_.name = text(root_, "name");
    program_.collective = one_of(root_, "coll", collectives());
    program_.protocol = one_of(root_, "proto", protocols());
    const Attribute* in_place = root_.find("inplace");
    program_.is_in_place = in_place && number(root_, "inplace", 0, 1) == 1;
    const Attribute* out_of_place = root_.find("outofplace");
    if (out_of_place && number(root_, "outofplace", 0, 1) == 1) program_.is_in_place = false;
    program_.gpus.resize(static_cast<std::size_t>(number(root_, "ngpus", 2, most_gpus)));
    std::set<std::int64_t> seen;
    for (const Element& child : root_.children) {
      if (child.name != "gpu")
        throw InputErrors(child.error(fmt::format("unknown element <{}>", child.name)));
      const std::int64_t id = number(child, "id", 0, static_cast<std::int64_t>(program_.gpus.size()) - 1);
      if (!seen.insert(id).second) throw InputErrors(child.error(fmt::format("a second gpu {}", id)));
      read_gpu(child, program_.gpus[static_cast<std::size_t>(id)]);
    }
    if (seen.size() != program_.gpus.size())
      throw InputErrors(
          root_.error(fmt::format("{} of {} gpus are described (ngpus)", seen.size(), program_.gpus.size())));
    check_buffers();
    check_connections();
    return std::move(program_);
  }

 private:
  static const std::string& text(const Element& element, const char* name) {
    const Attribute* attribute = element.find(name);
    if (!attribute) throw InputErrors(element.error(fmt::format("<{}> lacks '{}'", element.name, name)));
    return attribute->value;
  }
  static std::int64_t number(const Element& element, const char* name, std::int64_t least,
                             std::int64_t most) {
    const std::string& given = text(element, name);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(given.data(), given.data() + given.size(), value);
    if (given.empty() || code != std::errc{} || end != given.data() + given.size() || value < least ||
        value > most)
      throw InputErrors(element.error(fmt::format("<{}> attribute '{}': '{}' is no number from {} to {}",
                                                  element.name, name, given, least, most)));
    return value;
  }
  template <class Value>
  static Value one_of(const Element& element, const char* name, const std::map<std::string, Value>& known) {
    const std::string& given = text(element, name);
    if (const auto found = known.find(given); found != known.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [word, value] : known) names.push_back(word);
    throw InputErrors(element.error(
        fmt::format("<{}> attribute '{}': {}", element.name, name, invalid_choice(given, names))));
  }

  void read_gpu(const Element& element, MscclGpu& gpu) {
    gpu.line = element.line;
    const char* const names[] = {"i_chunks", "o_chunks", "s_chunks"};
    for (std::size_t b = 0; b < 3; ++b)
      gpu.chunks[b] = static_cast<std::uint32_t>(number(element, names[b], 0, most_chunks));
    for (std::uint32_t chunks : gpu.chunks) slots_ += chunks;
    if (slots_ > most_slots)
      throw InputErrors(element.error(
          fmt::format("the buffers up to this gpu have {} chunks; {} can be checked", slots_, most_slots)));
    for (const Element& child : element.children) {
      if (child.name != "tb") throw InputErrors(child.error(fmt::format("unknown element <{}>", child.name)));
      if (number(child, "id", 0, 4096) != static_cast<std::int64_t>(gpu.blocks.size()))
        throw InputErrors(child.error(
            fmt::format("thread block {} where {} is expected", text(child, "id"), gpu.blocks.size())));
      read_block(child, gpu.blocks.emplace_back());
    }
    for (const MscclBlock& block : gpu.blocks)
      for (const MscclStep& step : block.steps) check_dependency(step, gpu);
  }

  void read_block(const Element& element, MscclBlock& block) {
    const auto last = static_cast<std::int64_t>(program_.gpus.size()) - 1;
    block.line = element.line;
    block.send_to = static_cast<std::int32_t>(number(element, "send", -1, last));
    block.receive_from = static_cast<std::int32_t>(number(element, "recv", -1, last));
    block.channel = static_cast<std::uint32_t>(number(element, "chan", 0, 127));
    for (const Element& child : element.children) {
      if (child.name != "step")
        throw InputErrors(child.error(fmt::format("unknown element <{}>", child.name)));
      if (number(child, "s", 0, most_steps) != static_cast<std::int64_t>(block.steps.size()))
        throw InputErrors(
            child.error(fmt::format("step {} where {} is expected", text(child, "s"), block.steps.size())));
      if (++steps_ > most_steps)
        throw InputErrors(child.error(fmt::format("more than {} steps", most_steps)));
      read_step(child, block);
    }
  }

  void read_step(const Element& element, MscclBlock& block) {
    MscclStep step;
    step.line = element.line;
    step.kind = one_of(element, "type", step_kinds());
    if (step.kind != MscclStepKind::nop) {
      step.from = buffer(element, "srcbuf"), step.to = buffer(element, "dstbuf");
      step.from_chunk = chunk(element, "srcoff"), step.to_chunk = chunk(element, "dstoff");
      step.count = static_cast<std::uint32_t>(number(element, "cnt", 1, most_chunks));
    }
    step.after_block = static_cast<std::int32_t>(number(element, "depid", -1, 4096));
    step.after_step = static_cast<std::int32_t>(number(element, "deps", -1, most_steps));
    if (step.sends() && block.send_to < 0)
      throw InputErrors(element.error("it sends, but its thread block sends to nobody (send=\"-1\")"));
    if (step.receives() && block.receive_from < 0)
      throw InputErrors(
          element.error("it receives, but its thread block receives from nobody (recv=\"-1\")"));
    block.steps.push_back(step);
  }
  static MscclBuffer buffer(const Element& element, const char* name) {
    static const std::map<std::string, MscclBuffer> all = {
        {"i", MscclBuffer::input}, {"o", MscclBuffer::output}, {"s", MscclBuffer::scratch}};
    return one_of(element, name, all);
  }
  /// -1 stands where a step has no such place.
  static std::uint32_t chunk(const Element& element, const char* name) {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(0, number(element, name, -1, most_chunks)));
  }

  void check_dependency(const MscclStep& step, const MscclGpu& gpu) const {
    if (step.after_block < 0 || step.after_step < 0) return;
    const auto block = static_cast<std::size_t>(step.after_block);
    if (block >= gpu.blocks.size() ||
        static_cast<std::size_t>(step.after_step) >= gpu.blocks[block].steps.size())
      throw InputErrors(InputError{program_.file, step.line,
                                   fmt::format("it waits for step {} of thread block {}, which is not there",
                                               step.after_step, step.after_block)});
  }

  /// The whole buffer of the collective in chunks; the same on all GPUs.
  void check_buffers() {
    const auto n = static_cast<std::uint32_t>(program_.gpus.size());
    for (const MscclGpu& gpu : program_.gpus) {
      const std::uint32_t in = gpu.chunks[0], out = gpu.chunks[1];
      std::uint32_t all = std::max(in, out);
      if (program_.collective == CollectiveType::all_gather) all = std::max(n * in, out);
      if (program_.collective == CollectiveType::reduce_scatter) all = std::max(in, n * out);
      if (program_.chunks == 0) program_.chunks = all;
      const bool is_shared_out = program_.collective == CollectiveType::all_reduce || all % n == 0;
      if (all == 0 || all != program_.chunks || !is_shared_out)
        throw InputErrors(InputError{
            program_.file, gpu.line,
            fmt::format(
                "buffers of {} and {} chunks do not fit the collective (gpu 0: {} chunks in all, which "
                "{} GPUs share)",
                in, out, program_.chunks, n)});
    }
  }

  /// One thread block at each end of a connection.
  void check_connections() const {
    std::map<std::tuple<std::size_t, std::int32_t, std::uint32_t>, int> senders, receivers;
    for (std::size_t g = 0; g < program_.gpus.size(); ++g)
      for (const MscclBlock& block : program_.gpus[g].blocks) {
        auto refuse = [&](const char* what, std::int32_t peer, int line) {
          throw InputErrors(InputError{
              program_.file, block.line,
              fmt::format(
                  "gpu {} has a second thread block that {} gpu {} on channel {} (the first: line {})", g,
                  what, peer, block.channel, line)});
        };
        if (block.send_to == static_cast<std::int32_t>(g) ||
            block.receive_from == static_cast<std::int32_t>(g))
          throw InputErrors(InputError{program_.file, block.line, fmt::format("gpu {} sends to itself", g)});
        if (block.send_to >= 0)
          if (const auto [it, is_new] =
                  senders.emplace(std::tuple(g, block.send_to, block.channel), block.line);
              !is_new)
            refuse("sends to", block.send_to, it->second);
        if (block.receive_from >= 0)
          if (const auto [it, is_new] =
                  receivers.emplace(std::tuple(g, block.receive_from, block.channel), block.line);
              !is_new)
            refuse("receives from", block.receive_from, it->second);
      }
    for (const MscclGpu& gpu : program_.gpus)
      if (gpu.blocks.size() > 128)
        throw InputErrors(InputError{program_.file, gpu.line, "more than 128 thread blocks"});
  }

  Element root_;
  MscclProgram program_;
  std::int64_t slots_ = 0;  ///< chunks of all buffers so far
  std::int64_t steps_ = 0;
};

}  // namespace

MscclProgram read_msccl(const std::string& path) {
  return Reader(path).read();
}

}  // namespace lightrail
