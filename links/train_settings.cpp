#include "links/train_settings.hpp"

namespace lightrail {

Describe<TrainSettings> train_settings_table() {
  Describe<TrainSettings> table;
  table
      .field("mtu", &TrainSettings::mtu, "largest payload of a packet, on every link", Bytes{64},
             Bytes{TrainSettings::max_mtu})
      .field("grain", &TrainSettings::grain,
             "packets in a train on PCIe and fabric links; on the fabric never more than a tenth of its "
             "smallest buffer, or an eighth of the queue that <congestion-control> marks at",
             1u, TrainSettings::max_grain)
      .field("nvlink-grain", &TrainSettings::nvlink_grain, "packets in a train on NVLink", 1u,
             TrainSettings::max_nvlink_grain)
      .field("trains-per-message", &TrainSettings::trains_per_message,
             "of a message at least where it meets others: where it enters a fabric, and elsewhere while "
             "several "
             "take turns; 1: small messages go in one",
             1u, TrainSettings::max_trains_per_message)
      .field("send-ahead", &TrainSettings::send_ahead,
             "senders give a busy line further trains for so long ahead: fewer events; what is posted later "
             "waits "
             "as long",
             SimTime{0}, milliseconds(10))
      .choice(
          "arrivals", &TrainSettings::arrivals,
          "what NICs tell GPUs of: the first train and the rest of a batch (a work request, or 255 trains "
          "of one), or each train, for an event more a train",
          {{"batches", ArrivalReports::batches}, {"trains", ArrivalReports::trains}});
  return table;
}

}  // namespace lightrail
