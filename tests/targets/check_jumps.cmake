# cmake -DOBJDUMP=... -DFILE=... -DFUNCTIONS=a;b -P check_jumps.cmake
#
# Fails unless each of FUNCTIONS in an object FILE ends with a jump out of it.
# Otherwise a test of tail calls could pass because the compiler made none.
execute_process(COMMAND ${OBJDUMP} -dr --no-show-raw-insn ${FILE}
  OUTPUT_VARIABLE code RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${OBJDUMP} ${FILE}: ${failed}")
endif()
foreach(function ${FUNCTIONS})
  string(FIND "${code}" "<${function}>:" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${FILE} has no function ${function}")
  endif()
  string(SUBSTRING "${code}" ${begin} -1 body)
  string(FIND "${body}\n\n" "\n\n" end)
  string(SUBSTRING "${body}\n" 0 ${end} body)
  # by relocation, through a register, or to another function's start
  if(NOT body MATCHES "jmp[^\n]*\n[^\n]*R_X86_64_(PLT32|PC32)|jmp +\\*|jmp +[0-9a-f]+ <[a-z_]+>(\n|$)")
    message(FATAL_ERROR "no tail call in ${function} of ${FILE}")
  endif()
endforeach()
