# Schemes of today's chips on the 16x16 mesh, headers counted: path stars, trees, partitioned paths, unicasts against
# the number of destinations: traffic, longest path, zero-load latency and saturation. SPDX-License-Identifier: MIT

chips := $(figures_to)/chips
chips_here := $(figures_from)/chips
CHIPS_SETS ?= 1000
$(eval $(call figure_setting,CHIPS_SETS))
chips_destinations := 4 8 16 32 64 128
chips_lengths := 5 64
chips_schemes := $(shell awk -F'\t' '$$1 == "schemes" { print $$2 }' $(chips_here)/parameters.tsv)
chips_reserved := $(shell awk -F'\t' '$$1 == "reserved schemes" { print $$2 }' $(chips_here)/parameters.tsv)
chips_deep := $(shell awk -F'\t' '$$1 == "schemes in deep buffers" { print $$2 }' $(chips_here)/parameters.tsv)
chips_header := --header-encoding own --flit-bits $(shell awk -F'\t' '$$1 == "flit bits" { print $$2 }' $(chips_here)/parameters.tsv)
comma ?= ,
# The schemes' names without the options that say how headers are counted, and the message length as a column.
chips_named = sed -E 's/:header-encoding=[a-z-]+:flit-bits=[0-9]+//; 1s/^/length_flits,/; 2,$$$$s/^/$(1),/'

# $(call chips_point,DESTINATIONS,LENGTH): every multicast alone in the network, the same sets for all schemes.
define chips_point
$(chips)/deliveries-$(1)-$(2).jsonl: $(chips_here)/figure.mk $(chips_here)/parameters.tsv \
    $$(call made_by,gen-topology gen-multicast plan-multicast route-expand simulate-wormhole CHIPS_SETS)
	@$$(point) mkdir -p $$(@D); gen-topology mesh 16 16 | \
	  gen-multicast --count $(CHIPS_SETS) --destinations $(1) --length-flits $(2) --interval 20000 --seed $(1) | \
	  plan-multicast $(subst $() ,$(comma),$(strip $(chips_schemes))) $(chips_header) | route-expand | simulate-wormhole -o $$@
$(chips)/alone-$(1)-$(2).csv: $(chips)/deliveries-$(1)-$(2).jsonl $$(call made_by,report)
	@$$(point) report --kind delivery --by planner,destinations --csv \
	  --metric traffic_channels,longest_path_hops,longest_chain_hops,latency_cycles $$< | $(call chips_named,$(2)) >$$@.tmp && mv $$@.tmp $$@
$(chips)/flits-$(1)-$(2).csv: $(chips)/deliveries-$(1)-$(2).jsonl $$(call made_by,report)
	@$$(point) report --kind summary --by planner,destinations --metric flit_hops,multicasts --statistics mean --csv $$< | \
	  $(call chips_named,$(2)) >$$@.tmp && mv $$@.tmp $$@
endef
$(foreach k,$(chips_destinations),$(foreach l,$(chips_lengths),$(eval $(call chips_point,$(k),$(l)))))
.PRECIOUS: $(foreach k,$(chips_destinations),$(foreach l,$(chips_lengths),$(chips)/deliveries-$(k)-$(l).jsonl))
$(foreach t,alone flits,$(eval $(chips)/$(t).csv: $(foreach l,$(chips_lengths),$(chips_destinations:%=$(chips)/$(t)-%-$(l).csv)); @$$(merge_csv)))

chips_slug = $(subst =,-,$(subst :,-,$(1)))

# $(call chips_saturation,ROUTER,SCHEME,DESTINATIONS,LENGTH): the loads between which a scheme saturates.
define chips_saturation
$(chips)/saturation-$(call chips_slug,$(2))-$(1)-$(3)-$(4).csv: $(chips_here)/saturation $(chips_here)/parameters.tsv $(chips)/flits-$(3)-$(4).csv \
    $$(call made_by,gen-topology gen-multicast plan-multicast route-expand simulate-wormhole)
	@$$(point) $(chips_here)/saturation $(1) $(2) $(3) $(4) $(chips)/flits-$(3)-$(4).csv >$$@.tmp && mv $$@.tmp $$@
endef
# ROUTER/SCHEME/LENGTH of every search; a worm of 5 flits and its header fits into a deep buffer.
chips_runs := $(foreach l,$(chips_lengths),$(foreach s,$(chips_schemes),plain/$(s)/$(l)) $(foreach s,$(chips_reserved),reserved/$(s)/$(l))) \
  $(foreach s,$(chips_deep),deep/$(s)/5)
chips_part = $(word $(1),$(subst /, ,$(2)))
$(foreach r,$(chips_runs),$(foreach k,$(chips_destinations),$(eval $(call chips_saturation,$(call chips_part,1,$(r)),$(call chips_part,2,$(r)),$(k),$(call chips_part,3,$(r))))))
chips_loads := $(foreach r,$(chips_runs),$(chips_destinations:%=$(chips)/saturation-$(call chips_slug,$(call chips_part,2,$(r)))-$(call chips_part,1,$(r))-%-$(call chips_part,3,$(r)).csv))
$(chips)/saturation.csv: $(chips_loads); @$(merge_csv)

# Who is ahead, the best path star or the best tree: the captions of the figures and a table.
$(chips)/ahead.csv: $(chips_here)/ahead $(chips)/alone.csv $(chips)/flits.csv $(chips)/saturation.csv
	@$^ $(chips)/captions.gp >$@.tmp && mv $@.tmp $@

# (A scheme that deadlocks at every load has no points in a panel, of which gnuplot would warn.)
chips_pictures := $(foreach p,traffic longest latency saturation,$(chips)/$(p).svg)
$(chips_pictures): $(chips)/%.svg: $(chips_here)/%.gp $(chips_here)/lines.gp $(figures_from)/planners.gp $(chips)/ahead.csv
	@$(point) gnuplot -e "dir='$(chips)'; from='$(figures_from)'" $< 2> >(grep -v 'no valid points' >&2) >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(chips)/checked
$(chips)/checked: $(figures_from)/check $(chips_here)/expected.tsv $(chips)/ahead.csv
	$(call check_figure,chips)

.PHONY: figure-chips
FIGURES += figure-chips
figure-chips: $(chips_pictures) ## today's chips: trees, partitioned paths, rectangles and path stars on a 16x16 mesh
	@echo "Today's chips: $(chips)/traffic.svg and beside it (the numbers: $(chips)/alone.csv, saturation.csv; trees against stars: ahead.csv)"
