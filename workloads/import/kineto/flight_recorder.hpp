#pragma once
#include <functional>
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_event.hpp"

namespace lightrail {

/// Whether a file is a dump of PyTorch's NCCL flight recorder as JSON, by its first bytes. Throws InputErrors
/// for one that is a pickle.
[[nodiscard]] bool is_flight_recorder(const std::string& path);

/// Reads such a dump (TORCH_NCCL_TRACE_BUFFER_SIZE; keys pg_config and entries): every entry becomes a launch
/// when it was created and a kernel of its recorded duration, on a stream of its process group, as Kineto
/// would have them. Sends and receives right before an entry 'coalesced' of their group and sequence numbers
/// are its parts, which one kernel executes; other coalesced entries, whose parts ran by themselves, are left
/// out.
/// What was inferred goes to `notes`. Throws InputErrors naming file and entry.
void read_flight_recorder(const std::string& path, const std::function<void(const KinetoEvent&)>& on_event,
                          std::vector<std::string>& notes);

}  // namespace lightrail
