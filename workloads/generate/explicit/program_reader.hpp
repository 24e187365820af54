#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/scenario/scenario.hpp"
#include "workloads/generate/explicit/op_spec.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// Makes a program of a <program>: its <op>s and <repeat>s, in their order. Mistakes go to the context.
class ProgramReader {
 public:
  ProgramReader(const Element& element, WorkloadContext& context);
  Program take() { return std::move(program_); }

 private:
  void read_children(const Element& parent);
  void read_repeat(const Element& repeat);
  void read_op(const Element& at);
  bool read_after(const Element& at, const std::string& text, std::vector<std::uint32_t>& after);
  /// What depends on the kind; false when a mistake was reported.
  bool fill(const Element& at, const OpSpec& spec, Op& op);
  static void set_every(const OpSpec& spec, Op& op);
  bool fill_collective(const Element& at, const OpSpec& spec, Op& op);
  bool fill_peer(const Element& at, const OpSpec& spec, Op& op);

  WorkloadContext& context_;
  Program program_;
  std::map<std::string, std::uint32_t> ids_;
  bool is_repeated_ = false;
};

}  // namespace lightrail
