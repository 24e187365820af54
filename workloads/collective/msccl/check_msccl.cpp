#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/collective/msccl/msccl_program.hpp"

namespace lightrail {

namespace {

/// What a chunk holds: the sum, over some GPUs, of one chunk of the collective; unset: nothing yet.
struct Value {
  std::uint32_t chunk = 0;
  std::vector<bool> of;  ///< by GPU
  bool operator==(const Value&) const = default;
};
using Slot = std::optional<Value>;

class Machine {
 public:
  explicit Machine(const MscclProgram& program)
      : program_(program), n_(static_cast<std::uint32_t>(program.gpus.size())), memory_(n_), done_(n_) {
    for (std::uint32_t g = 0; g < n_; ++g) {
      for (std::size_t b = 0; b < 3; ++b) memory_[g][b].resize(size(g, static_cast<MscclBuffer>(b)));
      done_[g].resize(program.gpus[g].blocks.size());
      for (std::uint32_t c = 0; c < inputs(); ++c) at(g, MscclBuffer::input, c, 0) = input(g, c);
    }
  }

  void run() {
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (std::uint32_t g = 0; g < n_; ++g)
        for (std::uint32_t b = 0; b < done_[g].size(); ++b)
          while (can_go(g, b)) execute(g, b), has_moved = true;
    }
    for (std::uint32_t g = 0; g < n_; ++g)
      for (std::uint32_t b = 0; b < done_[g].size(); ++b)
        if (done_[g][b] < block(g, b).steps.size()) fail_stuck(g, b);
    for (const auto& [connection, waiting] : sent_)
      if (!waiting.empty())
        fail(waiting.front().second,
             fmt::format("gpu {} sends to gpu {} on channel {} what nothing there receives",
                         std::get<0>(connection), std::get<1>(connection), std::get<2>(connection)));
    for (std::uint32_t g = 0; g < n_; ++g) check_result(g);
  }

 private:
  using Connection = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< from, to, channel
  using Chunks = std::vector<Value>;

  [[nodiscard]] const MscclBlock& block(std::uint32_t g, std::uint32_t b) const {
    return program_.gpus[g].blocks[b];
  }
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw InputErrors(InputError{program_.file, line, what});
  }
  [[nodiscard]] std::string name(std::uint32_t g, std::uint32_t b, std::size_t s) const {
    return fmt::format("step {} of thread block {} of gpu {}", s, b, g);
  }

  /// Chunks of a GPU's own input and result.
  [[nodiscard]] std::uint32_t inputs() const {
    return program_.collective == CollectiveType::all_gather ? program_.chunks / n_ : program_.chunks;
  }
  [[nodiscard]] std::uint32_t outputs() const {
    return program_.collective == CollectiveType::reduce_scatter ? program_.chunks / n_ : program_.chunks;
  }
  [[nodiscard]] Value single(std::uint32_t g, std::uint32_t chunk) const {
    Value value{chunk, std::vector<bool>(n_)};
    value.of[g] = true;
    return value;
  }
  /// Chunks of an all-gather are numbered by who gives them, of an all-to-all by giver and taker.
  [[nodiscard]] Value input(std::uint32_t g, std::uint32_t c) const {
    switch (program_.collective) {
      case CollectiveType::all_gather:
        return single(g, g * inputs() + c);
      case CollectiveType::all_to_all:
        return single(g, g * program_.chunks + c);
      default:
        return single(g, c);
    }
  }
  [[nodiscard]] Value result(std::uint32_t g, std::uint32_t c) const {
    const std::uint32_t part = program_.chunks / n_;
    Value all{c, std::vector<bool>(n_, true)};
    switch (program_.collective) {
      case CollectiveType::all_gather:
        return single(c / part, c);
      case CollectiveType::all_to_all:
        return single(c / part, c / part * program_.chunks + g * part + c % part);
      case CollectiveType::reduce_scatter:
        all.chunk = g * part + c;
        return all;
      default:
        return all;
    }
  }

  /// In place, input and output are one buffer: the whole one is memory's input.
  [[nodiscard]] std::uint32_t size(std::uint32_t g, MscclBuffer buffer) const {
    if (buffer == MscclBuffer::scratch) return program_.gpus[g].chunks[2];
    if (program_.is_in_place) return buffer == MscclBuffer::input ? program_.chunks : 0;
    return buffer == MscclBuffer::input ? inputs() : outputs();
  }
  /// Chunk `c` of a buffer; the step's line, where it is not there.
  Slot& at(std::uint32_t g, MscclBuffer buffer, std::uint32_t c, int line) {
    if (program_.is_in_place && buffer != MscclBuffer::scratch) {
      const bool is_part =
          (program_.collective == CollectiveType::all_gather && buffer == MscclBuffer::input) ||
          (program_.collective == CollectiveType::reduce_scatter && buffer == MscclBuffer::output);
      const std::uint32_t part = program_.chunks / n_;
      if (is_part && c < part) c += g * part;
      buffer = MscclBuffer::input;
    }
    auto& chunks = memory_[g][static_cast<std::size_t>(buffer)];
    if (c >= chunks.size())
      fail(line, fmt::format("gpu {} has no chunk {} in that buffer (it has {})", g, c, chunks.size()));
    return chunks[c];
  }

  [[nodiscard]] bool can_go(std::uint32_t g, std::uint32_t b) {
    const std::size_t s = done_[g][b];
    if (s >= block(g, b).steps.size()) return false;
    const MscclStep& step = block(g, b).steps[s];
    if (step.after_block >= 0 && step.after_step >= 0 &&
        done_[g][static_cast<std::size_t>(step.after_block)] <= static_cast<std::size_t>(step.after_step))
      return false;
    return !step.receives() || !incoming(g, b).empty();
  }
  std::deque<std::pair<Chunks, int>>& incoming(std::uint32_t g, std::uint32_t b) {
    return sent_[{static_cast<std::uint32_t>(block(g, b).receive_from), g, block(g, b).channel}];
  }

