#pragma once

namespace lightrail {

/// A Model resource: messages travel whole, and no input buffer limits what a port sends. Ports then have
/// their rates and nothing else.
struct WholeMessages {};

}  // namespace lightrail
