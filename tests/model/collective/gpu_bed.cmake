# lightrail_test_gpu_bed: a small cluster of GPUs with programs, built once however many folders use it.
include_guard(GLOBAL)
include(${CMAKE_SOURCE_DIR}/tests/support/network_bed.cmake)
lightrail_library(lightrail_test_gpu_bed
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/gpu_bed.cpp
  LINKS lightrail_test_network lightrail_cli lightrail_gpu lightrail_host lightrail_storage)
