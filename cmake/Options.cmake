# Warnings and sanitizers, for every target of ours.

if(GAIA_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "GAIA_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  if(NOT GAIA_SANITIZE)
    set(GAIA_SANITIZE address,undefined)
  endif()
endif()

function(gaia_compile_options target)
  # g++ 12 takes "literal" + std::string for an overlapping copy (GCC bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  endif()
  # Clang takes what std::stable_sort of libstdc++ 12 calls for a call of ours, and it is deprecated.
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${GAIA_WERROR}>:-Werror>>)
  if(GAIA_FUZZ)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
  endif()
  if(GAIA_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:
      -fsanitize=${GAIA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # between the checks it cannot follow what is set
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=${GAIA_SANITIZE})
  endif()
endfunction()
