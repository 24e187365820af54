# Every library comes from Debian 12; nothing is downloaded, and nothing is optional: what is missing is an
# error.
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(fmt 9 REQUIRED)
find_package(pugixml REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)

set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "lightrail needs parallel HDF5 (Debian: libhdf5-mpich-dev)")
endif()

find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)

if(LIGHTRAIL_TESTS)
  find_package(Catch2 2.13 REQUIRED)
endif()

# The first python3 on PATH may not be the one that has h5py.
find_program(LIGHTRAIL_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
