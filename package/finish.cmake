# What a Debian package wants of the files that were installed for it, before it
# is made: stripped code, compressed manuals, a changelog, and times that are not
# those of the build, so that the same sources give the same bytes.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component})
  execute_process(COMMAND find ${root} -type f
    ( -name *.so -o -name *.so.* -o -path */bin/clew )
    -exec strip --remove-section=.comment {} + COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB docs ${root}/usr/share/doc/*)
  file(WRITE ${docs}/changelog
"clew (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * As its sources are.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(GLOB_RECURSE texts ${root}/usr/share/man/* ${docs}/changelog)
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE readable ${root}/usr/share/*)
  file(CHMOD ${readable} PERMISSIONS
    OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find ${root} -exec
      touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} + COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
