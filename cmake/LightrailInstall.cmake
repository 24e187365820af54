# `cmake --install` gives bin/lightrail, share/lightrail/{configs,scenarios}, documents, the Python package
# and what a plugin built outside the tree needs: the headers and static libraries that it stands on, and
# lightrailConfig.cmake. Everything is found from where it lies, so that the prefix may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS lightrail RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY configs scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/lightrail
        PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN results EXCLUDE)

install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Where Debian's Python looks below /usr; below another prefix for PYTHONPATH.
install(DIRECTORY postprocess/lightrail_post DESTINATION lib/python3/dist-packages
        PATTERN __pycache__ EXCLUDE)

# The command prints what shells and man read from its own table of options.
install(CODE "
  function(install_words_of_lightrail file)
    execute_process(COMMAND \"$<TARGET_FILE:lightrail>\" \${ARGN}
                    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
    set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/\${file}\")
    message(STATUS \"Installing: \${path}\")
    file(WRITE \"\${path}\" \"\${text}\")
  endfunction()
  install_words_of_lightrail(man/man1/lightrail.1 man)
  install_words_of_lightrail(bash-completion/completions/lightrail completion bash)
")

set(sdk options base scenario model network links controller fabrics program collective job)
foreach(name IN LISTS sdk)
  set_target_properties(lightrail_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS lightrail_${name} EXPORT lightrailTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
# An include path is a path of the repository, so the headers keep their folders.
foreach(folder engine/base engine/scenario engine/model network links fabrics
               workloads/program workloads/collective workloads/job app/registry)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lightrail/${parent}
          FILES_MATCHING PATTERN *.hpp PATTERN patch_panel EXCLUDE)  # which stands on a controller
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lightrail)
install(EXPORT lightrailTargets NAMESPACE lightrail:: DESTINATION ${package_dir})
configure_package_config_file(cmake/lightrailConfig.cmake.in ${CMAKE_BINARY_DIR}/lightrailConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lightrailConfigVersion.cmake COMPATIBILITY
  SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lightrailConfig.cmake ${CMAKE_BINARY_DIR}/lightrailConfigVersion.cmake
        DESTINATION ${package_dir})
