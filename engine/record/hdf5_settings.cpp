#include "engine/record/hdf5_settings.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {

void prepare_hdf5() {
  H5dont_atexit();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void forbid_eviction(hid_t file) {
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  H5Fget_mdc_config(file, &config);
  config.evictions_enabled = false;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  H5Fset_mdc_config(file, &config);
}

Hdf5Handle make_space(std::int64_t rows) {
  auto extent = static_cast<hsize_t>(rows);
  return {H5Screate_simple(1, &extent, nullptr), H5Sclose};
}

hid_t memory_type(ColumnType type) {
  switch (type) {
    case ColumnType::int64:
    case ColumnType::name:
      return H5T_NATIVE_INT64;
    case ColumnType::float64:
      return H5T_NATIVE_DOUBLE;
  }
  fail_contract("a column has a type", __FILE__, __LINE__);
}

Hdf5Handle select_rows(hid_t space, std::int64_t first, std::int64_t count) {
  auto begin = static_cast<hsize_t>(first), rows = static_cast<hsize_t>(count);
  Hdf5Handle in_memory = make_space(std::max<std::int64_t>(count, 1));
  if (count == 0) {
    H5Sselect_none(space);
    H5Sselect_none(in_memory.get());
  } else {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, nullptr, &rows, nullptr);
  }
  return in_memory;
}

}  // namespace lightrail
