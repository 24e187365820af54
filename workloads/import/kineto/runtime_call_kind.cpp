#include "workloads/import/kineto/runtime_call_kind.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lightrail {

std::optional<RuntimeCall::Kind> runtime_call_kind(const std::string& name) {
  using Kind = RuntimeCall::Kind;
  static constexpr std::array<std::pair<std::string_view, Kind>, 13> calls{
      {{"Launch", Kind::launch},
       {"ExtLaunch", Kind::launch},
       {"ModuleLaunch", Kind::launch},
       {"ExtModuleLaunch", Kind::launch},
       {"GraphLaunch", Kind::launch},
       {"Memcpy", Kind::launch},
       {"Memset", Kind::launch},
       {"EventRecord", Kind::event_record},
       {"StreamWaitEvent", Kind::stream_wait},
       {"StreamSynchronize", Kind::stream_sync},
       {"DeviceSynchronize", Kind::device_sync},
       {"CtxSynchronize", Kind::device_sync},
       {"EventSynchronize", Kind::event_sync}}};
  std::string_view rest;
  for (const std::string_view prefix : {"cuda", "hip", "cu"})
    if (name.rfind(prefix, 0) == 0) {
      rest = std::string_view(name).substr(prefix.size());
      break;
    }
  if (rest == "Free" && name != "cuFree") return Kind::device_sync;
  const auto it = std::find_if(calls.begin(), calls.end(), [&](const auto& call) {
    return rest.substr(0, call.first.size()) == call.first;
  });
  return it == calls.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace lightrail
