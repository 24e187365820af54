# `cpack` makes a Debian package of what `cmake --install` installs; dpkg-shlibdeps finds the libraries that
# it needs, so that it belongs to the release of Debian it was built on.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lightrail)
set(CPACK_PACKAGE_CONTACT "Lightrail developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of GPU clusters and their networks")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# mpiexec, and what the Python package opens and draws results with.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "mpich, python3-h5py, python3-matplotlib, python3-numpy, python3-pandas, python3-plotly")
include(CPack)
