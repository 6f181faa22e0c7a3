# Unit tests of wire/ and preload/; included by CMakeLists.txt here. They run
# the runtime's own objects, in a process that is not hooked.
function(preload_test name)
  add_executable(${name}_test ${name}_test.c ${ARGN})
  target_compile_options(${name}_test PRIVATE -ftls-model=initial-exec)
  target_link_libraries(${name}_test PRIVATE image loaded cmocka)
  add_test(NAME unit.${name} COMMAND ${name}_test)
  set_tests_properties(unit.${name} PROPERTIES LABELS "unit;fast"
    SKIP_RETURN_CODE 77)
endfunction()

set(preload ${CMAKE_SOURCE_DIR}/preload)
set(arch ${CLEW_ARCH}/preload)
set(counting $<TARGET_OBJECTS:hot> $<TARGET_OBJECTS:warm>)

preload_test(id)
preload_test(place ${counting})
preload_test(lookup ${preload}/host/next.c ${preload}/host/lookup.c ${counting})
preload_test(slices ${counting})
preload_test(select ${preload}/host/config.c ${preload}/host/config_values.c ${preload}/modules/select.c ${counting})
target_link_libraries(select_test PRIVATE expression)
preload_test(window ${preload}/stubs/window.c ${preload}/stubs/stub_memory.c
  ${preload}/stubs/stub_image.c ${arch}/stubs/frames_rules.c ${counting})
preload_test(prelinked_file ${preload}/stubs/prelinked_file.c ${counting})
preload_test(prelinked ${preload}/stubs/prelinked.c
  ${preload}/stubs/prelinked_file.c ${preload}/stubs/stub_write.c
  ${preload}/stubs/window.c ${preload}/stubs/stub_memory.c
  ${preload}/stubs/stub_image.c ${arch}/stubs/frames_rules.c ${counting})
target_link_libraries(prelinked_test PRIVATE disasm)
preload_test(hook_room ${preload}/hooking/hook_room.c)
preload_test(pristine ${preload}/patch/pristine.c ${counting})
preload_test(hooked_files ${preload}/patch/hooked_files.c ${counting})
preload_test(erlang_symbols ${preload}/generated/erlang_symbols.c)
preload_test(budget_missed ${preload}/budget/budget_missed.c)
preload_test(budget_pace ${preload}/budget/budget_pace.c)
preload_test(budget_surveys ${preload}/budget/budget_surveys.c)
preload_test(budget_records ${preload}/budget/budget_records.c
  ${preload}/budget/budget_missed.c ${counting})
preload_test(numbers ${counting})
preload_test(page_making ${counting})
preload_test(part ${counting})
preload_test(foresight ${counting})
preload_test(countdown ${counting})
preload_test(recursion ${counting})
target_link_libraries(countdown_test PRIVATE m)
preload_test(recent_notes ${counting})
preload_test(tails ${counting})
preload_test(tallies ${counting})
preload_test(events ${counting})
preload_test(walk ${counting})
preload_test(tally_check ${counting})
preload_test(strata ${counting})
target_link_libraries(strata_test PRIVATE m)
preload_test(stacks ${arch}/patch/stacks.c ${counting})
preload_test(shadowed ${preload}/patch/shadowed.c ${arch}/patch/stacks.c ${counting})
preload_test(stub_template ${counting})
preload_test(stub_cpu_rules ${counting})
preload_test(forwarding model_x86_64.c ${preload}/stubs/stub_write.c ${counting})
target_link_libraries(forwarding_test PRIVATE disasm)
target_include_directories(forwarding_test SYSTEM PRIVATE
  ${CLEW_CAPSTONE_INCLUDE})
set(patch ${preload}/patch/patch.c ${preload}/patch/hooked_files.c
  ${preload}/patch/prelinked_text_map.c
  ${preload}/patch/pristine.c)
preload_test(code ${preload}/patch/code.c ${preload}/patch/journal.c ${patch}
  ${preload}/stubs/window.c ${preload}/stubs/stub_memory.c
  ${preload}/stubs/stub_image.c ${arch}/stubs/frames_rules.c ${counting})
preload_test(probe ${arch}/stubs/probe.c ${preload}/stubs/probe_kinds.c
  ${preload}/stubs/stub_write.c ${preload}/host/next.c ${preload}/host/lookup.c
  ${counting})
target_link_libraries(probe_test PRIVATE disasm)
preload_test(module_patches ${preload}/hooking/module_patches.c ${patch}
  ${preload}/patch/code.c ${preload}/patch/journal.c ${preload}/patch/quiesce.c ${arch}/patch/pc_query.c
  ${arch}/patch/stacks.c ${arch}/patch/trap.c ${preload}/stubs/window.c
  ${preload}/stubs/stub_memory.c ${preload}/stubs/stub_image.c
  ${arch}/stubs/frames_rules.c ${counting})
preload_test(live live_sites.c live_guests.c live_code_x86_64.S
  ${preload}/patch/live.c ${preload}/patch/quiesce.c ${arch}/patch/pc_query.c
  ${preload}/patch/code.c ${preload}/patch/journal.c ${patch}
  ${arch}/patch/stacks.c ${arch}/patch/trap.c ${preload}/stubs/window.c
  ${preload}/stubs/stub_memory.c ${preload}/stubs/stub_image.c
  ${arch}/stubs/frames_rules.c ${counting})
preload_test(reclaim ${preload}/hooking/reclaim.c ${preload}/patch/quiesce.c
  ${arch}/patch/pc_query.c ${preload}/patch/code.c ${preload}/patch/journal.c ${patch}
  ${preload}/modules/modules.c
  ${preload}/host/next.c ${preload}/host/lookup.c ${arch}/patch/stacks.c
  ${preload}/stubs/window.c
  ${preload}/stubs/stub_memory.c ${preload}/stubs/stub_image.c
  ${arch}/stubs/frames_rules.c ${counting})

add_test(NAME unit.imports
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/imports.sh ${CMAKE_BINARY_DIR})
add_test(NAME unit.glibc_versions
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/glibc-versions.sh ${CMAKE_BINARY_DIR})
set_tests_properties(unit.imports unit.glibc_versions PROPERTIES
  LABELS "unit;fast")
preload_test(bridge ${CMAKE_SOURCE_DIR}/jvm/natives/bridge.c
  ${CMAKE_SOURCE_DIR}/jvm/natives/bridges.c ${CLEW_ARCH}/jvm/natives/bridge.S
  ${preload}/stubs/trampoline_block.c ${preload}/stubs/stub_memory.c
  ${preload}/stubs/stub_image.c ${arch}/stubs/frames_rules.c ${counting})
set_source_files_properties(bridge_test.c PROPERTIES
  COMPILE_OPTIONS -fno-omit-frame-pointer)
set_source_files_properties(${CMAKE_SOURCE_DIR}/jvm/natives/bridge.c PROPERTIES
  COMPILE_OPTIONS -mgeneral-regs-only)

# These run for more than five seconds, so they do not have the label fast.
set_tests_properties(unit.confidence unit.forwarding unit.strata PROPERTIES
  LABELS unit)
