#include "workloads/program/groups.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

[[noreturn]] void refuse(const GroupKind& kind, const std::string& what) {
  throw InputErrors(InputError{"", 0, "group '" + kind.name + "': " + what});
}

std::string text(const GroupKind::Digit& digit) {
  return "count " + std::to_string(digit.count) + ", stride " + std::to_string(digit.stride);
}

/// Groups tile the GPUs exactly when, ordered by stride, every digit's stride is a multiple of the span
/// (count * stride) before it, and the last span divides the number of GPUs. Digits of one member do not
/// matter.
void check_digits(const GroupKind& kind, std::uint32_t gpu_count) {
  std::vector<GroupKind::Digit> digits;
  for (const auto& digit : kind.digits) {
    if (digit.count == 0) refuse(kind, "an empty group (" + text(digit) + ")");
    if (digit.stride == 0) refuse(kind, "a GPU would be in a group twice (" + text(digit) + ")");
    if (digit.count > 1) digits.push_back(digit);
  }
  if (kind.digits.size() > 3) refuse(kind, std::to_string(kind.digits.size()) + " digits (at most 3)");
  std::sort(digits.begin(), digits.end(), [](auto& a, auto& b) { return a.stride < b.stride; });
  std::uint64_t span = 1;
  for (const auto& digit : digits) {
    if (digit.stride % span != 0)
      refuse(kind, "a GPU would be in two groups (" + text(digit) + " is no multiple of the " +
                       std::to_string(span) + " GPUs inside it)");
    span = std::uint64_t{digit.count} * digit.stride;
    if (span > gpu_count || gpu_count % span != 0)
      refuse(kind, text(digit) + " leaves the " + std::to_string(gpu_count) + " GPUs (" +
                       std::to_string(span) + " does not divide them)");
  }
}

}  // namespace

std::int64_t GroupKind::size() const {
  if (!listed.empty()) return static_cast<std::int64_t>(listed.front().size());
  std::int64_t members = 1;
  for (const Digit& digit : digits) members *= digit.count;
  return members;
}

GroupKindId GroupTable::add(GroupKind kind, std::uint32_t gpu_count) {
  if (kinds_.size() == max_kinds) refuse(kind, "more than " + std::to_string(max_kinds) + " kinds of groups");
  if (find(kind.name).is_valid()) refuse(kind, "declared twice");
  if (kind.digits.empty() && kind.listed.empty()) refuse(kind, "has no members");
  std::vector<Place> places;
  if (!kind.digits.empty()) {
    check_digits(kind, gpu_count);
  } else {
    places.resize(gpu_count);
    for (std::uint32_t list = 0; list < kind.listed.size(); ++list) {
      if (kind.listed[list].empty()) refuse(kind, "an empty group (list " + std::to_string(list) + ")");
      for (std::uint32_t index = 0; index < kind.listed[list].size(); ++index) {
        const std::uint32_t gpu = kind.listed[list][index].value;
        if (gpu >= gpu_count)
          refuse(kind, "gpu " + std::to_string(gpu) + " does not exist (the job has " +
                           std::to_string(gpu_count) + " GPUs)");
        if (places[gpu].list != Place{}.list)
          refuse(kind, "gpu " + std::to_string(gpu) + " is in two groups (lists " +
                           std::to_string(places[gpu].list) + " and " + std::to_string(list) + ")");
        places[gpu] = {list, index};
      }
    }
  }
  kinds_.push_back(std::move(kind));
  place_.push_back(std::move(places));
  return GroupKindId{static_cast<std::uint32_t>(kinds_.size() - 1)};
}

GroupKindId GroupTable::find(const std::string& name) const {
  for (std::uint32_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i].name == name) return GroupKindId{i};
  return {};
}

GroupView GroupTable::group_of(GroupKindId kind, EndpointId gpu) const {
  const GroupKind& k = kinds_[kind.value];
  if (k.digits.empty()) {
    const Place place = gpu.value < place_[kind.value].size() ? place_[kind.value][gpu.value] : Place{};
    if (place.list == Place{}.list) return {this, kind, {}, 0, 0, 0};
    const auto& list = k.listed[place.list];
    return {this, kind, list[0], place.list, static_cast<std::uint32_t>(list.size()), place.index};
  }
  std::uint32_t base = gpu.value, size = 1, my_index = 0;
  for (const auto& digit : k.digits) {
    const std::uint32_t index = gpu.value / digit.stride % digit.count;
    base -= index * digit.stride;
    my_index += index * size;
    size *= digit.count;
  }
  return {this, kind, EndpointId{base}, 0, size, my_index};
}

EndpointId GroupView::member(std::uint32_t index) const {
  const GroupKind& k = table->kinds_[kind.value];
  if (k.digits.empty()) return k.listed[listed][index];
  std::uint32_t endpoint = base.value;
  for (const auto& digit : k.digits) {
    endpoint += index % digit.count * digit.stride;
    index /= digit.count;
  }
  return EndpointId{endpoint};
}

}  // namespace lightrail
