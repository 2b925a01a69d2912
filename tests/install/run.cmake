# Installs the build tree, builds examples/consumer against what was installed, and runs it.
# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCOMPILER=... -DGENERATOR=... -DFLAGS=... -P run.cmake
file(REMOVE_RECURSE "${WORK}")
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    string(REPLACE ";" " " command "${ARGV}")
    message(FATAL_ERROR "${command}\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")
run(${CMAKE_COMMAND} -S "${SOURCE}/examples/consumer" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
  -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build "${WORK}/build")
run("${WORK}/build/consumer")
foreach(line "level 0: 4000 ticks of 3 numbers" "level 1: 500 ticks of 2 numbers" "computing on cpu again")
  if(NOT output MATCHES "${line}")
    message(FATAL_ERROR "the consumer did not say '${line}':\n${output}")
  endif()
endforeach()
run("${WORK}/build/experiment" "${WORK}/own.h5")
foreach(line "2000 steps in " "250 ticks of 2 neurons")
  if(NOT output MATCHES "${line}")
    message(FATAL_ERROR "the experiment did not say '${line}':\n${output}")
  endif()
endforeach()
run("${WORK}/prefix/bin/gaia" report "${WORK}/own.h5")
run("${WORK}/prefix/bin/gaia" version)
# Data in HDF5 are read by a program that the library finds beside itself.
run("${WORK}/prefix/bin/gaia" check "${SOURCE}/experiments/ecg.yaml")
