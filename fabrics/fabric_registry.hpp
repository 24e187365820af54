#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabrics/fabric_detail.hpp"
#include "fabrics/fabric_kind.hpp"
#include "network/wire/by_role.hpp"

namespace lightrail {

/// The kinds of fabric this run knows: the built-in list, then plugins.
class FabricRegistry {
 public:
  /// Throws InputErrors when the name is taken.
  void add(std::shared_ptr<const FabricKind> kind);
  /// The kind that a <fabric> asks for; null and an error when it names none that is known.
  [[nodiscard]] const FabricKind* of(const Element& fabric, ErrorList& errors) const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::vector<std::shared_ptr<const FabricKind>>& kinds() const { return kinds_; }

  /// Attributes of every <fabric>: `kind`, `for`, `routing` and `detail`.
  [[nodiscard]] std::vector<ParameterDoc> common_parameters() const;
  /// These and all kinds' own; of one name the first kind's.
  [[nodiscard]] std::vector<ParameterDoc> all_parameters() const;

 private:
  std::vector<std::shared_ptr<const FabricKind>> kinds_;
};

/// Every kind of fabric of this source tree, by an explicit list.
[[nodiscard]] FabricRegistry built_in_fabrics();

/// A <fabric> and its kind.
struct FabricElement {
  const Element* element = nullptr;  ///< null: there is none
  const FabricKind* kind = nullptr;  ///< null: it names none that is known
  FabricDetail detail = FabricDetail::trains;
};

/// The <fabric>s of a scenario by their role: at most one each. Two of a role and a kind that only the GPUs'
/// can have go to `errors`.
using FabricElements = ByRole<FabricElement>;
[[nodiscard]] FabricElements fabrics_of(const Element& root, const FabricRegistry& registry,
                                        ErrorList& errors);
/// Those without switches; null: there is none.
[[nodiscard]] std::shared_ptr<const FabricsByMessages> fabrics_by_messages(const FabricElements& fabrics);

/// Reads <fabric> and joins `nics`, which are of that role, as it says. Mistakes go to the builder's errors.
void build_fabric(const FabricElement& fabric, NicRole role, const std::vector<NicPlace>& nics,
                  SystemBuilder& builder, FabricResults& results);

}  // namespace lightrail
