# lightrail_test_network: the test bed of the network devices, built once however many folders use it.
include_guard(GLOBAL)
lightrail_library(lightrail_test_network
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/network_bed.cpp
  LINKS lightrail_nic lightrail_switch lightrail_ethernet-switch lightrail_nvswitch lightrail_ocs)
