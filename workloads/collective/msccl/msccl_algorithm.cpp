#include "workloads/collective/msccl/msccl_algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "workloads/collective/exchange_places.hpp"
#include "workloads/collective/msccl/msccl_program.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t most_loops = 64;
constexpr std::uint32_t first_copy_lane = 128;  ///< channels are below

class MscclAlgorithm final : public CollectiveAlgorithm {
 public:
  MscclAlgorithm(std::string name, MscclProgram program)
      : name_(std::move(name)), program_(std::move(program)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string doc() const override {
    return fmt::format("MSCCL's algorithm '{}'.", program_.name);
  }
  [[nodiscard]] bool serves(CollectiveType type) const override { return type == program_.collective; }
  [[nodiscard]] std::optional<std::string> hindrance(const GroupPlan& plan, const Op& op) const override {
    if (plan.size() != program_.gpus.size()) return fmt::format("is made for {} GPUs", program_.gpus.size());
    if (op.split != 0) return "moves equal parts alone";
    return std::nullopt;
  }
  [[nodiscard]] ProtocolRule protocol_rule() const override { return ProtocolRule::own; }
  [[nodiscard]] Protocol own_protocol() const override { return program_.protocol; }
  [[nodiscard]] SimTime start_delay(const GroupPlan& plan, const Op&, Protocol protocol) const override {
    return plan.nccl->base(protocol);
  }
  [[nodiscard]] CollectivePlan plan(const CollectiveInput& in) const override;

 private:
  std::string name_;
  MscclProgram program_;
};

/// The rounds of one member: one a step, two of a step that receives and sends.
class Rounds {
 public:
  Rounds(const CollectiveInput& in, const MscclProgram& program)
      : in_(in),
        gpu_(program.gpus[in.group.my_index]),
        places_(in),
        last_(gpu_.blocks.size(), ExchangePlan::none) {
    const std::int64_t unit = std::max<std::int64_t>(1, in.op.element_bytes);
    const std::int64_t units = (in.op.bytes + unit - 1) / unit;
    chunk_ = (units + program.chunks - 1) / program.chunks * unit;
    const NcclSettings& nccl = *in.plan.nccl;
    const std::int64_t most =
        nccl.chunk_bytes(in.protocol) * (in.protocol == Protocol::simple ? nccl.ring_chunk_steps : 1);
    loops_ = std::clamp<std::int64_t>((chunk_ + most - 1) / most, 1, most_loops);
  }

  ExchangePlan take() && {
    all_.is_out_of_order = true;
    for (std::int64_t loop = 0; loop < loops_; ++loop) {
      bytes_ = part_bytes(chunk_, in_.op.element_bytes, static_cast<std::uint32_t>(loops_),
                          static_cast<std::uint32_t>(loop));
      number();
      for (std::uint32_t b = 0; b < gpu_.blocks.size(); ++b)
        for (const MscclStep& step : gpu_.blocks[b].steps) add(b, step);
    }
    return std::move(all_);
  }

 private:
  /// The last round of each step of this loop: steps of other blocks may come later in the list.
  void number() {
    auto next = static_cast<std::uint32_t>(all_.rounds.size());
    end_of_.assign(gpu_.blocks.size(), {});
    for (std::size_t b = 0; b < gpu_.blocks.size(); ++b)
      for (const MscclStep& step : gpu_.blocks[b].steps) {
        next += step.receives() && step.sends() ? 2 : 1;
        end_of_[b].push_back(next - 1);
      }
  }

  void add(std::uint32_t b, const MscclStep& step) {
    const MscclBlock& block = gpu_.blocks[b];
    ExchangePlan::Round round;
    round.lane = block.channel;
    round.after = last_[b];
    if (step.after_block >= 0 && step.after_step >= 0)
      round.also_after =
          end_of_[static_cast<std::size_t>(step.after_block)][static_cast<std::size_t>(step.after_step)];
    const std::int64_t payload = step.count * bytes_;
    const bool is_local = step.kind == MscclStepKind::copy || step.kind == MscclStepKind::reduce;
    if (is_local) {
      // The GPU's memory reads and writes it.
      round.lane = first_copy_lane + b;
      add_message(round.sends, message(in_.group.my_index, payload));
      push(b, round);
      all_.rounds.back().receives = all_.rounds.back().sends;
      return;
    }
    if (step.receives()) {
      ExchangePlan::Round receive = round;
      add_message(receive.receives, message(static_cast<std::uint32_t>(block.receive_from), payload));
      push(b, receive);
      round.after = last_[b], round.also_after = ExchangePlan::none;
      if (!step.sends()) return;
    }
    if (step.sends()) add_message(round.sends, message(static_cast<std::uint32_t>(block.send_to), payload));
    push(b, round);
  }

  void push(std::uint32_t b, ExchangePlan::Round round) {
    last_[b] = static_cast<std::uint32_t>(all_.rounds.size());
    all_.rounds.push_back(std::move(round));
  }

  [[nodiscard]] ExchangePlan::Message message(std::uint32_t index, std::int64_t payload) const {
    const NcclSettings& nccl = *in_.plan.nccl;
    const Medium via = places_.medium(index);
    if (via == Medium::local) return {places_.member(index), payload, payload, SimTime{0}};
    return {places_.member(index), payload, nccl.wire_bytes(in_.protocol, via, payload),
            nccl.software(in_.protocol, via)};
  }

  const CollectiveInput& in_;
  const MscclGpu& gpu_;
  ExchangePlaces places_;
  std::vector<std::uint32_t> last_;                 ///< round, by thread block
  std::vector<std::vector<std::uint32_t>> end_of_;  ///< round, by thread block and step
  std::int64_t chunk_ = 0, loops_ = 1, bytes_ = 0;
  ExchangePlan all_;
};

CollectivePlan MscclAlgorithm::plan(const CollectiveInput& in) const {
  return Rounds(in, program_).take();
}

}  // namespace

std::shared_ptr<const CollectiveAlgorithm> msccl_algorithm(const std::string& name, const std::string& path) {
  MscclProgram program = read_msccl(path);
  check_msccl(program);
  return std::make_shared<const MscclAlgorithm>(name, std::move(program));
}

}  // namespace lightrail
