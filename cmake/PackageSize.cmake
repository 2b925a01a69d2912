# cpack runs this behind a Debian package that it has made, and it writes there what the package takes on a disk.  cpack
# itself counts a symbolic link as one more copy of the file that it points to: a library with its two links three times.
cmake_minimum_required(VERSION 3.22)

set(packages ${CPACK_PACKAGE_FILES})
list(FILTER packages INCLUDE REGEX "[.]deb$")
foreach(package IN LISTS packages)
  set(folder "${package}.unpacked")
  file(REMOVE_RECURSE "${folder}")
  execute_process(COMMAND dpkg-deb --raw-extract "${package}" "${folder}" COMMAND_ERROR_IS_FATAL ANY)
  # As dpkg-gencontrol counts: files in whole KiB, folders and links as one.
  set(size 0)
  file(GLOB_RECURSE paths LIST_DIRECTORIES true RELATIVE "${folder}" "${folder}/*")
  list(FILTER paths EXCLUDE REGEX "^DEBIAN(/|$)")
  foreach(path IN LISTS paths)
    if(IS_SYMLINK "${folder}/${path}" OR IS_DIRECTORY "${folder}/${path}")
      math(EXPR size "${size} + 1")
    else()
      file(SIZE "${folder}/${path}" bytes)
      math(EXPR size "${size} + (${bytes} + 1023) / 1024")
    endif()
  endforeach()
  file(READ "${folder}/DEBIAN/control" control)
  string(REGEX REPLACE "\nInstalled-Size:[^\n]*" "\nInstalled-Size: ${size}" control "${control}")
  file(WRITE "${folder}/DEBIAN/control" "${control}")
  execute_process(COMMAND dpkg-deb --root-owner-group --build "${folder}" "${package}"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE "${folder}")
endforeach()
