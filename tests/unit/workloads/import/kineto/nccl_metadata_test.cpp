#include <catch2/catch.hpp>

#include "workloads/import/kineto/nccl_metadata.hpp"

using namespace lightrail;

TEST_CASE("a communication is told by its kernel, point-to-point ones by their call") {
  CHECK(nccl_operation("ncclDevKernel_AllReduce_Sum_f16_RING_LL", "")->type == CollectiveType::all_reduce);
  CHECK(nccl_operation("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "")->type ==
        CollectiveType::reduce_scatter);
  CHECK(nccl_operation("ncclDevKernel_SendRecv", "all_to_allv")->type == CollectiveType::all_to_all);
  CHECK(nccl_operation("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t", "alltoall_base_")->type ==
        CollectiveType::all_to_all);
  CHECK(nccl_operation("ncclDevKernel_SendRecv", "send")->kind == OpKind::send);
  CHECK(!nccl_operation("ncclDevKernel_SendRecv", "coalesced"));
  CHECK(!nccl_operation("ncclDevKernel_Reduce_Sum_f32_RING_LL", "reduce"));
}

TEST_CASE("element sizes come from type names or the kernel's suffix") {
  CHECK(element_bytes_of_type("c10::Half") == 2);
  CHECK(element_bytes_of_type("BFloat16") == 2);
  CHECK(element_bytes_of_type("float") == 4);
  CHECK(element_bytes_of_type("long int") == 8);
  CHECK(element_bytes_of_type("c10::Float8_e4m3fn") == 1);
  CHECK(element_bytes_of_type("TensorList") == 0);
  CHECK(element_bytes_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL") == 4);
  CHECK(element_bytes_of_kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL") == 2);
  CHECK(element_bytes_of_kernel("ncclDevKernel_AllGather_RING_LL") == 0);
  CHECK(element_bytes_of_kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)") == 4);
  CHECK(element_bytes_of_kernel("ncclKernel_ReduceScatter_RING_LL_Sum___nv_bfloat16") == 2);
  CHECK(element_bytes_of_kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_uint8_t") == 0);
}

TEST_CASE("what an event's own arguments do not say is taken from the calls around it") {
  KinetoEvent params;
  params.name = "record_param_comms";
  params.input_dims = "[[[4, 2048, 4096], [2]], [], []]";
  params.input_types = R"(["TensorList", "Scalar"])";
  params.concrete_inputs = R"(["", "337", "93825114103440", "0", "", "[]", "[]", "8"])";
  KinetoEvent annotation;
  annotation.name = "nccl:all_reduce";
  annotation.input_types = R"(["c10::Half"])";
  NcclMetadata m = nccl_metadata(params);
  m.complete(nccl_metadata(annotation));
  CHECK(m.in_elements == 4ll * 2048 * 4096 + 2);
  CHECK(m.group_size == 8);
  CHECK(m.collective == "all_reduce");
  CHECK(m.dtype == "c10::Half");
}
