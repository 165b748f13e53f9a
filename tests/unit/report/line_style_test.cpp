// Looks of lines: a planner's own, and all different within a plot.
// SPDX-License-Identifier: MIT
#include "report/pictures/line_style.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace wormcast::line_style_test {

TEST_CASE("a planner has one colour and marker; its variants are dashed and hollow") {
  const LineStyle strict = planner_style("otms");
  const LineStyle free = planner_style("otms:first-hop=free");
  CHECK(strict.colour == free.colour);
  CHECK(strict.point == free.point + 1);
  CHECK(strict.dash == 1);
  CHECK(free.dash == 2);
  CHECK(planner_style("no-such-planner").colour == planner_style("no-such-planner").colour);
  CHECK(planner_style("separate:beside=xy-tree").colour == planner_style("xy-tree").colour);
  CHECK(planner_style("dual-path").colour != planner_style("multi-path").colour);
}

TEST_CASE("no two lines of a plot look alike") {
  // Planners with options, planners whose colours or markers agree, unknown ones, and the same ones again.
  std::vector<LineStyle> wanted;
  for (const char* label : {"otms", "otms:first-hop=free", "otms:first-hop=free:edge-disjoint=yes",
                            "otms:first-hop=free:tie=distance", "mpm-ssr:order=largest",
                            "mpm-ssr:order=ranges", "mpm-ssr", "ocms", "ocms", "mine", "mine", "yours"})
    wanted.push_back(planner_style(label));
  for (std::size_t i = 0; i < 60; ++i) wanted.push_back(series_style(i));
  const std::vector<LineStyle> styles = distinct_styles(wanted);
  CHECK(std::set<LineStyle>(styles.begin(), styles.end()).size() == wanted.size());
  CHECK(styles[0] == wanted[0]);
  CHECK(styles[1] == wanted[1]);
  CHECK(styles[2].colour == wanted[2].colour);
  CHECK(styles[2].point != styles[1].point);
  CHECK(styles[2].dash != styles[1].dash);
  const std::vector<LineStyle> same(400, planner_style("otms"));
  const std::vector<LineStyle> many = distinct_styles(same);
  CHECK(std::set<LineStyle>(many.begin(), many.end()).size() == same.size());
  std::set<std::string> worms;
  for (std::size_t i = 0; i < 1000; ++i) worms.insert(worm_colour(i));
  CHECK(worms.size() == 1000);
}

}  // namespace wormcast::line_style_test
