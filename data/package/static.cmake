# Tools that are linked statically start in half of the time or less, and a pipeline starts five. They stand at a fixed
# address, so that a start changes no address in their tables, and copies no page of these; their stack, heap and mapped
# memory have random addresses all the same. Where anything is missing for it (another standard library, sanitizers),
# they are linked as everything else is, and so they are for packages.
# Defines wormcast_fmt, what to link; who has the property WORMCAST_STATIC gets archives.
# SPDX-License-Identifier: MIT
include(CheckCXXSourceRuns)
option(WORMCAST_STATIC "Link the tools statically where that can be done" ON)

set(wormcast_fmt fmt::fmt)
set(wormcast_static OFF)
set(wormcast_static_options -static -no-pie)
if(WORMCAST_FMT_HEADER_ONLY)
  set(wormcast_fmt fmt::fmt-header-only)
elseif(WORMCAST_STATIC AND NOT WORMCAST_FUZZ AND NOT CMAKE_CROSSCOMPILING)
  set(CMAKE_REQUIRED_LINK_OPTIONS ${wormcast_static_options})
  # A program under some sanitizers is linked so, but does not run.
  check_cxx_source_runs("#include <iostream>\nint main() { std::cout << 1; }" WORMCAST_LINKS_STATICALLY)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(WORMCAST_LINKS_STATICALLY)
    set(wormcast_static ON)
  endif()
endif()
if(wormcast_static)
  add_library(wormcast_fmt_archive STATIC data/package/fmt.cpp)
  target_include_directories(wormcast_fmt_archive PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  set(chosen $<BOOL:$<TARGET_PROPERTY:WORMCAST_STATIC>>)
  set(wormcast_fmt $<IF:${chosen},wormcast_fmt_archive,fmt::fmt>)
endif()

# wormcast_link_statically(TARGET): where that can be done.
function(wormcast_link_statically target)
  if(wormcast_static)
    set_target_properties(${target} PROPERTIES WORMCAST_STATIC ON)
    target_link_options(${target} PRIVATE ${wormcast_static_options})
  endif()
endfunction()
