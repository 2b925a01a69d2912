# Copies of kernels with a mistake each, which tests/cuda/planted_kernels_test.cpp sees caught.

# gaia_plant(BUG FILES files FIND text REPLACE text): copies of cuda/FILES in which the text, which
# stands there once, is another, in namespace gaia::cuda::BUG; included as "planted/BUG/FILE".
# Without FIND they are as they were.
function(gaia_plant bug)
  cmake_parse_arguments(PARSE_ARGV 1 plant "" "FIND;REPLACE" "FILES")
  set(found 0)
  foreach(file IN LISTS plant_FILES)
    set(original "${PROJECT_SOURCE_DIR}/cuda/${file}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${original}")
    file(READ "${original}" text)
    if(plant_FIND)
      string(REPLACE "${plant_FIND}" "" without "${text}")
      string(LENGTH "${text}" length)
      string(LENGTH "${without}" shorter)
      string(LENGTH "${plant_FIND}" each)
      math(EXPR found "${found} + (${length} - ${shorter}) / ${each}")
      string(REPLACE "${plant_FIND}" "${plant_REPLACE}" text "${text}")
    endif()
    string(REPLACE "namespace gaia::cuda::inline GAIA_CUDA_BUILD {"
      "namespace gaia::cuda::${bug} {" text "${text}")
    string(REPLACE "#include \"" "#include \"${PROJECT_SOURCE_DIR}/cuda/" text "${text}")
    foreach(sibling IN LISTS plant_FILES)
      string(REPLACE "#include \"${PROJECT_SOURCE_DIR}/cuda/${sibling}\""
        "#include \"${sibling}\"" text "${text}")
    endforeach()
    file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/planted/${bug}/${file}" CONTENT "${text}"
      @ONLY)
  endforeach()
  if(plant_FIND AND NOT found EQUAL 1)
    message(FATAL_ERROR "The bug ${bug} is to change one place of ${plant_FILES}, found ${found} "
      "of:\n${plant_FIND}")
  endif()
endfunction()

foreach(file IN ITEMS attention_sm80 attention_backward_sm80)
  gaia_plant(${file}_not_waited FILES ${file}.cuh
    FIND "wait_for_copy_groups<1>();" REPLACE "wait_for_copy_groups<2>();")
  gaia_plant(${file}_no_barrier_before FILES ${file}.cuh
    FIND "wait_for_copy_groups<1>();\n      __syncthreads();"
    REPLACE "wait_for_copy_groups<1>();")
  gaia_plant(${file}_no_barrier_behind FILES ${file}.cuh
    FIND "__syncthreads();  // the next copies come to the same place" REPLACE "")
endforeach()
# Beside the original their functions would be ambiguous.
gaia_plant(attention_backward_sm80_right FILES attention_backward_sm80.cuh)
gaia_plant(attention_sm80_no_mask FILES attention_sm80.cuh
  FIND "8 * n + i < seen ?" REPLACE "true ?")
gaia_plant(attention_backward_sm80_no_mask FILES attention_backward_sm80.cuh
  FIND "if (sees_all<P>(" REPLACE "if (true || sees_all<P>(")
gaia_plant(attention_backward_sm80_one_buffer FILES attention_backward_sm80.cuh
  FIND "from, p.queries, of_tile + to * P::kStatistics" REPLACE "from, p.queries, of_tile")

# Attention of any size and its gradients, each beside its own copy of what they share.
foreach(file IN ITEMS attention attention_backward)
  set(files attention_panels.cuh attention_hidden_panels.cuh ${file}.cuh)
  gaia_plant(${file}_right FILES ${files})
  gaia_plant(${file}_not_waited FILES ${files}
    FIND "wait_for_copies();" REPLACE "end_copy_group();")
  gaia_plant(${file}_no_barrier FILES ${files}
    FIND "__syncthreads();  // all are" REPLACE "// all are")
  gaia_plant(${file}_off_borders FILES ${files}
    FIND "% sizeof(PanelPack<T>) == 0" REPLACE "% sizeof(PanelPack<T>) < 16")
endforeach()
gaia_plant(attention_no_mask FILES attention_panels.cuh attention_hidden_panels.cuh attention.cuh
  FIND "kLanesAcross * j >= seen" REPLACE "kLanesAcross * j >= seen + 99")
