#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/import/aicb/aicb_rows.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// Group kinds of a workload with tensor, data, expert and pipeline parallelism, the GPUs numbered tp first,
/// then dp, then stages.
struct AicbGroups {
  struct Place {
    GroupKindId kind{};
    std::uint16_t dimension = no_dimension;
    std::uint32_t size = 1;
  };
  std::array<Place, 5> of;  ///< by AicbGroup
  Place stages;
  AicbGroups(const AicbWorkload& workload, JobBuilder& job);
  const Place& operator[](AicbGroup group) const { return of[static_cast<std::size_t>(group)]; }
};

/// Writes operations that follow one another: a computation or a blocking collective starts when the one
/// before has ended.
class AicbWriter {
 public:
  AicbWriter(const AicbGroups& groups, JobOutput& output);

  void compute(std::int64_t duration_ns, std::uint32_t name);
  /// `split` applies to an all-to-all over the expert group.
  void collective(const AicbPart& part, std::uint32_t name, std::uint16_t split, bool is_blocking);
  /// After the last collective that does not block.
  void update(std::int64_t duration_ns, std::uint32_t name);
  void send(std::int32_t stage_offset, std::int64_t bytes, bool is_forward);
  void receive(std::int32_t stage_offset, std::int64_t bytes, bool is_forward);
  /// Index of the program.
  std::uint32_t end(const std::string& role) { return output_.end(role, streams_); }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint16_t stream(const std::string& name);
  std::uint32_t add(const std::string& stream, Op op, std::uint32_t after);
  Op message(std::int32_t stage_offset, std::int64_t bytes, bool is_forward) const;

  const AicbGroups& groups_;
  JobOutput& output_;
  std::vector<std::string> streams_;
  std::uint32_t last_ = none, last_free_ = none;
  std::uint32_t send_ = 0, receive_ = 0;
};

}  // namespace lightrail
