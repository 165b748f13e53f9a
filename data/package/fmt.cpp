// The code of fmt, compiled once for tools that are linked statically: Debian has it as a shared library
// alone.
// SPDX-License-Identifier: MIT
#include <fmt/format-inl.h>

// Templates that its headers, of version 9 or 10, declare for its library to have.
template FMT_API void fmt::detail::vformat_to(buffer<char>&, string_view, format_args, locale_ref);
template FMT_API fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl(locale_ref);
template FMT_API char fmt::detail::decimal_point_impl(locale_ref);
