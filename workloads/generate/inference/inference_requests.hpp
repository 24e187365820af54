#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/job/workload_context.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

enum class ArrivalKind : std::uint8_t {
  poisson,  ///< independent gaps, exponential
  even,     ///< equal gaps
  burst     ///< all at the start
};
enum class LengthKind : std::uint8_t {
  fixed,
  uniform,   ///< between (1 - spread) and (1 + spread) times the given length
  lognormal  ///< median as given, standard deviation of the logarithm: spread
};

/// <requests count="200" rate="8" prompt="1024" output="128"/> or <requests trace="requests.csv"/>.
struct RequestsSpec {
  std::string trace;
  std::uint32_t count = 0;
  double rate = 1;  ///< [1/s]
  ArrivalKind arrivals = ArrivalKind::poisson;
  std::uint32_t prompt = 1024, output = 128;  ///< [tokens]
  LengthKind lengths = LengthKind::fixed;
  double spread = 0.5;
  std::uint32_t longest = 131'072;                          ///< no drawn length is above [tokens]
  Bytes request_bytes{0}, prompt_bytes{4}, token_bytes{4};  ///< as UserTraffic has them
};

[[nodiscard]] std::vector<ParameterDoc> requests_documentation();

/// Requests that the spec draws. They depend on the seed and the request's number only: a higher rate has the
/// same requests, closer together.
[[nodiscard]] std::vector<ServingRequest> draw_requests(const RequestsSpec& spec, std::uint64_t seed);

/// Requests of a CSV file whose first line names its columns, arrival_s, prompt_tokens and output_tokens
/// among them, in the order of arrival. Throws InputErrors with the line.
[[nodiscard]] std::vector<ServingRequest> read_requests(const std::string& path);

/// Reads the <requests> of an inference workload, and what they take on their way; mistakes go to the
/// context's errors.
[[nodiscard]] std::vector<ServingRequest> make_requests(WorkloadContext& context, UserTraffic& users);

}  // namespace lightrail
