#include "app/cli/algorithm_files.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "workloads/collective/msccl/msccl_algorithm.hpp"

namespace lightrail {

namespace {

class Adder {
 public:
  Adder(AlgorithmRegistry& algorithms, ErrorList& errors) : algorithms_(algorithms), errors_(errors) {}

  void visit(const Element& element) {
    for (const Attribute& attribute : element.attributes)
      if (attribute.name == "algorithm" && attribute.value.starts_with(algorithm_file_prefix)) add(attribute);
    for (const Element& child : element.children) visit(child);
  }
  [[nodiscard]] std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const auto& [name, path] : path_of_) all.push_back(path);
    return all;
  }

 private:
  void add(const Attribute& attribute) {
    const std::string path = (std::filesystem::path(attribute.file).parent_path() /
                              attribute.value.substr(algorithm_file_prefix.size()))
                                 .lexically_normal()
                                 .string();
    const auto [known, is_new] = path_of_.emplace(attribute.value, path);
    if (!is_new) {
      if (known->second != path)
        errors_.add({attribute.file, attribute.line,
                     "'" + attribute.value + "' means two files: " + known->second + " and " + path});
      return;
    }
    try {
      algorithms_.add(msccl_algorithm(attribute.value, path));
    } catch (const InputErrors& problem) {
      for (const InputError& error : problem.errors()) errors_.add(error);
    }
  }

  AlgorithmRegistry& algorithms_;
  ErrorList& errors_;
  std::map<std::string, std::string> path_of_;  ///< by what scenarios call it
};

}  // namespace

std::vector<std::string> add_algorithm_files(const Element& root, AlgorithmRegistry& algorithms,
                                             ErrorList& errors) {
  Adder adder(algorithms, errors);
  adder.visit(root);
  return adder.paths();
}

}  // namespace lightrail
