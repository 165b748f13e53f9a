# What the figures share: progress and the comparison with the expectations. SPDX-License-Identifier: MIT
#
# A figure is a folder here: figure.mk (how it is made), parameters.tsv (every parameter with its tag), *.gp (how
# it is drawn), expected.tsv (what its numbers must be; the columns are explained in data/experiments/check).
# Everything made goes to $(BUILD)/figures/NAME. A figure.mk adds to two lists:
#   FIGURES        figure-NAME, which makes everything drawn
#   FIGURE_CHECKS  $(BUILD)/figures/NAME/checked, made by $(call check_figure,NAME): compares, never fails

FIGURES :=
FIGURE_CHECKS :=
figures_to := $(BUILD)/figures
figures_from := data/experiments

# Recipes of points and pictures begin with $(point): it counts them, so that one sees how far a run is.
point = $(figures_from)/point $(@:$(figures_to)/%=%);

# $(call check_figure,NAME): a recipe. CSV files that expected.tsv names must be prerequisites.
check_figure = @$(figures_from)/check $(figures_from)/$(1)/expected.tsv $(figures_to)/$(1) >$@.tmp && mv $@.tmp $@

# Joins CSV files that have the same header.
merge_csv = awk 'FNR > 1 || NR == 1' $(filter %.csv,$^) >$@.tmp && mv $@.tmp $@

# $(call list_points,TARGETS): a recipe; the points that are not there, one a line.
list_points = +@$(MAKE) -n $(1) 2>/dev/null | sed -nE 's|^ *$(figures_from)/point ([^;]*);.*|$(figures_to)/\1|p'

# $(call run_points,TARGETS): makes them on all cores, saying which point of how many is being made.
run_points = +@mkdir -p $(figures_to); total=$$($(MAKE) -n $(1) 2>/dev/null | grep -c '^ *$(figures_from)/point ' || true); \
  counter=$$(mktemp); trap 'rm -f "$$counter"' EXIT; \
  FIGURE_COUNTER="$$counter" FIGURE_TOTAL="$$total" $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j $(JOBS)) $(1)
