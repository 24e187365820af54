#include "workloads/import/trace_gpu.hpp"

#include <algorithm>
#include <cctype>

namespace lightrail {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  Words words(1);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0)
      words.back() += static_cast<char>(std::tolower(byte));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "80gb", or "" where no word is a size of memory.
std::string memory_of(const Words& words) {
  for (const std::string& word : words)
    if (word.size() > 2 && word.ends_with("gb") &&
        std::all_of(word.begin(), word.end() - 2, [](char c) { return c >= '0' && c <= '9'; }))
      return word;
  return "";
}

/// Boards of one model that differ in clocks and memory.
bool is_other_board(const Words& name, const Words& gpu) {
  const Words boards{"pcie", "nvl"};
  return std::any_of(boards.begin(), boards.end(),
                     [&](const std::string& board) { return has(name, board) != has(gpu, board); });
}

}  // namespace

std::string gpu_called(const std::string& name, const std::vector<std::string>& gpus) {
  if (name.find(", ") != std::string::npos) return "";
  const Words called = words_of(name);
  for (const std::string& gpu : gpus) {
    const Words words = words_of(gpu);
    if (words.empty() || !has(called, words.front()) || is_other_board(called, words)) continue;
    const std::string told = memory_of(called), known = memory_of(words);
    if (told.empty() || known.empty() || told == known) return gpu;
  }
  return "";
}

}  // namespace lightrail
