#include "workloads/generate/inference/inference_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/base/random.hpp"
#include "engine/model/describe.hpp"

namespace lightrail {
namespace {

enum Purpose : std::uint32_t { gaps = 101, prompts, outputs };

constexpr std::uint32_t max_requests = 10'000'000, max_tokens = 1u << 24;
constexpr Bytes max_token_bytes{1ll << 20};

Describe<RequestsSpec> requests_table() {
  using S = RequestsSpec;
  Describe<S> table;
  table.field("trace", &S::trace, "CSV with the columns arrival_s, prompt_tokens, output_tokens")
      .field("count", &S::count, "requests", 1u, max_requests)
      .field("rate", &S::rate, "requests a second, on average", 1e-6, 1e9)
      .choice("arrivals", &S::arrivals, "independent, with equal gaps, or all at the start",
              {{"poisson", ArrivalKind::poisson}, {"even", ArrivalKind::even}, {"burst", ArrivalKind::burst}})
      .field("prompt", &S::prompt, "tokens of a prompt", 1u, max_tokens)
      .field("output", &S::output, "tokens of an answer", 1u, max_tokens)
      .choice("lengths", &S::lengths, "how prompt and output are spread",
              {{"fixed", LengthKind::fixed},
               {"uniform", LengthKind::uniform},
               {"lognormal", LengthKind::lognormal}})
      .field("spread", &S::spread,
             "uniform: relative half width; lognormal: standard deviation of the logarithm", 0.0, 10.0)
      .field("longest", &S::longest, "no drawn length is above [tokens]", 1u, max_tokens)
      .field("request-bytes", &S::request_bytes,
             "of a request on its way in, beside its prompt: headers, an image (with <users>)", Bytes{0},
             Bytes{1ll << 40})
      .field("prompt-bytes", &S::prompt_bytes, "of a token of a prompt on its way in", Bytes{1},
             max_token_bytes)
      .field("token-bytes", &S::token_bytes, "of a token of an answer on its way to its user", Bytes{1},
             max_token_bytes);
  return table;
}

std::uint32_t draw_length(const RequestsSpec& spec, std::uint32_t middle, Random& random) {
  double length = middle;
  if (spec.lengths == LengthKind::uniform) length *= 1 + spec.spread * (2 * random.uniform() - 1);
  if (spec.lengths == LengthKind::lognormal) length *= std::exp(spec.spread * random.normal(0, 1));
  const std::uint32_t most = spec.lengths == LengthKind::fixed ? max_tokens : spec.longest;
  return static_cast<std::uint32_t>(std::clamp(std::round(length), 1.0, static_cast<double>(most)));
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells{""};
  for (char c : line) {
    if (c == ',')
      cells.emplace_back();
    else if (c != ' ' && c != '\t' && c != '\r' && c != '"')
      cells.back() += c;
  }
  return cells;
}

/// "12.345" seconds, exactly, down to a picosecond.
bool to_time(const std::string& text, SimTime& time) {
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string digits = text.substr(0, dot), rest = dot < text.size() ? text.substr(dot + 1) : "";
  if (digits.empty() && rest.empty()) return false;
  if (rest.find_first_not_of("0123456789") != std::string::npos) return false;  // 8.9e-05
  rest.resize(12, '0');
  digits += rest;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  time = SimTime{value};
  return code == std::errc{} && end == digits.data() + digits.size() && value >= 0;
}

bool to_tokens(const std::string& text, std::uint32_t& tokens) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), tokens);
  return code == std::errc{} && end == text.data() + text.size() && tokens >= 1 && tokens <= max_tokens;
}

void check_drawn(const Element& element, const RequestsSpec& spec, WorkloadContext& context) {
  if (spec.lengths == LengthKind::fixed)
    for (const char* drawn : {"spread", "longest"})
      if (element.find(drawn)) context.add_error(element, drawn, "has no effect with lengths = 'fixed'");
  // More than twice the mean of so many gaps does not come up. SimTime ends at 9.2e6 s.
  if (spec.arrivals != ArrivalKind::burst && (2.0 * spec.count + 40) / spec.rate > 9e6)
    context.errors.add(element.error(
        fmt::format("<requests>: {} requests at {} a second last longer than a run can (106 days)",
                    spec.count, spec.rate)));
}

}  // namespace

