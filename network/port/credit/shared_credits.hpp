#pragma once
#include "network/port/flow_control.hpp"

namespace lightrail {

/// Credits for input buffers whose lanes have a reserve each and share the rest (InputBuffer::reserve). The
/// sender counts (SharedBuffer): it is the only one that fills the buffer, so what it may send is what is
/// free but for credits on their way. InfiniBand has credits by lane alone, and leaves to the receiver how it
/// spreads what is free over the lanes' limits; PCIe 6.0 counts shared credits as this does. Lanes that wait
/// take turns, one for each message of credits.
///
/// What is freed is told in batches as plain credits are, of a reserve less one train at most, so that what
/// is collected can never starve a lane of its reserve. Not behind optical switches, whose circuits change
/// who fills a buffer.
[[nodiscard]] const FlowControlKind& shared_credit_flow_control();

}  // namespace lightrail
