# What is installed, where, and the packages made of it. Two components: `tools` (what a user runs)
# and `library` (what a C++ program builds with).
# SPDX-License-Identifier: MIT
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS ${wormcast_tools} RUNTIME COMPONENT tools)
# Permissions are stated: those of a tarball's files depend on who unpacked it.
set(shared ${CMAKE_INSTALL_DATADIR}/wormcast)
install(DIRECTORY data/schema data/energy DESTINATION ${shared} COMPONENT tools)
install(DIRECTORY data/converters DESTINATION ${shared} COMPONENT tools
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
  PATTERN __pycache__ EXCLUDE
  PATTERN "*.*" PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
# The documents in the folders that they have here, so that their links lead somewhere.
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tools)
install(FILES data/FORMAT.md data/FORMAT-reference.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/data COMPONENT tools)
install(DIRECTORY data/pages data/schema DESTINATION ${CMAKE_INSTALL_DOCDIR}/data COMPONENT tools)
# Both come with what they are made of: our licence, and those of the headers whose code is in the binaries.
foreach(component tools library)
  install(FILES LICENSE data/package/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()

# Man pages and completions are made of the tools' option definitions; what cannot be generated (exit
# status, examples) is in data/man.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(describe ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/data/package/describe)
set(documents)
foreach(tool ${wormcast_tools})
  set(page ${CMAKE_BINARY_DIR}/man/${tool}.1)
  set(described ${CMAKE_BINARY_DIR}/man/${tool}.json)
  add_custom_command(OUTPUT ${described} COMMAND ${tool} --describe -o ${described} DEPENDS ${tool})
  add_custom_command(OUTPUT ${page}
    COMMAND ${describe} man ${described} > ${page}.options
    COMMAND ${CMAKE_COMMAND} -E cat ${page}.options ${CMAKE_SOURCE_DIR}/data/man/${tool}.roff
      ${CMAKE_SOURCE_DIR}/data/man/limits.roff > ${page}
    DEPENDS ${described} data/package/describe data/man/${tool}.roff data/man/limits.roff)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  list(APPEND documents ${page})
  foreach(target bash:bash-completion/completions/${tool} zsh:zsh/site-functions/_${tool}
      fish:fish/vendor_completions.d/${tool}.fish)
    string(REGEX REPLACE ":.*" "" shell ${target})
    string(REGEX REPLACE "^[a-z]*:" "" path ${target})
    cmake_path(GET path PARENT_PATH folder)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/completions/${path}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completions/${folder}
      COMMAND ${describe} ${shell} ${described} > ${CMAKE_BINARY_DIR}/completions/${path}
      DEPENDS ${described} data/package/describe)
    install(FILES ${CMAKE_BINARY_DIR}/completions/${path} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} COMPONENT tools)
    list(APPEND documents ${CMAKE_BINARY_DIR}/completions/${path})
  endforeach()
endforeach()
foreach(page wormcast.7 wormcast-formats.5)
  configure_file(data/man/${page}.in ${CMAKE_BINARY_DIR}/man/${page} @ONLY)
  string(REGEX MATCH "[0-9]$" section ${page})
  install(FILES ${CMAKE_BINARY_DIR}/man/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT tools)
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
add_custom_target(documents ALL DEPENDS ${documents})

install(TARGETS wormcast EXPORT wormcast-targets ARCHIVE COMPONENT library)
# wormcast.hpp and what it includes, directly or not: tests/suites/install builds a program with these alone.
install(FILES lib/outside/wormcast.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wormcast COMPONENT library)
foreach(header topology/error topology/ids topology/named_values topology/topology router/router_model router/worm_route
    routing/routing_function multicast/header multicast/plan multicast/planner multicast/routes
    simulation/engine simulation/window)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES lib/${header}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wormcast/${folder} COMPONENT library)
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wormcast)
configure_package_config_file(data/package/wormcast-config.cmake.in ${CMAKE_BINARY_DIR}/package/wormcast-config.cmake
  INSTALL_DESTINATION ${package_dir})
# A library before 1.0 promises nothing to those who ask for another minor version.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/wormcast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT wormcast-targets NAMESPACE wormcast:: DESTINATION ${package_dir} COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/package/wormcast-config.cmake ${CMAKE_BINARY_DIR}/package/wormcast-config-version.cmake
  DESTINATION ${package_dir} COMPONENT library)
# The file finds its prefix from where it lies, so that one build can be installed anywhere.
file(RELATIVE_PATH WORMCAST_PC_TO_PREFIX "/p/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /p)
configure_file(data/package/wormcast.pc.in ${CMAKE_BINARY_DIR}/package/wormcast.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/wormcast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# Packages: a .deb for each component and one tarball, by cpack (make package).
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME wormcast)
set(CPACK_PACKAGE_VENDOR "the wormcast authors")
set(CPACK_PACKAGE_CONTACT "the wormcast authors <maintainers@wormcast.example>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/data/package/debian.cmake)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tools library)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME wormcast)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "python3:any")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "gnuplot-nox | gnuplot, graphviz")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "python3-protobuf, python3-yaml")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "plan, prove and simulate multicast in wormhole-routed networks
Seven filters that exchange JSON Lines over pipes: they describe a network,
make multicasts, plan them by the schemes of the literature, prove the routes
free of deadlock or show one, simulate them exactly and report the result.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libwormcast-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libfmt-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "plan, prove and simulate multicast (development files)
The static library under the wormcast tools, its C++20 headers, a CMake package
and a pkg-config file.")
include(CPack)
