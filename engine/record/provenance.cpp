#include "engine/record/provenance.hpp"

#include "engine/record/provenance_values.hpp"  // generated at build time

namespace lightrail {

const char* software_version() {
  return LIGHTRAIL_VERSION;
}
const char* git_describe() {
  return LIGHTRAIL_GIT_DESCRIBE;
}

}  // namespace lightrail
