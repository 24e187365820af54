#include "links/train_settings.hpp"

namespace lightrail {

Describe<TrainSettings> train_settings_table() {
  Describe<TrainSettings> table;
  table
      .field("mtu", &TrainSettings::mtu, "largest payload of a packet, on every link", Bytes{64},
             Bytes{65536})
      .field("grain", &TrainSettings::grain, "packets in a train on PCIe and fabric links", 1u, 4096u)
      .field("nvlink-grain", &TrainSettings::nvlink_grain, "packets in a train on NVLink", 1u, 65'535u);
  return table;
}

}  // namespace lightrail
