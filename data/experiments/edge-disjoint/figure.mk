# Does edge-disjointness pay? Simulated latency of optimal stars with and without shared channels on the 16x16 mesh,
# the same multicasts, buffers of 4 and of 16 flits: each alone, and under load. SPDX-License-Identifier: MIT

disjoint := $(figures_to)/edge-disjoint
disjoint_here := $(figures_from)/edge-disjoint
DISJOINT_SETS ?= 1000
$(eval $(call figure_setting,DISJOINT_SETS))
disjoint_planners := ocms:first-hop=free,ocms:first-hop=free:edge-disjoint=yes,otms:first-hop=free,otms:first-hop=free:edge-disjoint=yes
disjoint_buffers := 4 16
disjoint_sizes := 4 8 16 32 64
disjoint_rates := 0.0008 0.0016 0.0024 0.0032 0.0040
disjoint_seeds := 1 2 3

# $(call disjoint_alone,BUFFER,DESTINATIONS), $(call disjoint_load,BUFFER,RATE,SEED)
define disjoint_alone
$(disjoint)/alone-$(1)-$(2).csv: $(disjoint_here)/figure.mk $$(simulated_by) $$(call made_by,DISJOINT_SETS)
	@$$(point) mkdir -p $$(@D); gen-topology mesh 16 16 | gen-multicast --count $(DISJOINT_SETS) --destinations $(2) \
	  --interval 5000 --seed $(2) | plan-multicast $(disjoint_planners) | route-expand | \
	  simulate-wormhole --buffer-flits $(1) | \
	  report --kind delivery --by topology,planner,destinations \
	  --metric traffic_channels,longest_path_hops,latency_cycles,blocked_cycles --csv | \
	  sed '1s/^/buffer_flits,/;2,$$$$s/^/$(1),/' >$$@.tmp && mv $$@.tmp $$@
endef
define disjoint_load
$(disjoint)/load-$(1)-$(2)-$(3).csv: $(disjoint_here)/figure.mk $$(simulated_by)
	@$$(point) mkdir -p $$(@D); gen-topology mesh 16 16 | \
	  gen-multicast --rate $(2) --cycles 60000 --destinations 16 --seed $(3) | plan-multicast $(disjoint_planners) | \
	  route-expand | simulate-wormhole --buffer-flits $(1) --warmup-cycles 20000 --measure-cycles 40000 \
	  --saturation-backlog 1 | \
	  report --kind delivery --by topology,planner,rate,outcome --metric latency_cycles,blocked_cycles \
	  --statistics mean,interval95,min,max --csv -o $$@
endef
$(foreach b,$(disjoint_buffers),$(foreach k,$(disjoint_sizes),$(eval $(call disjoint_alone,$(b),$(k)))))
$(foreach b,$(disjoint_buffers),$(foreach r,$(disjoint_rates),$(foreach s,$(disjoint_seeds),$(eval $(call disjoint_load,$(b),$(r),$(s))))))

$(disjoint)/alone.csv: $(foreach b,$(disjoint_buffers),$(disjoint_sizes:%=$(disjoint)/alone-$(b)-%.csv)); @$(merge_csv)
$(foreach b,$(disjoint_buffers),$(eval $(disjoint)/load-$(b)-runs.csv: \
  $(foreach r,$(disjoint_rates),$(disjoint_seeds:%=$(disjoint)/load-$(b)-$(r)-%.csv)); @$$(merge_csv)))
disjoint_load_tables := $(disjoint_buffers:%=$(disjoint)/load-%.csv)
$(disjoint_load_tables): $(disjoint)/%.csv: $(figures_from)/quality/replications $(disjoint)/%-runs.csv
	@$^ >$@.tmp && mv $@.tmp $@

$(disjoint)/latency.svg: $(disjoint_here)/latency.gp $(figures_from)/planners.gp $(disjoint)/alone.csv $(disjoint_load_tables)
	@$(point) gnuplot -e "dir='$(disjoint)'; from='$(figures_from)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(disjoint)/checked
$(disjoint)/checked: $(figures_from)/check $(disjoint_here)/expected.tsv $(disjoint)/alone.csv $(disjoint_load_tables)
	$(call check_figure,edge-disjoint)

.PHONY: figure-edge-disjoint
FIGURES += figure-edge-disjoint
figure-edge-disjoint: $(disjoint)/latency.svg ## optimal stars with and without shared channels, each alone and under load
	@echo "Edge-disjoint stars: $(disjoint)/latency.svg (the numbers: $(disjoint)/alone.csv, load-4.csv, load-16.csv)"
