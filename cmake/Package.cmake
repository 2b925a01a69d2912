# `cpack -G DEB` in a build tree makes a package for Debian or Ubuntu of what cmake --install puts in place, which depends
# on the libraries of the distribution that it was built on.
file(STRINGS "${PROJECT_SOURCE_DIR}/LICENSE" holder REGEX "^Copyright")
string(REGEX REPLACE "^Copyright \\(c\\) [0-9]+ (.*)$" "\\1" holder "${holder}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gaia)
set(CPACK_PACKAGE_VENDOR "${holder}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "The command gaia runs experiments with plastic layers (Hebbian, Oja, Sanger, BCM, or any rule
written as its equation) on time series, trials and spikes, and reports what learning was worth.
The package has the command, gpu_benchmark, the C++ library with its headers, the experiments of the
gallery and their data.")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_POST_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/PackageSize.cmake")
# A umask of this machine says nothing of another.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${holder}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# OpenBLAS is looked up when gaia runs, and does decompositions in half the time or less.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-serial | libopenblas0")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, python3-h5netcdf, python3-xarray")
include(CPack)
