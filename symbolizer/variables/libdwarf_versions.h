/* SPDX-License-Identifier: MIT */
/*
 * libdwarf with the names of version 0.3. Earlier versions, which are named by
 * dates and do not define their version, have other names for the same.
 */
#ifndef CLEW_SYMBOLIZER_VARIABLES_LIBDWARF_VERSIONS_H
#define CLEW_SYMBOLIZER_VARIABLES_LIBDWARF_VERSIONS_H

#include <dwarf.h>
#include <libdwarf.h>

#ifdef DW_LIBDWARF_VERSION

typedef Dwarf_Unsigned debug_section_index;
typedef Dwarf_Small debug_byte_order;
#define DEBUG_LITTLE_ENDIAN DW_END_little

#else

typedef Dwarf_Half debug_section_index;
typedef Dwarf_Endianness debug_byte_order;
#define DEBUG_LITTLE_ENDIAN          DW_OBJECT_LSB

#define Dwarf_Obj_Access_Interface_a Dwarf_Obj_Access_Interface
#define Dwarf_Obj_Access_Methods_a   Dwarf_Obj_Access_Methods
#define Dwarf_Obj_Access_Section_a   Dwarf_Obj_Access_Section
#define as_name                      name
#define as_size                      size
#define om_get_byte_order            get_byte_order
#define om_get_length_size           get_length_size
#define om_get_pointer_size          get_pointer_size
#define om_get_section_count         get_section_count
#define om_get_section_info          get_section_info
#define om_load_section              load_section

#define dwarf_dealloc_loc_head_c     dwarf_loc_head_c_dealloc
#define dwarf_dealloc_ranges         dwarf_ranges_dealloc

#endif

#endif
