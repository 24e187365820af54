#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace lightrail {

/// Model resource: what the result says of the job beside its tables, in the words of the stage that made it.
struct ModelNotes {
  /// Numbers that are asked for when the file is written, by the one rank that writes it.
  struct Numbers {
    std::size_t rows = 0;
    std::function<std::int64_t(std::size_t)> at;
  };
  struct Column {
    std::string name;
    /// Numbers are of unit 1.
    std::variant<std::vector<std::int64_t>, std::vector<std::string>, Numbers> values;
  };
  /// A folder of the result below /model.
  struct Folder {
    std::string path;  ///< "programs/streams"; the folders above come first
    std::string doc;   ///< empty: none
    std::vector<Column> columns;
  };
  /// What a value of the column `group` of a table stands for.
  struct Group {
    std::string name;
    std::int64_t size = 0;  ///< members
  };
  std::vector<Folder> folders;
  std::vector<Group> groups;
  std::vector<std::string> jobs;  ///< that run side by side; empty: there is one, without a name
  std::vector<std::uint32_t>
      job_of_gpu;  ///< where there are `jobs`, their index by GPU; else any other number
};

}  // namespace lightrail
