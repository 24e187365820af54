#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// An attribute that tells children of one name apart, as `dtype` does the <gemm> of a GPU.
struct IdentifyingAttribute {
  std::string name;
  std::string default_value;  ///< of a child that does not say; "": that child may be any of them
};

/// By the children's element name. Those of a name that is not here are told apart by `name` and `role`.
using ChildIdentities = std::map<std::string, std::vector<IdentifyingAttribute>>;

/// As `catalogue` of a child: it begins with nothing, not with what stands in its parent's catalogue entry.
inline constexpr const char* no_entry = "none";

/// Lays `given`, an element as the scenario has it, over `base`, the same element of catalogue entry `entry`.
/// What is given counts; attributes that are not given are the entry's and keep its file and line. Children
/// follow the same rule, level by level. A given child means the entry's child of the same name that agrees
/// with it in every identifying attribute that it gives; one that means none is added behind the entry's.
/// A child with a catalogue entry of its own, or with catalogue="none", stands in place of the entry's.
///
/// Mistakes, each at the line of what is given: a child that may be any of several, two children that mean
/// the same one, a `kind` that is not the entry's.
void merge_entry(Element base, const std::string& entry, const ChildIdentities& identities, Element& given,
                 ErrorList& errors);

/// Complains about every catalogue="none" below `parent` that no merge has used.
void report_unused_none(const Element& parent, ErrorList& errors);

}  // namespace lightrail
