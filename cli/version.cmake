# Writes the C file OUTPUT with the text of `clew --version`: VERSION, then the
# commit if SOURCES is the top of a git repository, with "-dirty" if files differ
# from the commit, then SUFFIX. Does not change a file that has this text, so that
# nothing is built again.
cmake_minimum_required(VERSION 3.18)
set(version "clew ${VERSION}")
find_program(GIT git)
if(GIT)
  # A repository that only contains these sources in a folder does not count.
  execute_process(COMMAND ${GIT} rev-parse --show-cdup
    WORKING_DIRECTORY ${SOURCES}
    RESULT_VARIABLE status OUTPUT_VARIABLE up ERROR_QUIET)
  if(status EQUAL 0 AND up STREQUAL "\n")
    execute_process(COMMAND ${GIT} --no-optional-locks describe --always --dirty
        --exclude=* --abbrev=12
      WORKING_DIRECTORY ${SOURCES} OUTPUT_STRIP_TRAILING_WHITESPACE
      OUTPUT_VARIABLE commit ERROR_QUIET)
    if(commit)
      string(APPEND version " (${commit})")
    endif()
  endif()
endif()
string(APPEND version "${SUFFIX}")
set(text "#include <argp.h>

const char *argp_program_version = \"${version}\";
")
set(present "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} present)
endif()
if(NOT text STREQUAL present)
  file(WRITE ${OUTPUT} "${text}")
endif()
