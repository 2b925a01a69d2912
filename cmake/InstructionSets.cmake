# Sources that are compiled once for each instruction set (cpu/instruction_set.h), each time in a
# namespace of its own, and joined to a target.

set(GAIA_ONLY_SET "" CACHE STRING "Instruction set of the CPU's kernels (v2, v3, v4), for builds that stay on one machine; empty: all")
if(NOT GAIA_ONLY_SET MATCHES "^(v[234])?$")
  message(FATAL_ERROR "GAIA_ONLY_SET is '${GAIA_ONLY_SET}'; known: v2, v3, v4, or empty for all of them")
endif()
if(GAIA_ONLY_SET AND GAIA_TESTS)
  message(FATAL_ERROR "GAIA_ONLY_SET is '${GAIA_ONLY_SET}', but tests go through all instruction sets; "
    "configure with -DGAIA_ONLY_SET= or with -DGAIA_TESTS=OFF")
endif()

# gaia_vector_sources(TARGET PREFIX FILES...): object libraries PREFIX_v2, PREFIX_v3 ...
function(gaia_vector_sources target prefix)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(sets v2 v3 v4)
    if(GAIA_ONLY_SET)
      set(sets ${GAIA_ONLY_SET})
      target_compile_definitions(${target} PRIVATE GAIA_ONLY_SET=${GAIA_ONLY_SET})
    endif()
  else()
    set(sets plain)
  endif()
  set(bytes_plain 16)
  set(bytes_v2 16)
  set(bytes_v3 32)
  set(bytes_v4 64)
  set(flags_v2 -march=x86-64-v2)
  set(flags_v3 -march=x86-64-v3)
  set(flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  foreach(set IN LISTS sets)
    add_library(${prefix}_${set} OBJECT ${ARGN})
    target_compile_features(${prefix}_${set} PRIVATE cxx_std_20)
    target_compile_definitions(${prefix}_${set} PRIVATE
      GAIA_VECTOR_SET=${set} GAIA_VECTOR_BYTES=${bytes_${set}}
      $<$<BOOL:${GAIA_ONLY_SET}>:GAIA_ONLY_SET=${set}>)
    set_target_properties(${prefix}_${set} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    gaia_compile_options(${prefix}_${set})
    # g++ 12 takes what instructions of AVX-512 leave out for uninitialised (GCC bug 105593); vectors
    # as arguments never leave a file.
    # Functions count on a product and a sum in one rounding, which g++ at -O1 does not make by itself.
    target_compile_options(${prefix}_${set} PRIVATE ${flags_${set}} -fno-math-errno -Wno-psabi
      "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized;-fexpensive-optimizations>")
    # Clang up to 19 finds __builtin_va_list twice where it is first used behind this header.
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      gaia_precompile(${prefix}_${set} "${PROJECT_SOURCE_DIR}/cpu/vector/simd.h")
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${prefix}_${set}>)
  endforeach()
endfunction()