std::vector<ParameterDoc> requests_documentation() {
  return requests_table().documentation();
}

std::vector<ServingRequest> draw_requests(const RequestsSpec& spec, std::uint64_t seed) {
  Random gap(seed, ComponentId{}, gaps), prompt(seed, ComponentId{}, prompts),
      output(seed, ComponentId{}, outputs);
  std::vector<ServingRequest> requests;
  SimTime at{};
  for (std::uint32_t i = 0; i < spec.count; ++i) {
    // Whole nanoseconds hide the last bits of libm.
    const double mean_ns = 1e9 / spec.rate;
    if (spec.arrivals == ArrivalKind::poisson) at += nanoseconds(std::llround(gap.exponential(mean_ns)));
    if (spec.arrivals == ArrivalKind::even && i > 0) at += nanoseconds(std::llround(mean_ns));
    requests.push_back({at, draw_length(spec, spec.prompt, prompt), draw_length(spec, spec.output, output)});
  }
  return requests;
}

std::vector<ServingRequest> read_requests(const std::string& path) {
  std::ifstream file(path);
  int number = 0;
  const auto fail = [&](const std::string& what) { throw InputErrors(InputError{path, number, what}); };
  if (!file) fail("cannot open the trace of requests");
  std::string line;
  std::getline(file, line);
  number = 1;
  const std::vector<std::string> names = cells_of(line);
  std::vector<std::size_t> column;
  for (const char* name : {"arrival_s", "prompt_tokens", "output_tokens"}) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail(fmt::format("the first line names no column '{}'", name));
    column.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  std::vector<ServingRequest> requests;
  while (std::getline(file, line)) {
    ++number;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (cells.size() != names.size())
      fail(fmt::format("{} cells, the first line has {}", cells.size(), names.size()));
    ServingRequest request;
    if (!to_time(cells[column[0]], request.arrival))
      fail(fmt::format("invalid arrival '{}' (expected seconds: 12.5)", cells[column[0]]));
    if (!to_tokens(cells[column[1]], request.prompt) || !to_tokens(cells[column[2]], request.output))
      fail(fmt::format("invalid tokens '{}', '{}' (expected 1 ... {})", cells[column[1]], cells[column[2]],
                       max_tokens));
    if (!requests.empty() && request.arrival < requests.back().arrival)
      fail("arrives before the request above it");
    requests.push_back(request);
  }
  if (requests.empty()) fail("the trace has no request");
  return requests;
}

std::vector<ServingRequest> make_requests(WorkloadContext& context, UserTraffic& users) {
  const Element* element = context.element.child("requests");
  if (!element) {
    context.errors.add(context.element.error("<workload> kind 'inference' lacks its <requests/>"));
    return {};
  }
  RequestsSpec spec;
  const std::size_t before = context.errors.size();
  requests_table().parse(*element, spec, context.errors);
  const bool has_count = element->find("count") != nullptr;
  if (has_count == !spec.trace.empty())
    context.errors.add(element->error("<requests> needs one of 'count' and 'trace'"));
  if (!spec.trace.empty())
    for (const char* drawn : {"rate", "arrivals", "prompt", "output", "lengths", "spread", "longest"})
      if (element->find(drawn)) context.add_error(*element, drawn, "has no effect beside 'trace'");
  if (context.gateways == 0)
    for (const char* sent : {"request-bytes", "prompt-bytes", "token-bytes"})
      if (element->find(sent)) context.add_error(*element, sent, "has no effect without <users>");
  if (context.errors.size() > before) return {};
  users.request_bytes = spec.request_bytes.value;
  users.prompt_bytes = spec.prompt_bytes.value, users.token_bytes = spec.token_bytes.value;
  if (spec.trace.empty()) check_drawn(*element, spec, context);
  if (context.errors.size() > before) return {};
  if (spec.trace.empty()) return draw_requests(spec, context.seed);
  const Attribute* trace = element->find("trace");
  try {
    return read_requests((std::filesystem::path(trace->file).parent_path() / spec.trace).lexically_normal());
  } catch (const InputErrors& problem) {
    for (const InputError& error : problem.errors()) context.errors.add(error);
    return {};
  }
}

}  // namespace lightrail
