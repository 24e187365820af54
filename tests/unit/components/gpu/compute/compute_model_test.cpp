#include "components/gpu/compute/compute_model.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail {
namespace {

ComputeSpec catalogue_gpu(const std::string& name) {
  // A scenario of one element: the catalogue entry itself.
  Scenario scenario =
      load_scenario("tests/data/gpu_kernels/one_gpu.xml", {{"gpu=" + name}, Catalogue("configs")});
  const Element* gpu = scenario.root.child("gpu");
  ComputeSpec spec;
  ErrorList errors;
  parse_compute(*gpu, AttentionLibrary::catalogue, spec, errors);
  REQUIRE(parse_value(gpu->find("sms")->value, spec.sms).empty());
  REQUIRE(parse_value(gpu->find("memory-bandwidth")->value, spec.memory_bandwidth).empty());
  errors.throw_if_any();
  return spec;
}

std::vector<std::vector<std::string>> read_csv(const std::string& path) {
  std::ifstream in(path);
  REQUIRE(in);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

struct Errors {
  std::vector<double> values;
  void add(SimTime simulated, double measured_us) {
    values.push_back(std::abs(static_cast<double>(simulated.count()) * 1e-6 / measured_us - 1));
  }
  double quantile(double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  }
};

const std::map<std::string, std::string> catalogue_of = {
    {"a100_sxm", "a100_sxm_80gb"}, {"h100_sxm", "h100_sxm"}, {"h200_sxm", "h200_sxm"},
    {"b200_sxm", "b200_sxm"},      {"gb200", "gb200"},       {"gb300", "gb300"}};

}  // namespace

TEST_CASE("GEMM times are within 10 % (median) and 35 % (95th percentile) of the measured ones") {
  std::map<std::string, Errors> errors;
  std::map<std::string, ComputeSpec> gpus;
  for (const auto& [system, name] : catalogue_of) gpus[system] = catalogue_gpu(name);
  for (const auto& row : read_csv("tests/data/gpu_kernels/gemm.csv")) {
    KernelShape shape;
    for (const auto& [type, value] : data_type_names())
      if (type == row[1]) shape.dtype = value;
    REQUIRE(to_string(shape.dtype) == row[1]);
    shape.m = std::stoll(row[2]), shape.n = std::stoll(row[3]), shape.k = std::stoll(row[4]);
    errors[row[0] + " " + row[1]].add(kernel_time(gpus.at(row[0]), shape), std::stod(row[5]));
  }
  REQUIRE(errors.size() == 5 + 3 * 4);
  for (auto& [name, e] : errors) {
    INFO(name << ": median " << e.quantile(0.5) << ", 95th percentile " << e.quantile(0.95));
    CHECK(e.quantile(0.5) < 0.10);
    CHECK(e.quantile(0.95) < 0.35);
  }
}

TEST_CASE("attention times are within 10 % (median) and 35 % (95th percentile)") {
  Errors prefill, decode;
  ComputeSpec h100 = catalogue_gpu("h100_sxm");
  for (const auto& row : read_csv("tests/data/gpu_kernels/attention.csv")) {
    KernelShape shape;
    shape.kind = KernelKind::attention;
    shape.causal = 1;
    shape.batch = std::stoll(row[2]);
    bool is_prefill = row[1] == "context_attention";
    shape.m = is_prefill ? std::stoll(row[3]) : 1;
    shape.n = is_prefill ? shape.m : std::stoll(row[4]) + 1;
    shape.heads = std::stoll(row[5]), shape.kv_heads = std::stoll(row[6]),
    shape.head_dim = std::stoll(row[7]);
    if (is_prefill && shape.m == 1) continue;  // one token: timed as decode, measured as prefill
    (is_prefill ? prefill : decode).add(kernel_time(h100, shape), std::stod(row[8]));
  }
  INFO("prefill " << prefill.quantile(0.5) << " " << prefill.quantile(0.95) << ", decode "
                  << decode.quantile(0.5) << " " << decode.quantile(0.95));
  CHECK(prefill.quantile(0.5) < 0.10);
  CHECK(prefill.quantile(0.95) < 0.35);
  CHECK(decode.quantile(0.5) < 0.10);
  CHECK(decode.quantile(0.95) < 0.35);
}

TEST_CASE("a memory-bound kernel takes its latency and its bytes over the reachable bandwidth") {
  ComputeSpec spec;
  spec.memory_bandwidth = BitRate{8'000'000'000'000};  // 1 TB/s
  spec.memory_kernel = MemoryKernelSpec{microseconds(2), 0.5};
  KernelShape shape;
  shape.kind = KernelKind::memory_bound;
  shape.bytes = 1'000'000;
  CHECK(kernel_time(spec, shape) == microseconds(4));
  shape.batch = 3;  // kernels that share the bytes
  CHECK(kernel_time(spec, shape) == microseconds(8));
}

TEST_CASE("a backward attention kernel takes more, in proportion to its work") {
  ComputeSpec h100 = catalogue_gpu("h100_sxm");
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.batch = 8, shape.m = shape.n = 8192, shape.heads = 32, shape.kv_heads = 8, shape.head_dim = 128,
  shape.causal = 1;
  auto forward = static_cast<double>(kernel_time(h100, shape).count());
  shape.backward = 1;
  auto backward = static_cast<double>(kernel_time(h100, shape).count());
  CHECK(backward / forward == Approx(2.5).epsilon(0.02));
}

// 16 heads of 128, as published of FlashAttention 4 on a Blackwell GPU: share of the peak, forward alone
// (Dao-AILab/flash-attention pull request 2605).
TEST_CASE("forward attention on B200 is within 17 % of every published share of the peak, 8 % on average") {
  const ComputeSpec b200 = catalogue_gpu("b200_sxm");
  struct Row {
    std::uint8_t causal;
    std::int64_t batch, keys;
    double share;
  };
  double sum = 0;
  const std::vector<Row> rows{{0, 32, 1024, 0.616}, {0, 16, 2048, 0.682}, {0, 8, 4096, 0.718},
                              {0, 4, 8192, 0.735},  {0, 2, 16384, 0.753}, {1, 32, 1024, 0.332},
                              {1, 16, 2048, 0.469}, {1, 8, 4096, 0.572}};
  for (const Row& row : rows) {
    KernelShape shape;
    shape.kind = KernelKind::attention;
    shape.batch = row.batch, shape.m = shape.n = row.keys, shape.heads = shape.kv_heads = 16;
    shape.head_dim = 128, shape.causal = row.causal;
    const double work =
        (row.causal != 0 ? 2.0 : 4.0) * 16 * 128 * static_cast<double>(row.batch * row.keys * row.keys);
    const double taken = static_cast<double>(kernel_time(b200, shape).count()) * 1e-12;
    const double error = std::abs(work / (taken * 2250e12) / row.share - 1);
    INFO((row.causal != 0 ? "causal " : "full ") << row.keys << ": " << error);
    CHECK(error < 0.17);
    sum += error;
  }
  CHECK(sum / static_cast<double>(rows.size()) < 0.08);
}

// The same, forward and backward (the mean of two kernels) in one run, 4 x 8,192 keys (pull request 2280).
TEST_CASE("attention on B200 takes as many times longer backward as published") {
  const ComputeSpec b200 = catalogue_gpu("b200_sxm");
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.batch = 4, shape.m = shape.n = 8192, shape.heads = shape.kv_heads = 16, shape.head_dim = 128;
  const auto backward_over_forward = [&](std::uint8_t causal) {
    shape.causal = causal, shape.backward = 0;
    const auto forward = static_cast<double>(kernel_time(b200, shape).count());
    shape.backward = 1;
    return static_cast<double>(kernel_time(b200, shape).count()) / forward;
  };
  CHECK(backward_over_forward(0) == Approx((4.407 + 4.043) / 2 / 1.433).epsilon(0.05));
  CHECK(backward_over_forward(1) == Approx((2.459 + 2.274) / 2 / 0.775).epsilon(0.05));
}

// 4 x 128 x 128 multiply-adds a query tile and key at 1 TFLOP/s an SM and 1/2 of it: 2^16 keys x 64 tiles on
// 64 SMs take 65,536 x 65,536 / 0.5 x 1e-12 = 8.59 ms, back 2.5 times that at a quarter instead of a half.
TEST_CASE("backward attention has an efficiency of its own, forward attention's where none is given") {
  ComputeSpec spec;
  spec.sms = 64;
  spec.memory_bandwidth = BitRate{8'000'000'000'000'000};
  spec.gemms.push_back({.peak = Flops{64e12}});
  spec.attention = AttentionSpec{.efficiency = 0.5, .overlap = 32, .decode_overlap = 1};
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.batch = 1, shape.m = 64 * 128, shape.n = 65'536, shape.heads = shape.kv_heads = 1;
  shape.head_dim = 128;
  const auto time = [&] { return static_cast<double>(kernel_time(spec, shape).count()); };
  const double forward = 65'536.0 * 65'536 / 0.5;
  CHECK(time() == Approx(forward).epsilon(1e-3));
  shape.backward = 1;
  CHECK(time() == Approx(2.5 * forward).epsilon(1e-3));
  spec.attention->backward_efficiency = 0.25;
  CHECK(time() == Approx(5 * forward).epsilon(1e-3));
  shape.backward = 0;
  CHECK(time() == Approx(forward).epsilon(1e-3));
}

TEST_CASE(
    "attention whose values are shorter than its queries takes two such products forward, and back three and "
    "two") {
  const ComputeSpec h100 = catalogue_gpu("h100_sxm");
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.batch = 1, shape.m = shape.n = 131'072, shape.heads = shape.kv_heads = 64, shape.causal = 1;
  auto time = [&](std::int64_t query, std::int64_t value) {
    shape.head_dim = query, shape.k = value;
    return static_cast<double>(kernel_time(h100, shape).count());
  };
  // DeepSeek-V3: queries of 192, values of 128; as far as products count, heads of 160 forward.
  CHECK(time(192, 128) == time(160, 160));
  CHECK(time(160, 0) == time(160, 160));
  shape.backward = 1;
  CHECK(time(192, 128) / time(160, 160) == Approx((3 * 192 + 2 * 128) / 800.0).epsilon(0.002));
}

TEST_CASE("attention of absorbed latents is bound by products with many heads, by memory with few") {
  // FlashMLA on H800 SXM5 (deepseek-ai/FlashMLA, README of 2025-02 and 2025-04): 580, then 660 TFLOP/s where
  // products count, 3000 GB/s where memory does.
  const ComputeSpec h100 = catalogue_gpu("h100_sxm");
  KernelShape shape;
  shape.kind = KernelKind::attention;
  shape.batch = 128, shape.m = 1, shape.n = 8192, shape.kv_heads = 1;
  shape.head_dim = 576, shape.k = 512, shape.bytes = 2 * 576;
  auto seconds = [&](std::int64_t heads) {
    shape.heads = heads;
    return static_cast<double>(kernel_time(h100, shape).count()) * 1e-12;
  };
  const double keys = 128.0 * 8192;
  const double tflops = 2 * 128 * keys * (576 + 512) / seconds(128) * 1e-12;
  const double gbytes = keys * 1152 / seconds(16) * 1e-9;
  INFO(tflops << " TFLOP/s, " << gbytes << " GB/s");
  CHECK((tflops > 0.8 * 660 && tflops < 660));
  CHECK((gbytes > 0.9 * 3000 && gbytes < 3000));
  // Twice the heads, twice the products; with few heads the latents that are read stay the same.
  CHECK(seconds(256) / seconds(128) == Approx(2).epsilon(0.02));
  CHECK(seconds(32) / seconds(16) == Approx(1).epsilon(0.02));
}

TEST_CASE("a kernel that a GPU has no figures for is named") {
  ComputeSpec a100 = catalogue_gpu("a100_sxm_80gb");
  KernelShape shape;
  shape.dtype = DataType::fp8;
  CHECK(missing_for(a100, shape) == "no <gemm dtype=\"fp8\">");
  shape.dtype = DataType::fp16;
  CHECK(missing_for(a100, shape).empty());
  ComputeSpec h100 = catalogue_gpu("h100_sxm");
  shape.dtype = DataType::fp8, shape.scaling = Scaling::rowwise;
  CHECK(missing_for(h100, shape).empty());
  std::erase_if(h100.gemms, [](const GemmSpec& g) { return g.scaling == Scaling::rowwise; });
  CHECK(missing_for(h100, shape) == "no <gemm dtype=\"fp8\" scaling=\"rowwise\">");
  shape.scaling = Scaling::tensorwise;
  CHECK(missing_for(h100, shape).empty());
}

TEST_CASE("an FP8 product takes the figures of its own scaling") {
  ComputeSpec spec;
  spec.sms = 100;
  spec.memory_bandwidth = BitRate{8'000'000'000'000'000};
  GemmSpec gemm;
  gemm.dtype = DataType::fp8, gemm.peak = Flops{1e15}, gemm.efficiency = 0.5;
  spec.gemms.push_back(gemm);
  gemm.scaling = Scaling::rowwise, gemm.efficiency = 0.25;
  spec.gemms.push_back(gemm);
  KernelShape shape;
  shape.dtype = DataType::fp8, shape.m = 1280, shape.n = 2560, shape.k = 1'000'000;  // 100 tiles
  const auto tensorwise = static_cast<double>(kernel_time(spec, shape).count());
  CHECK(tensorwise == Approx(2.0 * 1280 * 2560 * 1e6 / 0.5e15 * 1e12).epsilon(1e-3));
  shape.scaling = Scaling::rowwise;
  CHECK(static_cast<double>(kernel_time(spec, shape).count()) == Approx(2 * tensorwise).epsilon(1e-3));
  std::vector<std::string> names;
  for (const ParameterValue& value : compute_values(spec))
    if (value.name.find("efficiency") != std::string::npos && value.name.find("memory") == std::string::npos)
      names.push_back(value.name);
  CHECK(names == std::vector<std::string>{"gemm fp8 efficiency", "gemm fp8 rowwise efficiency"});
}

TEST_CASE(
    "rowwise products of the catalogue's devices are slower than tensorwise ones, as measured on H100") {
  // pytorch/FBGEMM#2764: cuBLAS and CUTLASS rowwise, medians [us].
  const std::vector<std::array<double, 5>> measured{{4176, 12288, 4096, 310.302, 317.47},
                                                    {4176, 4096, 12288, 330.399, 363.486},
                                                    {3456, 6144, 4096, 131.935, 132.063},
                                                    {3456, 4096, 6144, 138.687, 140.447}};
  for (const char* gpu : {"h100_sxm", "h200_sxm"}) {
    const ComputeSpec spec = catalogue_gpu(gpu);
    double wanted = 1, found = 1;
    for (const auto& [m, n, k, tensorwise, rowwise] : measured) {
      KernelShape shape;
      shape.dtype = DataType::fp8;
      shape.m = static_cast<std::int64_t>(m), shape.n = static_cast<std::int64_t>(n),
      shape.k = static_cast<std::int64_t>(k);
      const auto one = static_cast<double>(kernel_time(spec, shape, Load::lasting).count());
      shape.scaling = Scaling::rowwise;
      found *= static_cast<double>(kernel_time(spec, shape, Load::lasting).count()) / one;
      wanted *= rowwise / tensorwise;
    }
    CAPTURE(gpu, std::pow(found, 0.25), std::pow(wanted, 0.25));
    CHECK(std::pow(found, 0.25) == Approx(std::pow(wanted, 0.25)).epsilon(0.005));
  }
}

}  // namespace lightrail