# Seen where a tile has an odd number of panels: its last lies where the next tile's first comes.
gaia_plant(attention_backward_no_barrier_behind FILES attention_panels.cuh attention_hidden_panels.cuh attention_backward.cuh
  FIND "__syncthreads();  // the next tile" REPLACE "// the next tile")
gaia_plant(attention_backward_no_mask FILES attention_panels.cuh attention_hidden_panels.cuh attention_backward.cuh
  FIND "return seen_of<owner, P::kSide>(problem, tile.row + place.row(i), other + place.across);"
  REPLACE "return Seen{0, P::kSide + 0 * i};")

gaia_plant(sum_of_squares_no_barrier FILES block_reduce.cuh sum_of_squares.cuh
  FIND "__syncthreads();  // the next call writes there again" REPLACE "")
gaia_plant(sum_of_squares_racing FILES sum_of_squares.cuh
  FIND "sums[part.first_sum + tile_of_part] = sum" REPLACE "sums[part.first_sum] = sum")
gaia_plant(sum_of_squares_past_the_end FILES sum_of_squares.cuh
  FIND "at < part.count ?" REPLACE "at <= part.count ?")
gaia_plant(scale_wrong_part FILES parts.cuh scale.cuh
  FIND "tiles_before <= tile" REPLACE "tiles_before < tile")
gaia_plant(scale_misaligned FILES scale.cuh
  FIND "is_on_packs && base" REPLACE "base")

gaia_plant(replicas_not_there FILES plastic.cuh plastic_replicas.cuh
  FIND "own = replicas.replica(blockIdx.y);\n  __syncthreads();"
  REPLACE "own = replicas.replica(blockIdx.y);")
gaia_plant(replicas_no_barrier_behind FILES plastic.cuh plastic_replicas.cuh
  FIND "wait_for_copies();\n    __syncthreads();\n  }" REPLACE "wait_for_copies();\n  }")
gaia_plant(replicas_one_set FILES plastic.cuh plastic_replicas.cuh
  FIND "shared + (set ^ 1) * owners.rows * width" REPLACE "shared + set * owners.rows * width")
gaia_plant(replicas_wrong_place FILES plastic.cuh plastic_replicas.cuh
  FIND "table + first);" REPLACE "table);")

gaia_plant(products_no_barrier FILES plastic_products.cuh
  FIND "__syncthreads();\n  const std::int64_t neuron = first_of_grid();"
  REPLACE "const std::int64_t neuron = first_of_grid();")
gaia_plant(products_sees_ahead FILES plastic_products.cuh
  FIND "before[row][column] = is_before ? overlap : T(0);"
  REPLACE "before[row][column] = overlap;")
gaia_plant(products_no_warp_barrier FILES plastic_products.cuh
  FIND "__syncwarp();  // all lanes read the result" REPLACE "")

set(equation_files equation_form.h equation_layer.cuh equation_numbers.cuh equation_update.cuh
  equations.cuh equation_launches.cuh)
gaia_plant(equations_no_drives FILES ${equation_files}
  FIND "__syncthreads();  // traces and drives are there" REPLACE "")
gaia_plant(equations_no_numbers FILES ${equation_files}
  FIND "__syncthreads();  // numbers are there" REPLACE "")
gaia_plant(equations_no_weights FILES ${equation_files}
  FIND "__syncthreads();  // weights are there" REPLACE "")
gaia_plant(equations_next_tick FILES ${equation_files}
  FIND "__syncthreads();  // what the next tick begins with is there" REPLACE "")
gaia_plant(equations_not_crossed FILES ${equation_files}
  FIND "__syncthreads();  // a is there" REPLACE "")
gaia_plant(equations_crossed_late FILES ${equation_files}
  FIND "__syncthreads();  // a may be written again" REPLACE "")
gaia_plant(equations_traces_of_later FILES ${equation_files}
  FIND "copy_numbers(layer.traces_before," REPLACE "copy_numbers<T>(layer.traces,")
gaia_plant(equations_sum_of_streams FILES ${equation_files}
  FIND "sum[k] += share * dw[k]" REPLACE "sum[k] += dw[k]")
gaia_plant(equations_memory_of_one FILES ${equation_files}
  FIND "layer.memory[(b * layer.memories + m) * layer.neurons + part.first + own] = value"
  REPLACE "layer.memory[m * layer.neurons + part.first + own] = value")
