#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace lightrail {

/// Model resource: what the result says of the job beside its tables, in the words of the stage that made it.
struct ModelNotes {
  struct Column {
    std::string name;
    std::variant<std::vector<std::int64_t>, std::vector<std::string>> values;  ///< numbers are of unit 1
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
  std::vector<std::string> remarks;  ///< what an importer inferred or left out, a sentence each
};

}  // namespace lightrail
