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

std::int64_t integer_of(const std::string& text, std::int64_t otherwise = 0) {
  if (text.empty() || text.size() > 7 ||
      !std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }))
    return otherwise;
  return std::stoll(text);
}

}  // namespace

NumberList number_list(const std::string& text) {
  NumberList list;
  std::string whole = text;
  for (std::size_t at; (at = whole.find("...")) != std::string::npos; list.is_cut = true) {
    const std::size_t comma = at > 0 ? whole.find_last_not_of(" \"'", at - 1) : std::string::npos;
    const bool has_comma = comma != std::string::npos && whole[comma] == ',';
    const std::size_t begin = has_comma ? comma : at;
    std::size_t end = at + 3;
    if (end < whole.size() && (whole[end] == '"' || whole[end] == '\'')) ++end;
    whole.erase(begin, end - begin);
  }
  bool is_good = true;
  collect(json::parse(whole, nullptr, false), list.numbers, is_good);
  if (!is_good) return {};
  return list;
}

namespace {

/// A whole list says more than a cut one, and a cut one more than none.
void complete_list(std::optional<NumberList>& list, const std::optional<NumberList>& other) {
  if (!list || (list->is_cut && other && !other->is_cut)) list = other;
}

/// The tensors and lists that PyTorch's operator `name` gives and takes: places among its arguments.
struct Arguments {
  const char* name;
  int in, out, in_split, out_split;
};
constexpr std::array<Arguments, 4> dispatcher_arguments{{{"alltoall_base_", 1, 0, 4, 3},
                                                         {"_allgather_base_", 1, 0, -1, -1},
                                                         {"_reduce_scatter_base_", 1, 0, -1, -1},
                                                         {"allgather_", 1, 0, -1, -1}}};

/// Elements of argument `index`, -1 for one that is not there.
std::int64_t elements_at(const json& dims, int index) {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && dims.is_array() && at < dims.size() ? elements_of(dims[at]) : -1;
}

void read_dispatcher_call(const KinetoEvent& event, const json& dims, NcclMetadata& m) {
  for (const Arguments& arguments : dispatcher_arguments) {
    if (m.collective != arguments.name) continue;
    if (const std::int64_t in = elements_at(dims, arguments.in); in >= 0) m.in_elements = in;
    if (const std::int64_t out = elements_at(dims, arguments.out); out >= 0) m.out_elements = out;
    if (arguments.in_split < 0 || event.concrete_inputs.empty()) continue;
    m.says_in = m.says_out = dims.is_array();
    m.in_split = number_list(item_of(event.concrete_inputs, arguments.in_split));
    m.out_split = number_list(item_of(event.concrete_inputs, arguments.out_split));
  }
  const std::int64_t peer = integer_of(item_of(event.concrete_inputs, 2), -1);
  if (m.collective == "send") m.target_rank = peer;
  if (m.collective == "recv_") m.source_rank = peer;
}

/// The lists that follow the name of an all-to-all: of what is given, of what is taken.
void read_split_inputs(const KinetoEvent& event, NcclMetadata& m) {
  for (int i = 0; i < 16; ++i) {
    if (plain(item_of(event.concrete_inputs, i)).rfind("alltoall", 0) != 0) continue;
    complete_list(m.in_split, number_list(item_of(event.concrete_inputs, i + 1)));
    complete_list(m.out_split, number_list(item_of(event.concrete_inputs, i + 2)));
    return;
  }
}

/// Elements of a row of the first tensor; 0: unknown.
std::int64_t row_of(const json& dims) {
  if (!dims.is_array() || dims.empty() || !dims[0].is_array() || dims[0].empty()) return 0;
  const json& tensor = dims[0][0].is_array() && dims[0].size() == 1 ? dims[0][0] : dims[0];
  if (tensor.empty() || !tensor[0].is_number_integer()) return 0;
  if (tensor.size() == 1) return 1;
  json rest = json::array();
  for (std::size_t i = 1; i < tensor.size(); ++i) rest.push_back(tensor[i]);
  return elements_of(rest);
}

}  // namespace

