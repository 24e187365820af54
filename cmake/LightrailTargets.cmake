# Warnings, include path and sanitizers in one interface target.
add_library(lightrail_options INTERFACE)
target_include_directories(lightrail_options INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include/lightrail>)
set(lightrail_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual)
if(LIGHTRAIL_WERROR)
  list(APPEND lightrail_warnings -Werror)
endif()
target_compile_options(lightrail_options INTERFACE "$<BUILD_INTERFACE:${lightrail_warnings}>")
if(LIGHTRAIL_SANITIZE)
  target_compile_options(lightrail_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(lightrail_options INTERFACE -fsanitize=address,undefined)
endif()

# Profiles lie beside the object files, so that both builds need the same folder. Code that no run came by is
# optimised as ever.
if(LIGHTRAIL_PROFILE STREQUAL "record")
  target_compile_options(lightrail_options INTERFACE -fprofile-generate)
  target_link_options(lightrail_options INTERFACE -fprofile-generate)
elseif(LIGHTRAIL_PROFILE STREQUAL "use")
  target_compile_options(lightrail_options INTERFACE -fprofile-use -fprofile-partial-training
    -Wno-missing-profile)
elseif(LIGHTRAIL_PROFILE)
  message(FATAL_ERROR "LIGHTRAIL_PROFILE is ${LIGHTRAIL_PROFILE}, wanted record or use")
endif()

# Headers of other libraries that many sources include are compiled once. Each file includes what it uses
# all the same: tools/gate looks at their text, tools/check-headers and tools/check-tidy compile them without
# these (CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds so). ccache needs
# CCACHE_SLOPPINESS=pch_defines,time_macros.
set(lightrail_common_headers <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional>
  <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/common_headers.cpp CONTENT "")
add_library(lightrail_common_headers OBJECT ${CMAKE_BINARY_DIR}/common_headers.cpp)
target_link_libraries(lightrail_common_headers PRIVATE lightrail_options fmt::fmt)
target_precompile_headers(lightrail_common_headers PRIVATE ${lightrail_common_headers})

# lightrail_library(name SOURCES ... LINKS ...): a static library with the project's options.
function(lightrail_library name)
  cmake_parse_arguments(A "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_link_libraries(${name} PUBLIC lightrail_options ${A_LINKS})
  target_precompile_headers(${name} REUSE_FROM lightrail_common_headers)
endfunction()

if(LIGHTRAIL_TESTS)
  # Catch2's main is compiled once, and its header once for all sources of tests: an executable, since code
  # for executables and for libraries cannot share precompiled headers.
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/catch_main.cpp
       CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
  add_library(lightrail_catch_main STATIC ${CMAKE_BINARY_DIR}/catch_main.cpp)
  target_link_libraries(lightrail_catch_main PUBLIC Catch2::Catch2)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cpp CONTENT "int main() {}\n")
  add_executable(lightrail_test_headers ${CMAKE_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(lightrail_test_headers PRIVATE lightrail_options fmt::fmt Catch2::Catch2)
  target_precompile_headers(lightrail_test_headers PRIVATE ${lightrail_common_headers} <catch2/catch.hpp>)
endif()

# lightrail_test(name LABEL unit SOURCES ... LINKS ...): one Catch2 executable, one ctest entry. The target
# tests_LABEL builds all executables of a label.
function(lightrail_test name)
  cmake_parse_arguments(A "" "LABEL" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE lightrail_options lightrail_catch_main ${A_LINKS})
  target_precompile_headers(${name} REUSE_FROM lightrail_test_headers)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${A_LABEL} TIMEOUT 1800)
  if(NOT TARGET tests_${A_LABEL})
    add_custom_target(tests_${A_LABEL})
  endif()
  add_dependencies(tests_${A_LABEL} ${name})
endfunction()
