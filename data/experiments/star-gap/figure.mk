# How far optimal stars are from what has fewer rules: the best star without port limits, and the least Steiner tree
# (exactly for up to 10 destinations, else between a bound and a greedy tree). SPDX-License-Identifier: MIT

star_gap := $(figures_to)/star-gap
star_gap_here := $(figures_from)/star-gap
STAR_GAP_SETS ?= 1000
$(eval $(call figure_setting,STAR_GAP_SETS))
star_gap_planners := dual-path,multi-path,ocms,ocms:first-hop=free,ocms:worms-a-port=any,steiner-tree
star_gap_points := $(addprefix 8-,2 4 8 16 32 63) $(addprefix 16-,2 4 8 16 32 64 128)

# $(call star_gap_point,SIDE,DESTINATIONS)
define star_gap_point
$(star_gap)/plans-$(1)-$(2).csv: $(star_gap_here)/figure.mk $$(call made_by,gen-topology gen-multicast plan-multicast report STAR_GAP_SETS)
	@$$(point) mkdir -p $$(@D); gen-topology mesh $(1) $(1) | gen-multicast --count $(STAR_GAP_SETS) \
	  --destinations $(2) --seed $(2) | plan-multicast $(star_gap_planners) --bounds | \
	  report --kind plan --by topology,planner,destinations \
	  --metric traffic_channels,traffic_bound_channels,traffic_bound_exact,worms --csv -o $$@
endef
$(foreach p,$(star_gap_points),$(eval $(call star_gap_point,$(word 1,$(subst -, ,$(p))),$(word 2,$(subst -, ,$(p))))))

$(star_gap)/plans.csv: $(star_gap_points:%=$(star_gap)/plans-%.csv); @$(merge_csv)
$(star_gap)/gaps.csv: $(star_gap_here)/gaps $(star_gap)/plans.csv; @$^ >$@.tmp && mv $@.tmp $@

$(star_gap)/gap.svg: $(star_gap_here)/gap.gp $(figures_from)/planners.gp $(star_gap)/gaps.csv
	@$(point) gnuplot -e "csv='$(star_gap)/gaps.csv'; from='$(figures_from)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(star_gap)/checked
$(star_gap)/checked: $(figures_from)/check $(star_gap_here)/expected.tsv $(star_gap)/gaps.csv
	$(call check_figure,star-gap)

.PHONY: figure-star-gap
FIGURES += figure-star-gap
figure-star-gap: $(star_gap)/gap.svg ## how far optimal stars are from stars without port limits and from least trees
	@echo "Gaps of the stars: $(star_gap)/gap.svg (the numbers: $(star_gap)/gaps.csv)"
