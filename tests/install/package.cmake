# Packs a small project as gaia is packed, a file with two links to it, and reads what the package says of its size.
# cmake -DSOURCE=... -DWORK=... -P package.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE "${WORK}")
file(COPY "${SOURCE}/LICENSE" "${SOURCE}/cmake/Package.cmake" "${SOURCE}/cmake/PackageSize.cmake"
  DESTINATION "${WORK}/source")
string(REPEAT "a library of 200 kB. " 10000 text)
file(WRITE "${WORK}/source/libsmall.so.1.0" "${text}")
file(WRITE "${WORK}/source/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.22)
project(small VERSION 1.0 DESCRIPTION "small" LANGUAGES NONE)
install(FILES libsmall.so.1.0 DESTINATION lib)
install(CODE [=[
  set(lib "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib")
  file(CREATE_LINK libsmall.so.1.0 "${lib}/libsmall.so.1" SYMBOLIC)
  file(CREATE_LINK libsmall.so.1 "${lib}/libsmall.so" SYMBOLIC)
]=])
include(Package.cmake)
]])

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err
    WORKING_DIRECTORY "${WORK}")
  if(NOT code EQUAL 0)
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "${command}\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} -S source -B build)
run(${CMAKE_CPACK_COMMAND} -G DEB --config build/CPackConfig.cmake)
file(GLOB package "${WORK}/build/*.deb")
run(dpkg-deb --field "${package}" Installed-Size)
# 206 KiB of the file, one for each link, and a few folders.
if(NOT output GREATER_EQUAL 208 OR NOT output LESS_EQUAL 220)
  message(FATAL_ERROR "expected an installed size of 208 to 220 KiB, got ${output}")
endif()
run(dpkg-deb --contents "${package}")
foreach(line "libsmall.so -> libsmall.so.1\n" "root/root +210000 ")
  if(NOT output MATCHES "${line}")
    message(FATAL_ERROR "the package has no '${line}':\n${output}")
  endif()
endforeach()
