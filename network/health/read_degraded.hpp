#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// Which way of a cable is degraded, seen from the end that is named.
enum class DegradedWay : std::uint8_t { both, out, in };

/// <degrade>: cables that work, but badly, for the whole run.
struct DegradeSpec {
  std::string link;        ///< as Fault's `what`
  std::string rate = "1";  ///< a share of the cable's payload rate, or a rate
  SimTime latency{};       ///< added to the cable's [ps]
  double errors = 0;       ///< probability that FEC cannot correct a codeword, added to the cable's [1]
  DegradedWay way = DegradedWay::both;
};

[[nodiscard]] Describe<DegradeSpec> degrade_parameters();

/// Links that have been of one class and are degraded alike: what class they are of now.
struct DegradedLinks {
  std::vector<LinkId> links;  ///< rising
  std::uint16_t was = 0;      ///< index into Model::link_classes
  LinkClass now;
};

/// All links that are degraded. A Model resource; absent where none is.
struct DegradedCables {
  std::vector<LinkId> links;
};

/// What the <degrade>s of a scenario's <faults> make of links. `root`: <scenario>; `model` has all components
/// and links. Mistakes (an unknown component, a port without a cable, a link at an optical switch, a rate
/// above the cable's, errors that let hardly a train through, a link that is degraded twice) go to `errors`.
[[nodiscard]] std::vector<DegradedLinks> read_degraded(const Element& root, const Model& model,
                                                       ErrorList& errors);

}  // namespace lightrail
