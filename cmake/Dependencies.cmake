# What gaia stands on.  Everything comes from the distribution; a missing package is named.

function(gaia_require found package debian)
  if(NOT ${found})
    message(FATAL_ERROR
      "gaia needs ${package}, which was not found.  On Debian or Ubuntu:\n"
      "  apt-get install ${debian}\n"
      "or let ./scripts/setup install all that is needed.")
  endif()
endfunction()

find_package(Threads REQUIRED)

if(GAIA_MPI)
  find_package(MPI QUIET COMPONENTS C)
  gaia_require(MPI_C_FOUND "MPI (GAIA_MPI=ON)" "libopenmpi-dev openmpi-bin")
endif()

find_package(Eigen3 3.4 QUIET NO_MODULE)
gaia_require(Eigen3_FOUND "Eigen 3.4" libeigen3-dev)

find_package(fmt QUIET)
gaia_require(fmt_FOUND "fmt" libfmt-dev)

find_package(spdlog QUIET)
gaia_require(spdlog_FOUND "spdlog" libspdlog-dev)

find_package(nlohmann_json QUIET)
gaia_require(nlohmann_json_FOUND "nlohmann-json" nlohmann-json3-dev)

find_package(CLI11 QUIET)
gaia_require(CLI11_FOUND "CLI11" libcli11-dev)

find_package(OpenSSL QUIET COMPONENTS Crypto)
gaia_require(OPENSSL_FOUND "OpenSSL's libcrypto" libssl-dev)

find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h)
find_library(LIBDEFLATE_LIBRARY deflate)
if(LIBDEFLATE_INCLUDE_DIR AND LIBDEFLATE_LIBRARY)
  set(LIBDEFLATE_FOUND ON)
endif()
gaia_require(LIBDEFLATE_FOUND "libdeflate" libdeflate-dev)
find_path(ISAL_INCLUDE_DIR isa-l/igzip_lib.h)
find_library(ISAL_LIBRARY isal)
if(ISAL_INCLUDE_DIR AND ISAL_LIBRARY)
  set(ISAL_FOUND ON)
endif()
gaia_require(ISAL_FOUND "ISA-L" libisal-dev)
add_library(gaia_deflate INTERFACE)
target_include_directories(gaia_deflate SYSTEM INTERFACE
  ${LIBDEFLATE_INCLUDE_DIR} ${ISAL_INCLUDE_DIR})
target_link_libraries(gaia_deflate INTERFACE ${LIBDEFLATE_LIBRARY} ${ISAL_LIBRARY})

# Pictures can be read without them, but not those of PNG and JPEG files.
find_package(PNG QUIET)
find_package(JPEG QUIET)

find_package(yaml-cpp QUIET)
gaia_require(yaml-cpp_FOUND "yaml-cpp" libyaml-cpp-dev)
if(NOT TARGET yaml-cpp::yaml-cpp)  # before 0.8
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# The serial library even where an MPI one is installed beside it.
set(HDF5_PREFER_PARALLEL OFF)
find_package(HDF5 QUIET COMPONENTS C HL)
gaia_require(HDF5_FOUND "HDF5" libhdf5-dev)
if(HDF5_VERSION VERSION_LESS 1.10.7)
  message(FATAL_ERROR "gaia needs HDF5 1.10.7 or later, found ${HDF5_VERSION}")
endif()
add_library(gaia_hdf5 INTERFACE)
target_include_directories(gaia_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_compile_definitions(gaia_hdf5 INTERFACE H5_USE_110_API)
target_link_libraries(gaia_hdf5 INTERFACE ${HDF5_HL_LIBRARIES} ${HDF5_LIBRARIES})

find_path(RANDOM123_INCLUDE_DIR Random123/philox.h)
gaia_require(RANDOM123_INCLUDE_DIR "Random123" librandom123-dev)
add_library(gaia_random123 INTERFACE)
target_include_directories(gaia_random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR})
