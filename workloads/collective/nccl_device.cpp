#include "workloads/collective/nccl_device.hpp"

#include <algorithm>

namespace lightrail {

Describe<NcclDevice> nccl_device_parameters() {
  using D = NcclDevice;
  const SimTime zero{0}, most = milliseconds(1);
  const BitRate none{0}, one{1}, fastest{1'000'000'000'000'000};
  return Describe<D>()
      .required("base-ll", &D::base_ll, "start of a ring collective, LL", zero, most)
      .required("base-ll128", &D::base_ll128, "start of a ring collective, LL128", zero, most)
      .required("base-simple", &D::base_simple, "start of a ring collective, Simple", zero, most)
      .required("nvlink-ll", &D::nvlink_ll, "one step over NVLink, LL", zero, most)
      .required("nvlink-ll128", &D::nvlink_ll128, "one step over NVLink, LL128", zero, most)
      .required("nvlink-simple", &D::nvlink_simple, "one step over NVLink, Simple", zero, most)
      .required("efficiency-ll", &D::efficiency_ll, "payload share of the wire, LL", 0.01, 1.0)
      .required("efficiency-ll128", &D::efficiency_ll128, "payload share of the wire, LL128", 0.01, 1.0)
      .required("efficiency-simple", &D::efficiency_simple, "payload share of the wire, Simple", 0.01, 1.0)
      .field("copy-rate", &D::copy_rate, "a ring kernel copies its own block; 0: costs nothing", none,
             fastest)
      .field("channel-rate", &D::channel_rate,
             "one NCCL channel passes on what goes over a tree of servers; 0: costs nothing", none, fastest)
      .required("point-ll", &D::point_ll, "start of a send, receive or all-to-all, LL", zero, most)
      .required("point-simple", &D::point_simple, "start of a send, receive or all-to-all, Simple", zero,
                most)
      .field("point-efficiency", &D::point_efficiency, "share of the link that these reach, Simple", 0.01,
             1.0)
      .field("nvls", &D::nvls, "start of a collective in the NVSwitch", zero, most)
      .field("nvls-tree-net", &D::nvls_tree_net,
             "one level of an NVLS-tree over the network; 0: as <nccl> says", zero, most)
      .field("nvls-tree-rate", &D::nvls_tree_rate,
             "most that a head of an NVLS-tree moves, bus bandwidth; 0: no limit", none, fastest)
      .required("ll-max-rate", &D::ll_max_rate, "NCCL's limit of LL, one server", one, fastest)
      .required("ll-max-rate-2", &D::ll_max_rate_2, "NCCL's limit of LL, two servers", one, fastest)
      .required("ll-max-rate-4", &D::ll_max_rate_4, "NCCL's limit of LL, more servers", one, fastest)
      .required("ll128-max-rate", &D::ll128_max_rate, "NCCL's limit of LL128, all channels", one, fastest)
      .field("ll128-tree-rate-2", &D::ll128_tree_rate_2,
             "... of a tree over two servers, bus bandwidth; 0: as ll128-max-rate", none, fastest)
      .field("ll128-tree-rate-4", &D::ll128_tree_rate_4, "... over more servers", none, fastest)
      .field(
          "deepep-sm-rate", &D::deepep_sm_rate,
          "DeepEP, normal: what each multiprocessor moves over NVLink, where <nccl> has such a limit; 0: as "
          "<nccl> says",
          none, fastest)
      .field("deepep-low-latency-nvlink", &D::deepep_low_latency_nvlink,
             "DeepEP, low latency, in one server: a dispatch or combine without its bytes; 0: as <nccl> says",
             zero, most)
      .field("deepep-low-latency-nvlink-efficiency", &D::deepep_low_latency_nvlink_efficiency,
             "DeepEP, low latency, in one server: share of NVLink; 0: as <nccl> says", 0.0, 1.0);
}

NcclDevice slower(const NcclDevice& a, const NcclDevice& b) {
  NcclDevice both;
  auto later = [&](SimTime NcclDevice::*member) { both.*member = std::max(a.*member, b.*member); };
  for (auto member : {&NcclDevice::base_ll, &NcclDevice::base_ll128, &NcclDevice::base_simple,
                      &NcclDevice::nvlink_ll, &NcclDevice::nvlink_ll128, &NcclDevice::nvlink_simple,
                      &NcclDevice::point_ll, &NcclDevice::point_simple, &NcclDevice::nvls,
                      &NcclDevice::nvls_tree_net, &NcclDevice::deepep_low_latency_nvlink})
    later(member);
  for (auto member : {&NcclDevice::efficiency_ll, &NcclDevice::efficiency_ll128,
                      &NcclDevice::efficiency_simple, &NcclDevice::point_efficiency})
    both.*member = std::min(a.*member, b.*member);
  for (auto member : {&NcclDevice::ll_max_rate, &NcclDevice::ll_max_rate_2, &NcclDevice::ll_max_rate_4,
                      &NcclDevice::ll128_max_rate})
    both.*member = std::min(a.*member, b.*member);
  // 0: not given.
  auto least_given = [](auto x, auto y) {
    const decltype(x) none{};
    return x > none && y > none ? std::min(x, y) : std::max(x, y);
  };
  for (auto member :
       {&NcclDevice::copy_rate, &NcclDevice::channel_rate, &NcclDevice::nvls_tree_rate,
        &NcclDevice::ll128_tree_rate_2, &NcclDevice::ll128_tree_rate_4, &NcclDevice::deepep_sm_rate})
    both.*member = least_given(a.*member, b.*member);
  both.deepep_low_latency_nvlink_efficiency =
      least_given(a.deepep_low_latency_nvlink_efficiency, b.deepep_low_latency_nvlink_efficiency);
  return both;
}

}  // namespace lightrail
