#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/compute/compute_model.hpp"

namespace lightrail {
namespace {

template <class XSpec>
void add_values(const std::string& prefix, const Describe<XSpec>& table, const XSpec& spec,
                std::vector<ParameterValue>& all) {
  for (ParameterValue& value : table.values(spec)) {
    value.name = prefix + value.name;
    all.push_back(std::move(value));
  }
}

}  // namespace

std::string name_of(DataType dtype, Scaling scaling) {
  return std::string(to_string(dtype)) + (scaling == Scaling::rowwise ? " rowwise" : "");
}

Describe<GemmSpec> gemm_parameters() {
  return Describe<GemmSpec>()
      .choice("dtype", &GemmSpec::dtype, "data type of the operands", data_type_names())
      .choice("scaling", &GemmSpec::scaling, "FP8: what shares a scale, a tensor or a row and column",
              {{"tensorwise", Scaling::tensorwise}, {"rowwise", Scaling::rowwise}})
      .required("peak", &GemmSpec::peak, "dense peak of the datasheet", Flops{1e9}, Flops{1e18})
      .required("latency", &GemmSpec::latency, "time of the smallest kernel", SimTime{0}, milliseconds(1))
      .required("efficiency", &GemmSpec::efficiency, "share of the peak of full 128 x 256 tiles", 0.01, 1.0)
      .field("prologue", &GemmSpec::prologue, "fill and drain of a tile, in steps along k", 0.0, 4096.0)
      .required("memory-efficiency", &GemmSpec::memory_efficiency, "share of the HBM bandwidth", 0.01, 1.0)
      .field("quantisation", &GemmSpec::quantisation, "1: whole waves of tiles; 0: fractions", 0.0, 1.0)
      .field("overlap", &GemmSpec::overlap, "power of the norm that joins compute and memory time", 1.0, 32.0)
      .field("casts", &GemmSpec::casts, "isolated times include casting the left operand")
      .field("sustained", &GemmSpec::sustained, "share of the fitted speed under lasting load", 0.1, 1.0)
      .field("tile-64x64", &GemmSpec::tile_64x64, "relative efficiency of 64 x 64 tiles", 0.01, 1.0)
      .field("tile-64x128", &GemmSpec::tile_64x128, "relative efficiency of 64 x 128 tiles", 0.01, 1.0)
      .field("tile-128x128", &GemmSpec::tile_128x128, "relative efficiency of 128 x 128 tiles", 0.01, 1.0);
}

const std::vector<std::pair<std::string, AttentionLibrary>>& attention_library_names() {
  static const std::vector<std::pair<std::string, AttentionLibrary>> all{
      {"catalogue", AttentionLibrary::catalogue},
      {"cudnn", AttentionLibrary::cudnn},
      {"flash-attention-2", AttentionLibrary::flash_attention_2},
      {"flash-attention-3", AttentionLibrary::flash_attention_3},
      {"flash-attention-4", AttentionLibrary::flash_attention_4},
      {"tensorrt-llm", AttentionLibrary::tensorrt_llm}};
  return all;
}

Describe<AttentionSpec> attention_parameters() {
  return Describe<AttentionSpec>()
      .choice("library", &AttentionSpec::library,
              "whose kernels these figures are of; catalogue: those that a GPU has unless it names others",
              attention_library_names())
      .required("latency", &AttentionSpec::latency, "time of the smallest kernel", SimTime{0},
                milliseconds(1))
      .required("efficiency", &AttentionSpec::efficiency, "share of the bf16 peak, long sequences", 0.01, 1.0)
      .field("prologue", &AttentionSpec::prologue, "work of a query tile beside its keys, in keys", 0.0,
             4096.0)
      .required("memory-efficiency", &AttentionSpec::memory_efficiency, "share of the HBM bandwidth", 0.01,
                1.0)
      .field("overlap", &AttentionSpec::overlap, "power of the norm that joins compute and memory time", 1.0,
             32.0)
      .field("backward-work", &AttentionSpec::backward_work, "backward over forward work", 1.0, 10.0)
      .field("backward-efficiency", &AttentionSpec::backward_efficiency,
             "share of the bf16 peak in a backward pass; 0: as forward", 0.0, 1.0)
      .required("decode-latency", &AttentionSpec::decode_latency, "smallest kernel, one token a sequence",
                SimTime{0}, milliseconds(1))
      .required("decode-memory-efficiency", &AttentionSpec::decode_memory_efficiency,
                "share of the HBM bandwidth", 0.01, 1.0)
      .field("decode-unit", &AttentionSpec::decode_unit,
             "time of a wave of (sequence, key-value head) blocks", SimTime{0}, milliseconds(1))
      .field("decode-group-unit", &AttentionSpec::decode_group_unit,
             "more of it where several query heads share a key-value head", SimTime{0}, milliseconds(1))
      .field("decode-combine", &AttentionSpec::decode_combine,
             "second pass where the keys of a head are split over idle SMs", SimTime{0}, milliseconds(1))
      .field("decode-overlap", &AttentionSpec::decode_overlap,
             "power of the norm that joins memory and block time", 1.0, 32.0);
}

Describe<MemoryKernelSpec> memory_kernel_parameters() {
  return Describe<MemoryKernelSpec>()
      .required("latency", &MemoryKernelSpec::latency, "time of the smallest kernel", SimTime{0},
                milliseconds(1))
      .required("efficiency", &MemoryKernelSpec::efficiency, "share of the HBM bandwidth", 0.01, 1.0);
}

namespace {

/// Of all <attention> that of the library which <gpu attention=""> names.
void parse_attention(const Element& gpu, AttentionLibrary library, ComputeSpec& spec, ErrorList& errors) {
  std::vector<std::string> known;
  std::vector<AttentionLibrary> seen;
  const auto name_of_library = [](AttentionLibrary which) {
    for (const auto& [name, value] : attention_library_names())
      if (value == which) return name;
    return std::string();
  };
  for (const Element* element : gpu.children_named("attention")) {
    AttentionSpec attention;
    attention_parameters().parse(*element, attention, errors);
    if (std::find(seen.begin(), seen.end(), attention.library) != seen.end())
      errors.add(element->error("<gpu> has two <attention> of library '" +
                                name_of_library(attention.library) + "'"));
    seen.push_back(attention.library);
    known.push_back(name_of_library(attention.library));
    if (attention.library == library) spec.attention = attention;
  }
  const Attribute* given = gpu.find("attention");
  if (spec.attention || !given) return;
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  errors.add({given->file, given->line,
              "<gpu> attribute 'attention' is '" + name_of_library(library) +
                  "', of which it has no <attention> (" + (known.empty() ? "it has none" : "it has " + list) +
                  ")"});
}

}  // namespace

void parse_compute(const Element& gpu, AttentionLibrary library, ComputeSpec& spec, ErrorList& errors) {
  for (const Element* element : gpu.children_named("gemm")) {
    GemmSpec gemm;
    gemm_parameters().parse(*element, gemm, errors);
    if (gemm.scaling != Scaling::tensorwise && gemm.dtype != DataType::fp8)
      errors.add(element->error("<gemm> attribute 'scaling': 'rowwise' needs dtype=\"fp8\""));
    for (const GemmSpec& other : spec.gemms)
      if (other.dtype == gemm.dtype && other.scaling == gemm.scaling)
        errors.add(
            element->error("<gpu> has two <gemm> for dtype '" + name_of(gemm.dtype, gemm.scaling) + "'"));
    spec.gemms.push_back(gemm);
  }
  parse_attention(gpu, library, spec, errors);
  if (const Element* element = gpu.child("memory-kernel"))
    memory_kernel_parameters().parse(*element, spec.memory_kernel.emplace(), errors);
}

std::vector<ParameterValue> compute_values(const ComputeSpec& spec) {
  std::vector<ParameterValue> all;
  for (const GemmSpec& gemm : spec.gemms)
    add_values("gemm " + name_of(gemm.dtype, gemm.scaling) + " ", gemm_parameters(), gemm, all);
  if (spec.attention) add_values("attention ", attention_parameters(), *spec.attention, all);
  if (spec.memory_kernel) add_values("memory-kernel ", memory_kernel_parameters(), *spec.memory_kernel, all);
  return all;
}

}  // namespace lightrail
