#pragma once
#include <cstdint>
#include <string>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "network/port/pause/pause_flow_control.hpp"

namespace lightrail {

/// What a device with pauses (PFC) says of them in a scenario. Its Spec derives from this.
struct PauseSpec {
  std::string lossless = "0";  ///< classes, "0,3"; "none"
  double alpha = 0;            ///< 0: all that is free
  BitRate alpha_rate{0};       ///< of ports that `alpha` is for; 0: of all
  Bytes class_reserve{0};
  Bytes headroom{0};  ///< 0: what the link needs
  Bytes resume_offset{0};
  SimTime reaction{};  ///< 0: the most that the standard allows at the link's rate
  std::uint32_t quanta = 65'535;
};

/// The parameters that switches and NICs have alike. XSpec derives from PauseSpec.
template <class XSpec>
void add_pause_fields(Describe<XSpec>& table) {
  const auto of = []<class T>(T PauseSpec::*member) -> T XSpec::* { return member; };
  table
      .field("lossless", of(&PauseSpec::lossless),
             "classes (virtual lanes) whose senders are paused before anything is lost, as 0 or 0,3; or none")
      .field("headroom", of(&PauseSpec::headroom),
             "of a port and lossless class, for what is on its way when a pause begins; without it what the "
             "link needs",
             Bytes{64}, Bytes{1ll << 31})
      .field("resume-offset", of(&PauseSpec::resume_offset),
             "how far below the threshold a paused sender may go on", Bytes{0}, Bytes{1ll << 31})
      .field("pause-reaction", of(&PauseSpec::reaction),
             "from hearing a pause to the last packet's start; without it the most that IEEE 802.3 annex "
             "31B.3.7 allows at the link's rate",
             picoseconds(1), milliseconds(1))
      .field("pause-quanta", of(&PauseSpec::quanta),
             "of a pause, each 512 bit times; it is renewed at half of that", 1u, 65'535u);
}

/// Of all that the element says, for a device with `lanes` and `buffer` for all ports.
[[nodiscard]] PauseSettings pause_settings(const PauseSpec& spec, std::uint32_t lanes, Bytes buffer);

/// Adds errors: a class that is none of the `lanes`; reserves and headroom of one port that are more than
/// `buffer` (those of all ports are counted when they are known: PauseFlowControl::make_receiver()).
void check_pauses(const Element& element, const PauseSpec& spec, std::uint32_t lanes, Bytes buffer,
                  ErrorList& errors);

}  // namespace lightrail
