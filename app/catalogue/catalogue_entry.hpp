#pragma once
#include <string>
#include <vector>

#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/merge_entry.hpp"

namespace lightrail {

/// A figure of an entry and what the entry says of where it is from.
struct EntryValue {
  std::string part;          ///< "" for the entry's own, else the child: "gemm dtype=fp8 scaling=rowwise"
  std::string name, value;   ///< value: as in the file, with its unit
  std::string kind, source;  ///< datasheet, measured, published or estimate; both "": the file names none
};

/// An entry that stands in another one: the GPU of a server.
struct EntryPart {
  std::string part, entry;
};

struct CatalogueEntry {
  std::string name;                ///< "gpus/h100_sxm"
  std::string file;                ///< where it was read from
  std::string element;             ///< "gpu"
  std::string text;                ///< what the comment above the element says, one line; "" for none
  std::string base;                ///< the entry that this one starts from, or ""
  std::vector<EntryValue> values;  ///< in the file's order
  std::vector<EntryPart> parts;
};

/// Reads one entry. `identities`: what tells children of one name apart. Throws InputErrors for one that does
/// not exist (with the closest names) or is no XML.
[[nodiscard]] CatalogueEntry read_entry(const Catalogue& catalogue, const std::string& name,
                                        const ChildIdentities& identities);

}  // namespace lightrail
