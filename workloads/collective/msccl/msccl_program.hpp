#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// What a step of MSCCL does with a chunk.
enum class MscclStepKind : std::uint8_t {
  nop,
  send,                      ///< s
  receive,                   ///< r
  receive_copy_send,         ///< rcs
  receive_reduce_copy,       ///< rrc
  receive_reduce_send,       ///< rrs
  receive_reduce_copy_send,  ///< rrcs
  copy,                      ///< cpy
  reduce                     ///< re
};

/// Buffers of a GPU, by their letters in the file.
enum class MscclBuffer : std::uint8_t { input, output, scratch };

struct MscclStep {
  MscclStepKind kind = MscclStepKind::nop;
  MscclBuffer from = MscclBuffer::input, to = MscclBuffer::input;
  std::uint32_t from_chunk = 0, to_chunk = 0, count = 1;
  std::int32_t after_block = -1, after_step = -1;  ///< -1: no step of another block
  int line = 0;

  [[nodiscard]] bool receives() const {
    return kind == MscclStepKind::receive || kind == MscclStepKind::receive_copy_send ||
           kind == MscclStepKind::receive_reduce_copy || kind == MscclStepKind::receive_reduce_send ||
           kind == MscclStepKind::receive_reduce_copy_send;
  }
  [[nodiscard]] bool sends() const {
    return kind == MscclStepKind::send || kind == MscclStepKind::receive_copy_send ||
           kind == MscclStepKind::receive_reduce_send || kind == MscclStepKind::receive_reduce_copy_send;
  }
};

/// Steps that follow one another, with at most one GPU that they send to and one that they receive from.
struct MscclBlock {
  std::int32_t send_to = -1, receive_from = -1;
  std::uint32_t channel = 0;
  std::vector<MscclStep> steps;
  int line = 0;
};

struct MscclGpu {
  std::uint32_t chunks[3] = {0, 0, 0};  ///< by MscclBuffer
  std::vector<MscclBlock> blocks;
  int line = 0;
};

/// A collective as MSCCL's XML describes it: what each GPU does with the chunks of its buffers.
struct MscclProgram {
  std::string file, name;
  CollectiveType collective = CollectiveType::none;
  Protocol protocol = Protocol::simple;
  bool is_in_place = false;
  std::uint32_t chunks = 0;  ///< of the whole buffer of the collective (Op::bytes)
  std::vector<MscclGpu> gpus;
};

/// Reads and checks a file: numbers, partners, who is sent what. Throws InputErrors with its line.
[[nodiscard]] MscclProgram read_msccl(const std::string& path);

/// Executes it on names of chunks instead of bytes. Throws InputErrors with the line of a step that reads
/// what is not there, of one that waits for ever, or of the GPU whose result is not the collective's.
void check_msccl(const MscclProgram& program);

}  // namespace lightrail