  Chunks read(std::uint32_t g, std::uint32_t b, const MscclStep& step) {
    Chunks out;
    for (std::uint32_t i = 0; i < step.count; ++i) {
      const Slot& slot = at(g, step.from, step.from_chunk + i, step.line);
      if (!slot)
        fail(step.line, fmt::format("{} reads chunk {}, which holds nothing yet", name(g, b, done_[g][b]),
                                    step.from_chunk + i));
      out.push_back(*slot);
    }
    return out;
  }
  void write(std::uint32_t g, const MscclStep& step, const Chunks& chunks) {
    for (std::uint32_t i = 0; i < step.count; ++i) at(g, step.to, step.to_chunk + i, step.line) = chunks[i];
  }
  [[nodiscard]] Chunks sum(std::uint32_t g, std::uint32_t b, const MscclStep& step, Chunks a,
                           const Chunks& other) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].chunk != other[i].chunk)
        fail(step.line, fmt::format("{} adds chunk {} of the collective to chunk {}", name(g, b, done_[g][b]),
                                    other[i].chunk, a[i].chunk));
      for (std::uint32_t k = 0; k < n_; ++k) {
        if (a[i].of[k] && other[i].of[k])
          fail(step.line, fmt::format("{} adds what gpu {} gave to chunk {} a second time",
                                      name(g, b, done_[g][b]), k, a[i].chunk));
        a[i].of[k] = a[i].of[k] || other[i].of[k];
      }
    }
    return a;
  }

  void execute(std::uint32_t g, std::uint32_t b) {
    const MscclBlock& of = block(g, b);
    const MscclStep& step = of.steps[done_[g][b]];
    Chunks chunks;
    if (step.receives()) {
      auto [received, line] = std::move(incoming(g, b).front());
      incoming(g, b).pop_front();
      if (received.size() != step.count)
        fail(step.line, fmt::format("{} receives {} chunks, but {} are sent (line {})",
                                    name(g, b, done_[g][b]), step.count, received.size(), line));
      chunks = std::move(received);
    }
    switch (step.kind) {
      case MscclStepKind::nop:
        break;
      case MscclStepKind::send:
        chunks = read(g, b, step);
        break;
      case MscclStepKind::receive:
      case MscclStepKind::receive_copy_send:
        write(g, step, chunks);
        break;
      case MscclStepKind::receive_reduce_copy:
      case MscclStepKind::receive_reduce_copy_send:
        chunks = sum(g, b, step, std::move(chunks), read(g, b, step));
        write(g, step, chunks);
        break;
      case MscclStepKind::receive_reduce_send:
        chunks = sum(g, b, step, std::move(chunks), read(g, b, step));
        break;
      case MscclStepKind::copy:
        write(g, step, read(g, b, step));
        break;
      case MscclStepKind::reduce: {
        MscclStep own = step;
        own.from = step.to, own.from_chunk = step.to_chunk;
        write(g, step, sum(g, b, step, read(g, b, own), read(g, b, step)));
        break;
      }
    }
    if (step.sends())
      sent_[{g, static_cast<std::uint32_t>(of.send_to), of.channel}].emplace_back(std::move(chunks),
                                                                                  step.line);
    ++done_[g][b];
  }

  [[noreturn]] void fail_stuck(std::uint32_t g, std::uint32_t b) const {
    const std::size_t s = done_[g][b];
    const MscclStep& step = block(g, b).steps[s];
    const bool waits_here =
        step.after_block >= 0 && step.after_step >= 0 &&
        done_[g][static_cast<std::size_t>(step.after_block)] <= static_cast<std::size_t>(step.after_step);
    fail(step.line,
         fmt::format("deadlock: {} waits for ever for {}", name(g, b, s),
                     waits_here ? fmt::format("step {} of thread block {}", step.after_step, step.after_block)
                                : fmt::format("gpu {} on channel {}", block(g, b).receive_from,
                                              block(g, b).channel)));
  }

  void check_result(std::uint32_t g) {
    for (std::uint32_t c = 0; c < outputs(); ++c) {
      const Slot& slot = at(g, MscclBuffer::output, c, program_.gpus[g].line);
      const Value wanted = result(g, c);
      if (slot && *slot == wanted) continue;
      std::string what = "nothing";
      if (slot && slot->chunk != wanted.chunk) what = fmt::format("chunk {} of the collective", slot->chunk);
      if (slot && slot->chunk == wanted.chunk) {
        std::uint32_t missing = 0;
        while (missing < n_ && slot->of[missing] == wanted.of[missing]) ++missing;
        what = fmt::format("a sum {} gpu {}", slot->of[missing] ? "with" : "without", missing);
      }
      fail(program_.gpus[g].line,
           fmt::format("it does not compute the collective: chunk {} of gpu {}'s result is {}", c, g, what));
    }
  }

  const MscclProgram& program_;
  const std::uint32_t n_;
  std::vector<std::array<std::vector<Slot>, 3>> memory_;  ///< by GPU and buffer
  std::vector<std::vector<std::size_t>> done_;            ///< by GPU and thread block
  std::map<Connection, std::deque<std::pair<Chunks, int>>> sent_;
};

}  // namespace

void check_msccl(const MscclProgram& program) {
  Machine(program).run();
}

}  // namespace lightrail
