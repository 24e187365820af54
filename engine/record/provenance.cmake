# Run at every build: writes OUTPUT with the version and `git describe`, only when they changed.
execute_process(COMMAND git describe --always --dirty --tags WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE describe OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR describe STREQUAL "")
  set(describe "unknown")
endif()
set(text "#pragma once\n#define LIGHTRAIL_VERSION \"${VERSION}\"\n#define LIGHTRAIL_GIT_DESCRIBE \"${describe}\"\n")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY)
