#pragma once
#include "engine/base/error.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// What comes of <congestion-control>, where there is one: CongestionControl and its parameters. `model` has
/// the system, with the element's CongestionSpec, and NcclSettings. Mistakes go to `errors`: a table that is
/// none or too short for the limit, and systems that it does not work in (without NICs and switches, with
/// optical switches, with PXN over several rails).
[[nodiscard]] ModelPart read_congestion(const Scenario& scenario, const Model& model, ErrorList& errors);

/// The same of <dcqcn>: Dcqcn and its parameters. Mistakes: the same systems, and switches that mark nothing.
[[nodiscard]] ModelPart read_dcqcn(const Scenario& scenario, const Model& model, ErrorList& errors);

/// The same of <nscc>: Nscc and its parameters. Mistakes: the same systems, switches that mark nothing, NICs
/// that do not acknowledge every packet, and another congestion control beside it.
[[nodiscard]] ModelPart read_nscc(const Scenario& scenario, const Model& model, ErrorList& errors);

/// The same of <dctcp>: Dctcp and its parameters. Mistakes: the same systems, switches that mark nothing,
/// NICs that do not acknowledge every class, and another congestion control beside it.
[[nodiscard]] ModelPart read_dctcp(const Scenario& scenario, const Model& model, ErrorList& errors);

/// The same of <timely>: Timely and its parameters. Switches need not mark; limits in the wrong order.
[[nodiscard]] ModelPart read_timely(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail
