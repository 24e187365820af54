#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/collective/algorithm.hpp"
#include "workloads/program/algorithm_names.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Of a scenario's name for an algorithm that a file describes: "file:ring.xml".
inline constexpr std::string_view algorithm_file_prefix = "file:";

/// The collective algorithms that a run knows: those of algorithms/ in the order of its list, then those of
/// plugins in the order of their loading. An algorithm's id is its place, from 1; trace files, checkpoints
/// and tables hold it. A value, handed to whoever needs it; a Model resource.
class AlgorithmRegistry {
 public:
  /// Returns its id. Throws InputErrors when the name is taken or no name (lower case, digits, hyphens), or
  /// when all 255 ids are.
  Algorithm add(std::shared_ptr<const CollectiveAlgorithm> algorithm);

  [[nodiscard]] bool contains(Algorithm id) const {
    const auto place = static_cast<std::size_t>(id);
    return place >= 1 && place <= all_.size();
  }
  /// Needs contains(id).
  [[nodiscard]] const CollectiveAlgorithm& operator[](Algorithm id) const;
  /// The id of a name, "auto" among them; nothing when it is unknown.
  [[nodiscard]] std::optional<Algorithm> find(const std::string& name) const;
  /// All ids, ascending, that serve `type`.
  [[nodiscard]] const std::vector<Algorithm>& serving(CollectiveType type) const {
    return serving_[static_cast<std::size_t>(type)];
  }

  /// "auto" and every name with its id: the choices of an attribute.
  [[nodiscard]] const AlgorithmNames& names() const { return names_; }
  /// ... of those that serve `type`.
  [[nodiscard]] AlgorithmNames names_serving(CollectiveType type) const;
  /// What the tables of a result call the ids 0, 1, ...: "auto_select", "ring", "nvls_tree".
  [[nodiscard]] std::vector<std::string> labels() const;

 private:
  std::vector<std::shared_ptr<const CollectiveAlgorithm>> all_;
  AlgorithmNames names_{{"auto", Algorithm::auto_select}};
  std::array<std::vector<Algorithm>, static_cast<std::size_t>(CollectiveType::barrier) + 1> serving_;
};

/// Those of algorithms/, by an explicit list (algorithms/CMakeLists.txt).
[[nodiscard]] AlgorithmRegistry built_in_algorithms();

}  // namespace lightrail
