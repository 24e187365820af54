#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "workloads/import/chakra/chakra_groups.hpp"
#include "workloads/import/chakra/chakra_reader.hpp"
#include "workloads/import/dag_program.hpp"
#include "workloads/import/goal/message_ledger.hpp"
#include "workloads/import/group_families.hpp"
#include "workloads/import/streamed_dag.hpp"

namespace lightrail {

/// Makes the program of one rank of a Chakra trace.
class ChakraProgram {
 public:
  struct Rank {
    std::uint32_t rank = 0, ranks = 0;
  };
  ChakraProgram(std::string path, Rank rank, ChakraGroups groups, GroupFamilies& families, JobOutput& output,
                MessageLedger& ledger);

  void add(ChakraNode& node, bool follows_control);
  /// Index of the program.
  std::uint32_t end(const std::string& role);

 private:
  struct Item {
    Op op;
    std::string stream;  ///< "": anywhere
    std::string name;
    MessageLedger::Message message;
  };
  [[noreturn]] void fail(const ChakraNode& node, const std::string& what) const;
  Item item_of(const ChakraNode& node);
  void compute(const ChakraNode& node, Item& item);
  void memory(const ChakraNode& node, Item& item);
  void collective(const ChakraNode& node, Item& item);
  void message(const ChakraNode& node, Item& item);
  [[nodiscard]] std::int64_t bytes_of(const ChakraNode& node, std::optional<std::int64_t> bytes,
                                      const char* attribute) const;
  GroupFamilies::Place place_of(const ChakraNode& node, std::uint32_t& size);

  std::string path_;
  Rank rank_;
  ChakraGroups groups_;
  GroupFamilies& families_;
  JobOutput& output_;
  MessageLedger& ledger_;
  DagProgram dag_;
  StreamedDag<Item> nodes_;
};

}  // namespace lightrail
