#include "workloads/import/kineto/runtime_call_kind.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;
using Kind = RuntimeCall::Kind;

TEST_CASE("calls of CUDA's runtime and driver and of HIP mean the same") {
  for (const char* launch :
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "hipLaunchKernel", "hipExtLaunchKernel",
        "hipModuleLaunchKernel", "hipExtModuleLaunchKernel", "cudaGraphLaunch", "hipGraphLaunch",
        "cudaMemcpyAsync", "hipMemcpyWithStream", "cuMemsetD32Async", "hipMemsetAsync"}) {
    CAPTURE(launch);
    CHECK(runtime_call_kind(launch) == Kind::launch);
  }
  CHECK(runtime_call_kind("hipEventRecord") == Kind::event_record);
  CHECK(runtime_call_kind("hipStreamWaitEvent") == Kind::stream_wait);
  CHECK(runtime_call_kind("hipStreamSynchronize") == Kind::stream_sync);
  CHECK(runtime_call_kind("cuCtxSynchronize") == Kind::device_sync);
  CHECK(runtime_call_kind("hipDeviceSynchronize") == Kind::device_sync);
  CHECK(runtime_call_kind("cudaFree") == Kind::device_sync);
  CHECK(runtime_call_kind("hipFree") == Kind::device_sync);
  CHECK(runtime_call_kind("hipEventSynchronize") == Kind::event_sync);
  CHECK(!runtime_call_kind("cudaFreeHost"));
  CHECK(!runtime_call_kind("hipGetDevice"));
  CHECK(!runtime_call_kind("aten::mm"));
}
