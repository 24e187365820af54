#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace lightrail {

/// A point of a sweep.
struct StudyPoint {
  std::size_t number = 0;
  std::vector<std::string> settings;  ///< name=value
  std::string key;                    ///< point_key(); "" where `problem` says why the point has none
  std::string problem;                ///< mistakes of the scenario with these settings
  std::string command = "run";        ///< or goodput
  bool can_go_on = true;              ///< a run that was stopped goes on from its checkpoint
};

}  // namespace lightrail
