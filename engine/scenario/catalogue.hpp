#pragma once
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/element.hpp"

namespace lightrail {

/// The folder of entries: "gpus/h100_sxm" is gpus/h100_sxm.xml.
class Catalogue {
 public:
  /// `base`: the folder that has what `directory` has not. "": none.
  explicit Catalogue(std::string directory = "", std::string base = "")
      : directory_(std::move(directory)), base_(std::move(base)) {}
  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// Why it has no entry at all: no folder; "": it may have.
  [[nodiscard]] std::string problem() const;
  /// The file of an entry. "" and an error at `place` when there is none; the error lists the closest.
  [[nodiscard]] std::string file_of(const std::string& entry, const InputError& place,
                                    ErrorList& errors) const;
  /// Every entry, sorted.
  [[nodiscard]] std::vector<std::string> entries() const;

 private:
  std::string directory_, base_;
};

}  // namespace lightrail
