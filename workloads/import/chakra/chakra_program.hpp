#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/import/chakra/chakra_capture.hpp"
#include "workloads/import/chakra/chakra_exchanges.hpp"
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
  /// What the ranks share. A first reading `collects` the all-to-alls, the second one is told their sizes.
  struct Shared {
    GroupFamilies& families;
    JobOutput& output;
    MessageLedger& ledger;
    ChakraExchanges& exchanges;
    ChakraCapture& capture;
    bool collects = false;
  };
  ChakraProgram(std::string path, Rank rank, ChakraGroups groups, const Shared& shared);

  void add(ChakraNode& node, bool follows_control);
  /// Index of the program.
  std::uint32_t end(const std::string& role);

 private:
  struct Item {
    Op op;
    std::string stream;  ///< "": anywhere
    std::string name;
    MessageLedger::Message message;
    ChakraExchanges::Members members = {};  // of collectives
    std::vector<std::int64_t> parts = {};
  };
  std::uint32_t emit(const Item& item, const std::vector<std::uint32_t>& after);
  [[noreturn]] void fail(const ChakraNode& node, const std::string& what) const;
  Item item_of(const ChakraNode& node);
  void compute(const ChakraNode& node, Item& item);
  void memory(const ChakraNode& node, Item& item);
  void collective(const ChakraNode& node, Item& item);
  void message(const ChakraNode& node, Item& item);
  [[nodiscard]] std::int64_t bytes_of(const ChakraNode& node, std::optional<std::int64_t> bytes,
                                      const char* attribute) const;
  /// Members of the node's group; everybody: all ranks.
  [[nodiscard]] ChakraExchanges::Members members_of(const ChakraNode& node) const;
  GroupFamilies::Place place_of(const ChakraNode& node, const ChakraExchanges::Members& members);

  std::string path_;
  Rank rank_;
  ChakraGroups groups_;
  GroupFamilies& families_;
  JobOutput& output_;
  MessageLedger& ledger_;
  ChakraExchanges& exchanges_;
  ChakraCapture& capture_;
  bool collects_ = false;
  std::uint64_t untimed_ = 0;  ///< nodes of computation without duration and size
  DagProgram dag_;
  StreamedDag<Item> nodes_;
};

}  // namespace lightrail
