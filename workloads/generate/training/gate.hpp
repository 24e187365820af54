#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// Where the gate of a mixture of experts sends tokens: <gate tokens="9810 5338 ...; 9278 ...; ..."/>, a row
/// for each member of an expert-parallel group, a column for each member's experts; of a larger group, as
/// many neighbours share a row and a column. Or <gate zipf="1"/>: a row and a column for each member, all
/// rows alike, the experts' shares drawn for every layer. Or, with expert-balance="forced", what random
/// scores send, drawn for every layer and member.
struct Gate {
  std::vector<std::int64_t> tokens;  ///< rows x rows; empty: even, or Zipf's
  std::uint32_t rows = 0, size = 0;  ///< size: members; 0: no gate is given
  bool rotates = false;              ///< layer l sends to row j + l what layer 0 sends to row j
  double skew = 1;                   ///< shares to the power of this: 0 even, above 1 more uneven
  double drift = 0;                  ///< rows that the load moves on in each micro-batch
  std::int64_t first = 0;            ///< number of the step's first micro-batch, which has drifted so often
  bool drifts_over_iterations =
      false;                  ///< the next iteration drifts on from this one, else all have one load
  double zipf = 0;            ///< exponent
  std::uint64_t seed = 1;     ///< which expert is the k-th busiest
  std::uint32_t experts = 0;  ///< of all members together
  /// Instead of all this: every copy of a token draws its expert; of a sender so many, of which an expert
  /// takes no more than its capacity.
  std::int64_t drawn_copies = 0, expert_capacity = 0;

  [[nodiscard]] bool is_given() const { return size > 0; }
  [[nodiscard]] bool is_even() const { return tokens.empty() ? zipf == 0 && drawn_copies == 0 : skew == 0; }
};

/// Reads the <gate> of `workload`, which has expert groups of `members` for so many experts; even without
/// one.
void read_gate(const Element& workload, std::uint32_t members, std::int64_t experts, Gate& gate,
               ErrorList& errors);
/// Attributes of <gate>.
[[nodiscard]] std::vector<ParameterDoc> gate_documentation();

/// The all-to-alls of one layer: dispatch, and combine, which sends back what dispatch brought. All members
/// have one buffer size; what a member has less than the largest stays with itself.
struct GateSplits {
  std::uint16_t dispatch = 0, combine = 0;  ///< indices of split matrices; 0: even
  double combine_bytes = 1;                 ///< buffer of combine over that of dispatch
  std::uint16_t load = 0;  ///< a matrix whose columns are what members receive over their average; 0: even
  double kept = 1;         ///< share of the tokens that experts take
};
/// Where one layer's tokens go in one micro-batch.
struct GateShares {
  std::vector<double> share;    ///< size x size: of a sender's tokens, by receiver; dropped ones are in none
  std::vector<double> dropped;  ///< by sender, of its tokens
  double kept = 1;              ///< tokens that all experts take, over a sender's
  /// What every member receives, over what a member sends.
  [[nodiscard]] std::vector<double> received() const;
};
/// Of an uneven gate. `max_share`: of a sender's tokens, the largest share that one member's experts take
/// (their capacity); what is beyond is dropped.
[[nodiscard]] GateShares gate_shares(const Gate& gate, std::int64_t layer, std::int64_t micro_batch,
                                     double max_share);

/// Adds the matrices of one layer and micro-batch to the job; even ones are not added.
[[nodiscard]] GateSplits add_gate_splits(const Gate& gate, std::int64_t layer, std::int64_t micro_batch,
                                         double max_share, JobBuilder& job);

}  // namespace lightrail
