# CPack gives a package of a shared library a postinst and a postrm that call
# ldconfig. The package's trigger does that already, once for all packages that
# are installed together: it is made again without them.
foreach(deb IN LISTS CPACK_PACKAGE_FILES)
  if(deb MATCHES "/lib[^/]*0_[^/]*$")
    set(tree ${deb}.tree)
    execute_process(COMMAND dpkg-deb --raw-extract ${deb} ${tree}
      COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --build
      ${tree} ${deb} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE ${tree})
  endif()
endforeach()