void NcclMetadata::complete(const NcclMetadata& other) {
  if (collective.empty()) collective = other.collective;
  if (element_bytes_of_type(dtype) == 0) dtype = other.dtype;
  if (group_name.empty()) group_name = other.group_name;
  if (group_description.empty()) group_description = other.group_description;
  if (in_elements == 0 && !says_in) in_elements = other.in_elements, says_in = other.says_in;
  if (out_elements == 0 && !says_out) out_elements = other.out_elements, says_out = other.says_out;
  if (row_elements == 0) row_elements = other.row_elements;
  if (group_size == 0) group_size = other.group_size;
  if (ranks.numbers.empty() || (ranks.is_cut && !other.ranks.numbers.empty() && !other.ranks.is_cut))
    ranks = other.ranks;
  if (first_rank < 0) first_rank = other.first_rank, rank_stride = other.rank_stride;
  if (source_rank < 0) source_rank = other.source_rank;
  if (target_rank < 0) target_rank = other.target_rank;
  if (nccl_bytes < 0) nccl_bytes = other.nccl_bytes;
  if (communicator.empty()) communicator = other.communicator;
  complete_list(in_split, other.in_split);
  complete_list(out_split, other.out_split);
}

NcclMetadata nccl_metadata(const KinetoEvent& event) {
  NcclMetadata m;
  m.collective = event.collective;
  m.dtype = event.dtype;
  m.nccl_bytes = event.nccl_bytes.value_or(-1);
  m.communicator = event.communicator;
  m.group_name = event.group_name;
  m.group_description = event.group_description == "undefined" ? "" : event.group_description;
  m.says_in = event.in_elements.has_value();
  m.says_out = event.out_elements.has_value();
  m.in_elements = std::max<std::int64_t>(event.in_elements.value_or(0), 0);
  m.out_elements = std::max<std::int64_t>(event.out_elements.value_or(0), 0);
  m.group_size = std::clamp<std::int64_t>(event.group_size.value_or(0), 0, max_ranks);
  m.source_rank = event.source_rank.value_or(-1);
  m.target_rank = event.target_rank.value_or(-1);
  m.ranks = number_list(event.group_ranks);
  for (std::int64_t& rank : m.ranks.numbers) rank = std::clamp<std::int64_t>(rank, 0, max_ranks);
  m.first_rank = std::clamp<std::int64_t>(event.first_rank.value_or(-1), -1, max_ranks);
  m.rank_stride = std::clamp<std::int64_t>(event.rank_stride.value_or(0), 0, max_ranks);
  if (event.in_split) m.in_split = number_list(*event.in_split);
  if (event.out_split) m.out_split = number_list(*event.out_split);
  if (event.name.rfind("nccl:", 0) == 0) m.collective = event.name.substr(5);
  const bool is_dispatched = event.name.rfind("c10d::", 0) == 0;
  if (is_dispatched) m.collective = event.name.substr(6);
  for (int i = 0; m.dtype.empty() && i < 2; ++i)
    if (element_bytes_of_type(item_of(event.input_types, i)) > 0) m.dtype = item_of(event.input_types, i);
  if (m.dtype.empty()) m.dtype = item_of(event.input_types, 0);
  const json dims = json::parse(event.input_dims, nullptr, false);
  if (m.in_elements == 0 && !m.says_in && dims.is_array() && !dims.empty())
    m.in_elements = elements_of(dims[0]);
  m.row_elements = row_of(dims);
  if (is_dispatched) read_dispatcher_call(event, dims, m);
  if (event.name == "record_param_comms") read_split_inputs(event, m);
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
  // Kernels of older versions that compute; the others move bytes, whatever the type.
  static constexpr std::array<std::pair<std::string_view, std::uint32_t>, 9> older{{{"_float", 4},
                                                                                    {"_half", 2},
                                                                                    {"_bfloat16", 2},
                                                                                    {"_double", 8},
                                                                                    {"_int32_t", 4},
                                                                                    {"_uint32_t", 4},
                                                                                    {"_int64_t", 8},
                                                                                    {"_uint64_t", 8},
                                                                                    {"_uint8_t", 1}}};
  const std::string name = kernel.substr(0, kernel.find('('));
  if (has(name, "Reduce"))
    for (auto& [suffix, size] : older)
      if (name.ends_with(suffix)) return size;
  return 0;
}

}  // namespace lightrail
