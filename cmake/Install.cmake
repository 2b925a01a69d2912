# cmake --install puts the library, its headers under include/gaia/, the commands `gaia` and
# `gpu_benchmark`, the library's helper gaia-hdf5-reader and a package file for find_package(gaia) in
# place.
include(CMakePackageConfigHelpers)

install(TARGETS gaia EXPORT gaiaTargets)
install(TARGETS gaia_cli gpu_benchmark RUNTIME)
install(TARGETS gaia_hdf5_reader RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/gaia"
  FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/python/gaia_results.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/gaia/python")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)
# Rows of the gallery, which `gaia reproduce` finds beside the program, with the data that they read.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/experiments/gallery" "${PROJECT_SOURCE_DIR}/experiments/data"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/gaia/experiments")
install(EXPORT gaiaTargets NAMESPACE gaia:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/gaia")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/gaiaConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/gaiaConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/gaia")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/gaiaConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/gaiaConfig.cmake"
  "${PROJECT_BINARY_DIR}/gaiaConfigVersion.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/gaia")
