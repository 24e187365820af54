#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {

/// What is announced for an exchange whose demand is not known yet.
enum class Prediction : std::uint8_t {
  off,     ///< nothing: it waits
  on,      ///< its demand, wrong by what Regions::prediction says
  past,    ///< what the same exchange sent in the micro-batch before
  learned  ///< what follows, by transitions learned from past micro-batches, from the layer before
};

/// Model resource: servers joined by circuits of an optical switch, region by region. Servers are equal: NIC
/// i of each is optical or belongs to the packet fabric, and one GPU owns it. A GPU sends to another server
/// through a delegate: the local GPU that owns the NIC.
struct Regions {
  static constexpr std::uint32_t none = 0xffffffff;
  /// What a GPU can announce for one exchange [B].
  static constexpr std::int64_t max_demand = region_control::Demand::max_bytes;

  /// NIC `nic_a` of member `a` and NIC `nic_b` of member `b` see each other.
  struct Circuit {
    std::uint32_t a = 0, b = 0;
    std::uint16_t nic_a = 0, nic_b = 0;
    bool is_one_way = false;  ///< only b sees a
    bool operator==(const Circuit&) const = default;
  };
  struct Region {
    std::vector<std::uint32_t> servers;
    std::vector<Circuit> circuits;  ///< at the start
    /// members x members: where to send what is for a member that no circuit joins; empty: over the packet
    /// fabric.
    std::vector<std::uint16_t> next_hop;
    std::vector<std::uint8_t> failed;  ///< members x NICs: 1 where one is out of order; empty: none

    [[nodiscard]] bool works(std::uint32_t member, std::uint16_t nic) const {
      return failed.empty() || !failed[member * (failed.size() / servers.size()) + nic];
    }
  };
  struct Place {
    std::uint32_t region = none, member = 0;
  };

  std::vector<Region> regions;
  std::vector<Place> place_of_server;
  std::vector<std::uint16_t> optical_nics, packet_nics;  ///< of every server
  std::vector<std::uint16_t> gpu_of_nic;                 ///< local number of the GPU that owns it
  std::string dimension;                                 ///< whose traffic takes circuits ("ep"); empty: all
  bool is_controlled = false;
  bool joins_both = false;  ///< traffic of a pair with circuits takes packet NICs too
  bool gathers = true;      ///< what others have for a delegate takes NVLink's time
  bool scatters = true;     ///< so does what a delegate got for others
  Prediction predicts = Prediction::off;
  double prediction = 1;                  ///< 1: what is announced is right; 0: even
  bool is_early = true;                   ///< known demand is announced when the exchange before it ends
  BitRate circuit_rate{}, packet_rate{};  ///< of a NIC

  /// Ports that each member has for circuits.
  [[nodiscard]] std::vector<std::uint32_t> ports(const Region& region) const {
    std::vector<std::uint32_t> count(region.servers.size(), 0);
    for (std::uint32_t m = 0; m < count.size(); ++m)
      for (const std::uint16_t nic : optical_nics) count[m] += region.works(m, nic);
    return count;
  }
  [[nodiscard]] Place place(std::uint32_t server) const {
    return server < place_of_server.size() ? place_of_server[server] : Place{};
  }
  [[nodiscard]] bool is_optical(std::uint16_t nic) const {
    for (std::uint16_t i : optical_nics)
      if (i == nic) return true;
    return false;
  }
};

}  // namespace lightrail
