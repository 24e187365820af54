#include "workloads/job/workload_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "engine/model/describe.hpp"
#include "engine/scenario/units.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {

namespace {

std::string trimmed(const std::string& text) {
  std::size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

bool to_number(const std::string& text, std::uint32_t& value) {
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() && !text.empty();
}

/// Checks one kind with the table's own rules, so that the message can carry the element's line.
void add_group(const Element& at, GroupKind kind, WorkloadContext& context) {
  try {
    GroupTable probe;
    probe.add(kind, context.gpu_count);
  } catch (const InputErrors& problem) {
    for (const auto& error : problem.errors()) context.errors.add(at.error(error.what));
    return;
  }
  if (context.job.find_group(kind.name).is_valid()) {
    context.errors.add(
        at.error(fmt::format("group '{}' is declared twice{}", kind.name,
                             kind.name == "world" ? " ('world' is always there: all GPUs)" : "")));
    return;
  }
  if (context.job.job().groups.size() == GroupTable::max_kinds) {
    context.errors.add(at.error(
        fmt::format("group '{}': a job has at most {} kinds of groups", kind.name, GroupTable::max_kinds)));
    return;
  }
  context.job.group(std::move(kind));
}

struct DigitSpec {
  std::uint32_t count = 1, stride = 1;
};

Describe<DigitSpec> digit_table() {
  Describe<DigitSpec> table;
  table.required("count", &DigitSpec::count, "members along this digit")
      .field("stride", &DigitSpec::stride, "distance of neighbours, in GPU numbers");
  return table;
}

GroupKind::Digit read_digit(const Element& at, ErrorList& errors) {
  DigitSpec spec;
  digit_table().parse(at, spec, errors);
  return {spec.count, spec.stride};
}

}  // namespace

std::vector<ParameterDoc> digit_documentation() {
  return digit_table().documentation();
}

void WorkloadContext::require_storage(const Element& at, const std::string& what, StorageNetwork network) {
  if (storage_on(network) > 0) return;
  errors.add(at.error(what + (network == StorageNetwork::frontend
                                  ? " needs a storage server on the front end, and the system has none "
                                    "(expected <storage for=\"frontend\">)"
                              : storage.all > 0 ? " needs a storage server, and all stand on the front end "
                                                  "(network=\"frontend\")"
                                                : " needs a storage server, and the system has none")));
}

PeerMode peer_mode_of(StorageNetwork network) {
  return network == StorageNetwork::frontend ? PeerMode::frontend : PeerMode::offset;
}

void WorkloadContext::add_error(const Element& at, const std::string& attribute, const std::string& problem) {
  const Attribute* found = at.find(attribute);
  errors.add({found ? found->file : at.file, found ? found->line : at.line,
              fmt::format("<{}> attribute '{}': {}", at.name, attribute, problem)});
}

std::string parse_number_list(const std::string& text, const char* one, const char* many, std::uint32_t count,
                              std::vector<std::uint32_t>& numbers) {
  if (trimmed(text) == "all") {
    for (std::uint32_t n = 0; n < count; ++n) numbers.push_back(n);
    return "";
  }
  std::size_t begin = 0;
  while (begin <= text.size()) {
    std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string item = trimmed(text.substr(begin, comma - begin));
    std::size_t dash = item.find('-');
    std::uint32_t first = 0, last = 0;
    bool is_good = dash == std::string::npos ? to_number(item, first)
                                             : to_number(trimmed(item.substr(0, dash)), first) &&
                                                   to_number(trimmed(item.substr(dash + 1)), last);
    if (!is_good)
      return fmt::format("invalid list of {} '{}' (expected numbers and ranges: 0-7,16 or all)", many, text);
    if (dash == std::string::npos) last = first;
    if (last < first) return fmt::format("range '{}' runs backwards", item);
    if (last >= count) return fmt::format("{} {} does not exist (there are {} {})", one, last, count, many);
    for (std::uint32_t n = first; n <= last; ++n) numbers.push_back(n);
    begin = comma + 1;
  }
  return "";
}

std::string parse_gpu_list(const std::string& text, std::uint32_t gpu_count,
                           std::vector<std::uint32_t>& gpus) {
  return parse_number_list(text, "gpu", "GPUs", gpu_count, gpus);
}

std::uint32_t group_size(const GroupKind& kind) {
  if (!kind.digits.empty()) {
    std::uint32_t size = 1;
    for (const auto& digit : kind.digits) size *= digit.count;
    return size;
  }
  std::size_t least = kind.listed.empty() ? 0 : kind.listed[0].size();
  for (const auto& list : kind.listed) least = std::min(least, list.size());
  return static_cast<std::uint32_t>(least);
}

GroupKindId require_group(const Element& at, const std::string& name, WorkloadContext& context) {
  GroupKindId id = context.job.find_group(name);
  if (id.is_valid()) return id;
  std::vector<std::string> known;
  for (const auto& kind : context.job.job().groups) known.push_back(kind.name);
  context.add_error(at, "group", "unknown group: " + invalid_choice(name, known));
  return {};
}

void read_groups(const Element* groups, WorkloadContext& context) {
  if (context.gpu_count > 0) {
    GroupKind world;
    world.name = "world";
    world.digits = {{context.gpu_count, 1}};
    context.job.group(std::move(world));
  }
  if (!groups) return;
  for (const Element* at : groups->children_named("group")) {
    GroupKind kind;
    const Attribute* name = at->find("name");
    if (!name || name->value.empty()) {
      context.errors.add(at->error("<group> lacks the required attribute 'name'"));
      continue;
    }
    kind.name = name->value;
    auto digits = at->children_named("digit");
    auto members = at->children_named("members");
    if ((at->find("count") ? 1 : 0) + (digits.empty() ? 0 : 1) + (members.empty() ? 0 : 1) != 1) {
      context.errors.add(at->error(fmt::format(
          "group '{}' needs one of: count and stride, <digit> elements, <members> elements", kind.name)));
      continue;
    }
    if (at->find("count")) kind.digits.push_back(read_digit(*at, context.errors));
    for (const Element* digit : digits) kind.digits.push_back(read_digit(*digit, context.errors));
    bool is_good = true;
    for (const Element* list : members) {
      std::vector<std::uint32_t> gpus;
      const Attribute* text = list->find("gpus");
      std::string problem = parse_gpu_list(text ? text->value : "", context.gpu_count, gpus);
      if (!problem.empty()) {
        context.add_error(*list, "gpus", problem);
        is_good = false;
      }
      auto& target = kind.listed.emplace_back();
      for (std::uint32_t g : gpus) target.emplace_back(g);
    }
    if (is_good) add_group(*at, std::move(kind), context);
  }
}

}  // namespace lightrail
