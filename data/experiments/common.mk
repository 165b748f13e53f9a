# What the figures share: progress and the comparison with the expectations. SPDX-License-Identifier: MIT
#
# A figure is a folder here: figure.mk (how it is made), parameters.tsv (every parameter with its tag), *.gp (how
# it is drawn), expected.tsv (what its numbers must be; the columns are explained in data/experiments/check).
# Everything made goes to $(BUILD)/figures/NAME. A figure.mk adds to two lists:
#   FIGURES        figure-NAME, which makes everything drawn
#   FIGURE_CHECKS  $(BUILD)/figures/NAME/checked, made by $(call check_figure,NAME): compares, never fails
# What runs tools depends on them by $(call made_by,TOOLS), and on a variable that a user may set in the same way,
# after $(eval $(call figure_setting,VARIABLE)). tests/suites/figures compares recipes with what they depend on.

FIGURES :=
FIGURE_CHECKS :=
figures_to := $(BUILD)/figures
figures_from := data/experiments

# Recipes of points and pictures begin with $(point): it counts them, so that one sees how far a run is.
point = $(figures_from)/point $(@:$(figures_to)/%=%);

# $(call made_by,NAMES): notes of what points are made by, which change when the bytes of a tool or the value of a
# variable do. A tool that was built again and is the same makes nothing again.
made_by = $(addprefix $(figures_to)/made-by/,$(1))
figure_tools := $(subst _,-,$(basename $(notdir $(wildcard tools/*.cpp))))
# With +, so that make -n, which counts points, knows which are of other tools; it builds none.
$(call made_by,$(figure_tools)): $(figures_to)/made-by/%: all
	+@[ ! -e $(BUILD)/bin/$* ] || $(figures_from)/made-by $@ "$$(b2sum <$(BUILD)/bin/$*)"

# What most points are made by: the whole pipe.
simulated_by := $(call made_by,gen-topology gen-multicast plan-multicast route-expand simulate-wormhole report)

# $(call figure_setting,VARIABLE): the note of its value. make -n changes none.
define figure_setting
ifneq ($$(file <$(call made_by,$(1))),$$($(1)))
$(call made_by,$(1)): FORCE
	@$(figures_from)/made-by $$@ '$$($(1))'
endif
endef
.PHONY: FORCE

# $(call check_figure,NAME): a recipe. CSV files that expected.tsv names must be prerequisites.
check_figure = @$(figures_from)/check $(figures_from)/$(1)/expected.tsv $(figures_to)/$(1) >$@.tmp && mv $@.tmp $@

# Joins CSV files that have the same header.
merge_csv = awk 'FNR > 1 || NR == 1' $(filter %.csv,$^) >$@.tmp && mv $@.tmp $@

# $(call list_points,TARGETS): a recipe; the points that are not there, one a line.
list_points = +@$(MAKE) -n $(1) 2>/dev/null | sed -nE 's|^ *$(figures_from)/point ([^;]*);.*|$(figures_to)/\1|p'

# $(call run_points,TARGETS): makes them on all cores, saying which point of how many is being made; one at a time.
run_points = +@mkdir -p $(figures_to)/made-by; exec 8>>$(figures_to)/made-by/.run; \
  flock -n 8 || { echo "another make is making figures in $(figures_to): waiting"; flock 8; }; \
  total=$$($(MAKE) -n $(1) 2>/dev/null | grep -c '^ *$(figures_from)/point ' || true); \
  counter=$$(mktemp); trap 'rm -f "$$counter"' EXIT; \
  FIGURE_COUNTER="$$counter" FIGURE_TOTAL="$$total" $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j $(JOBS)) $(1)
