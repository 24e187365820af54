#include "workloads/job/kernel_class.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>

namespace lightrail {

namespace {

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

}  // namespace

KernelClass classify_kernel(const std::string& name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (has_any(text, {"nccldevkernel", "ncclkernel"})) return KernelClass::collective;
  if (has_any(text, {"memcpy htod", "memcpy dtoh"})) return KernelClass::host_copy;
  if (has_any(text, {"flash", "fmha", "attention_kernel", "cudnn_generated_fort_native_sdpa"}))
    return KernelClass::attention;
  if (has_any(text, {"gemm", "cutlass::kernel", "xmma", "cublas", "nvjet", "gemv"})) return KernelClass::gemm;
  return KernelClass::memory_bound;
}

std::string short_kernel_name(const std::string& name) {
  std::string text;
  int angle = 0;
  std::size_t begin = name.rfind("void ", 0) == 0 ? 5 : 0;
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t i = begin; i < name.size(); ++i) {
    char c = name[i];
    if (angle == 0 && name.compare(i, anonymous.size(), anonymous) == 0) {
      i += anonymous.size() - 1;
      continue;
    }
    if (c == '<')
      ++angle;
    else if (c == '>' && angle > 0)
      --angle;
    else if (angle == 0 && c == '(' && i > begin && name[i - 1] != ' ')
      break;
    else if (angle == 0)
      text += c;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.empty()) text = name;
  if (text.size() > 96) text.resize(96);
  return text;
}

}  // namespace lightrail
