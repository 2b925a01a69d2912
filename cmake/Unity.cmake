# Whole builds in half the time: the files of a folder are compiled as one, and headers are read once for
# all.  A change then compiles its folder anew, so whoever works on gaia does without.
option(GAIA_UNITY "Compile the files of a folder together, for whole builds" OFF)

# gaia_unity(TARGET): all its files but those with options of their own, and those of cpu/, where it
# counts how the compiler inlines.
function(gaia_unity target)
  if(NOT GAIA_UNITY)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  foreach(file IN LISTS files)
    get_filename_component(path "${file}" ABSOLUTE)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${path}")
    if(path MATCHES "^(src|apps)/.*\\.cpp$")
      get_filename_component(group "${path}" DIRECTORY)
      string(REPLACE "/" "_" group "${group}")
      set_source_files_properties("${file}" TARGET_DIRECTORY ${target} PROPERTIES
        UNITY_GROUP "${group}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # As -Wno-restrict (Options.cmake).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
  endif()
endfunction()

# gaia_unity_of_tests(TARGET FILES...): some files of a folder at a time, in the order of their names; a group has
# no more, so that no compiler runs long alone at the end.
function(gaia_unity_of_tests target)
  if(NOT GAIA_UNITY)
    return()
  endif()
  foreach(file IN LISTS ARGN)
    get_filename_component(folder "${file}" DIRECTORY)
    string(REPLACE "/" "_" folder "${folder}")
    list(LENGTH in_${folder} count)
    math(EXPR number "${count} / 6")
    list(APPEND in_${folder} "${file}")
    set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${folder}_${number}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# gaia_precompile(TARGET HEADER)
function(gaia_precompile target header)
  if(GAIA_UNITY)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
  endif()
endfunction()
