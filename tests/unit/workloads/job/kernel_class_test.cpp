#include <catch2/catch.hpp>

#include <string>

#include "workloads/job/kernel_class.hpp"

using namespace lightrail;

TEST_CASE("kernels are told by the libraries' habits of naming") {
  CHECK(classify_kernel("void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm>(x)") == KernelClass::gemm);
  CHECK(classify_kernel("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n") == KernelClass::gemm);
  CHECK(classify_kernel("nvjet_tst_128x256_64x4") == KernelClass::gemm);
  CHECK(classify_kernel("void flash_fwd_kernel<Flash_fwd_kernel_traits<128>>") == KernelClass::attention);
  CHECK(classify_kernel("fmha_cutlassF_f16_aligned_64x128_rf_sm80") == KernelClass::attention);
  CHECK(classify_kernel("Memcpy DtoH (Device -> Pageable)") == KernelClass::host_copy);
  CHECK(classify_kernel("Memcpy DtoD (Device -> Device)") == KernelClass::memory_bound);
  CHECK(classify_kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL(x)") == KernelClass::collective);
  CHECK(classify_kernel("triton__0d1d2d3de") == KernelClass::memory_bound);
}

TEST_CASE("short names keep what a reader needs") {
  CHECK(short_kernel_name("void at::native::elementwise_kernel<128, 4, f<g>(h)>(int, int)") ==
        "at::native::elementwise_kernel");
  CHECK(short_kernel_name("void (anonymous namespace)::softmax<c10::Half>(c10::Half*)") == "softmax");
  CHECK(short_kernel_name("Memcpy HtoD (Pinned -> Device)") == "Memcpy HtoD (Pinned -> Device)");
  CHECK(short_kernel_name(std::string(200, 'x')).size() == 96);
}

TEST_CASE("a kernel is told by its name whatever its case, and attention before the products in its name") {
  CHECK(classify_kernel("NCCLDEVKERNEL_AllGather") == KernelClass::collective);
  CHECK(classify_kernel("Cutlass::Kernel2<x>") == KernelClass::gemm);
  CHECK(classify_kernel("flash_fwd_splitkv_gemm") == KernelClass::attention);
  CHECK(classify_kernel("") == KernelClass::memory_bound);
}

TEST_CASE("a short name is never empty where the kernel has a name") {
  CHECK(short_kernel_name("") == "");
  CHECK(short_kernel_name("<lambda>") == "<lambda>");
  CHECK(short_kernel_name("void ") == "void ");
  CHECK(short_kernel_name("operator> (int)") == "operator> (int)");
  CHECK(short_kernel_name(std::string(96, 'x')) == std::string(96, 'x'));
}
