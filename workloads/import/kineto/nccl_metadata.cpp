#include "workloads/import/kineto/nccl_metadata.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace lightrail {

namespace {

using nlohmann::json;

constexpr std::int64_t max_elements = std::int64_t{1} << 45;
constexpr std::int64_t max_ranks = 1 << 17;

/// Lower case letters and digits only: "_allgather_base" -> "allgatherbase".
std::string plain(const std::string& text) {
  std::string out;
  for (unsigned char c : text)
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
  return out;
}

bool has(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

/// Elements of a tensor ([4, 2048]) or of a list of tensors ([[4, 2048], [8]]); saturates at max_elements.
std::int64_t elements_of(const json& dims) {
  if (!dims.is_array() || dims.empty()) return 0;
  std::int64_t total = 0, product = 1;
  bool is_list = dims[0].is_array();
  for (const auto& item : dims) {
    if (is_list)
      total = std::min(total + elements_of(item), max_elements);
    else if (!item.is_number_integer() || item.get<std::int64_t>() < 0)
      return 0;
    else if (product > 0 && item.get<std::int64_t>() > max_elements / product)
      return max_elements;
    else
      product *= item.get<std::int64_t>();
  }
  return is_list ? total : product;
}

void collect(const json& value, std::vector<std::int64_t>& out, bool& is_good) {
  if (value.is_array())
    for (const auto& item : value) collect(item, out, is_good);
  else if (value.is_number_integer())
    out.push_back(value.get<std::int64_t>());
  else
    is_good = false;
}

/// Item `index` of a JSON list of strings, from the end when negative; "" when absent.
std::string item_of(const std::string& text, int index) {
  json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return "";
  std::size_t size = list.size();
  std::size_t at = index < 0 ? size - static_cast<std::size_t>(-index) : static_cast<std::size_t>(index);
  return at < size && list[at].is_string() ? list[at].get<std::string>() : "";
}

std::int64_t integer_of(const std::string& text) {
  if (text.empty() || text.size() > 7 ||
      !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }))
    return 0;
  return std::stoll(text);
}

}  // namespace

std::vector<std::int64_t> numbers_of(const std::string& json_text) {
  std::vector<std::int64_t> out;
  bool is_good = true;
  collect(json::parse(json_text, nullptr, false), out, is_good);
  if (!is_good) out.clear();
  return out;
}

void NcclMetadata::complete(const NcclMetadata& other) {
  if (collective.empty()) collective = other.collective;
  if (element_bytes_of_type(dtype) == 0) dtype = other.dtype;
  if (group_description.empty()) group_description = other.group_description;
  if (in_elements == 0) in_elements = other.in_elements;
  if (out_elements == 0) out_elements = other.out_elements;
  if (group_size == 0) group_size = other.group_size;
  if (ranks.empty()) ranks = other.ranks;
  if (source_rank < 0) source_rank = other.source_rank;
  if (target_rank < 0) target_rank = other.target_rank;
}

NcclMetadata nccl_metadata(const KinetoEvent& event) {
  NcclMetadata m;
  m.collective = event.collective;
  m.dtype = event.dtype;
  m.group_description = event.group_description.empty() ? event.group_name : event.group_description;
  m.in_elements = std::max<std::int64_t>(event.in_elements.value_or(0), 0);
  m.out_elements = std::max<std::int64_t>(event.out_elements.value_or(0), 0);
  m.group_size = std::clamp<std::int64_t>(event.group_size.value_or(0), 0, max_ranks);
  m.source_rank = event.source_rank.value_or(-1);
  m.target_rank = event.target_rank.value_or(-1);
  for (std::int64_t rank : numbers_of(event.group_ranks))
    m.ranks.push_back(static_cast<std::uint32_t>(std::clamp<std::int64_t>(rank, 0, max_ranks)));
  if (event.name.rfind("nccl:", 0) == 0) m.collective = event.name.substr(5);
  if (event.name.rfind("c10d::", 0) == 0) m.collective = event.name.substr(6);
  if (m.dtype.empty()) m.dtype = item_of(event.input_types, 0);
  if (m.in_elements == 0) {
    json dims = json::parse(event.input_dims, nullptr, false);
    if (dims.is_array() && !dims.empty()) m.in_elements = elements_of(dims[0]);
  }
  if (event.name == "record_param_comms" && m.group_size == 0)
    m.group_size = integer_of(item_of(event.concrete_inputs, -1));
  return m;
}

std::optional<NcclOperation> nccl_operation(const std::string& kernel, const std::string& call) {
  const std::string k = plain(kernel), c = plain(call);
  const std::string& by = has(k, "sendrecv") || has(k, "generic") ? c : k;
  if (has(by, "allreduce")) return NcclOperation{OpKind::collective, CollectiveType::all_reduce};
  if (has(by, "allgather")) return NcclOperation{OpKind::collective, CollectiveType::all_gather};
  if (has(by, "reducescatter")) return NcclOperation{OpKind::collective, CollectiveType::reduce_scatter};
  if (has(by, "broadcast")) return NcclOperation{OpKind::collective, CollectiveType::broadcast};
  if (has(by, "alltoall")) return NcclOperation{OpKind::collective, CollectiveType::all_to_all};
  if (has(by, "send")) return NcclOperation{OpKind::send, CollectiveType::none};
  if (has(by, "recv")) return NcclOperation{OpKind::recv, CollectiveType::none};
  return std::nullopt;
}

std::uint32_t element_bytes_of_type(const std::string& dtype) {
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 22> sizes{
      {{"c10half", 2}, {"half", 2},         {"float16", 2},    {"c10bfloat16", 2}, {"bfloat16", 2},
       {"float", 4},   {"float32", 4},      {"int", 4},        {"int32", 4},       {"double", 8},
       {"float64", 8}, {"long", 8},         {"longint", 8},    {"int64", 8},       {"byte", 1},
       {"char", 1},    {"unsignedchar", 1}, {"signedchar", 1}, {"bool", 1},        {"uint8", 1},
       {"int8", 1},    {"short", 2}}};
  const std::string text = plain(dtype);
  if (has(text, "float8")) return 1;
  for (auto& [name, size] : sizes)
    if (text == name) return size;
  return 0;
}

std::uint32_t element_bytes_of_kernel(const std::string& kernel) {
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 12> sizes{{{"_bf16", 2},
                                                                                     {"_f16", 2},
                                                                                     {"_f32", 4},
                                                                                     {"_f64", 8},
                                                                                     {"_i32", 4},
                                                                                     {"_u32", 4},
                                                                                     {"_i64", 8},
                                                                                     {"_u64", 8},
                                                                                     {"_f8e4m3", 1},
                                                                                     {"_f8e5m2", 1},
                                                                                     {"_u8", 1},
                                                                                     {"_i8", 1}}};
  for (auto& [suffix, size] : sizes)
    if (has(kernel, suffix)) return size;
  return 0;
}

}  // namespace lightrail