gaia_plant(equations_one_warp FILES ${equation_files}
  FIND "i < part.warps_of_neuron" REPLACE "i < 1")
gaia_plant(equations_samples_late FILES ${equation_files}
  FIND "    wait_for_copies();" REPLACE "")
gaia_plant(equations_no_sums FILES ${equation_files}
  FIND "__syncthreads();  // sums of all groups are there" REPLACE "")
gaia_plant(equations_sums_overwritten FILES ${equation_files}
  FIND "__syncthreads();  // all have read them" REPLACE "")
gaia_plant(equations_draws_of_a_tick FILES ${equation_files}
  FIND "layer.first_draw + tick" REPLACE "layer.first_draw")
gaia_plant(equations_draws_of_a_stream FILES ${equation_files}
  FIND "draw_block(code.call, static_cast<std::uint64_t>(stream))" REPLACE "draw_block(code.call, 0)")
gaia_plant(equations_draws_of_a_call FILES ${equation_files}
  FIND "draw_block(code.call, static_cast<std::uint64_t>(stream))"
  REPLACE "draw_block(0, static_cast<std::uint64_t>(stream))")
gaia_plant(equations_draws_of_a_pair FILES ${equation_files}
  FIND "neuron % 2 != 0" REPLACE "false")
# No mistake: fewer blocks than streams, as a layer has that has more than a grid has blocks.
gaia_plant(equations_streams_in_turn FILES ${equation_files}
  FIND "blocks_for(streams_, 1)" REPLACE "1")

set(chunk_files equation_form.h equation_layer.cuh equation_numbers.cuh equation_update.cuh
  equations.cuh equation_launches.cuh equation_chunk_form.h equation_chunk.cuh equation_scan.cuh
  equation_chunks.cuh equation_chunk_launches.cuh)
gaia_plant(chunks_no_drives FILES ${chunk_files}
  FIND "__syncthreads();  // drives and memories are there" REPLACE "")
gaia_plant(chunks_no_sums FILES ${chunk_files}
  FIND "__syncthreads();  // drives are where the steps read them" REPLACE "")
gaia_plant(chunks_no_numbers FILES ${chunk_files}
  FIND "compute_numbers(layer_, part_, chunk_.first_tick + tick);\n      __syncthreads();"
  REPLACE "compute_numbers(layer_, part_, chunk_.first_tick + tick);")
gaia_plant(chunks_no_factors FILES ${chunk_files}
  FIND "__syncthreads();  // factors are there" REPLACE "")
gaia_plant(chunks_next_tick FILES ${chunk_files}
  FIND "__syncthreads();  // rows are those that the next tick begins with" REPLACE "")
gaia_plant(chunks_sees_ahead FILES ${chunk_files}
  FIND "overlaps[slot * form_.samples + before + b]"
  REPLACE "overlaps[slot * form_.samples + before + b + 1]")
gaia_plant(chunks_of_later FILES ${chunk_files}
  FIND "is_past ? T(0) : rows_[r * width_ + own]" REPLACE "rows_[r * width_ + own]")
gaia_plant(chunks_memory_anew FILES ${chunk_files}
  FIND "    move_memories(layer_, part_, false);" REPLACE "")
gaia_plant(chunks_trace_behind FILES ${chunk_files}
  FIND "    layer.traces[item] = trace;" REPLACE "")
gaia_plant(chunks_goes_on FILES ${chunk_files}
  FIND "if (done == chunk.ticks) return;" REPLACE "if (done >= 0) return;")
gaia_plant(chunks_no_columns FILES ${chunk_files}
  FIND "__syncthreads();  // columns are there" REPLACE "")
gaia_plant(chunks_not_learnt FILES ${chunk_files}
  FIND "__syncthreads();  // columns have learnt" REPLACE "")
gaia_plant(chunks_upto_before FILES ${chunk_files}
  FIND "for (int distance = 1; distance < kWarp; distance *= 2)"
  REPLACE "for (int distance = 1; distance < kWarp / 2; distance *= 2)")
gaia_plant(chunks_one_replica FILES ${chunk_files}
  FIND "layers == nullptr ? only : layers[blockIdx.y]" REPLACE "only")
