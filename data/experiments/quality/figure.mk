# Quality of OCMS and OTMS beside fixed-, dual- and multi-path on the 16x16 and 32x32 mesh: traffic, longest path,
# uncontended time, and latency under load. The report has no plot of it; it asks for it. SPDX-License-Identifier: MIT

quality := $(figures_to)/quality
quality_here := $(figures_from)/quality
QUALITY_SETS_16 ?= 2000
QUALITY_SETS_32 ?= 500
$(eval $(call figure_setting,QUALITY_SETS_16))
$(eval $(call figure_setting,QUALITY_SETS_32))
quality_planners := fixed-path,dual-path,multi-path,ocms,ocms:first-hop=free,otms,otms:first-hop=free,otms:first-hop=free:edge-disjoint=yes
quality_points := $(addprefix 16-,4 8 16 32 64 128) $(addprefix 32-,8 16 32 64 128)

# $(call quality_point,SIDE,DESTINATIONS): each multicast alone in the network. The report's equation (2) with
# alpha = 0, tau = delta = 1 cycle says: the longest path and L - 1 = 31 flits. The simulation agrees except where two
# paths of a star want the same channel; expected.tsv has both.
define quality_point
$(quality)/multicasts-$(1)-$(2).jsonl: $(quality_here)/figure.mk $$(call made_by,gen-topology gen-multicast QUALITY_SETS_$(1))
	@$$(point) mkdir -p $$(@D); gen-topology mesh $(1) $(1) | gen-multicast --count $(QUALITY_SETS_$(1)) \
	  --destinations $(2) --interval 2000 --seed $(2) -o $$@
$(quality)/plans-$(1)-$(2).jsonl: $(quality)/multicasts-$(1)-$(2).jsonl $$(call made_by,plan-multicast)
	@$$(point) plan-multicast $(quality_planners) $$< -o $$@
$(quality)/deliveries-$(1)-$(2).jsonl: $(quality)/plans-$(1)-$(2).jsonl $$(call made_by,route-expand simulate-wormhole)
	@$$(point) route-expand $$< | simulate-wormhole -o $$@
$(quality)/alone-$(1)-$(2).csv: $(quality)/deliveries-$(1)-$(2).jsonl $$(call made_by,report)
	@$$(point) report --kind delivery --by topology,planner,destinations \
	  --metric traffic_channels,longest_path_hops,latency_cycles,blocked_cycles --csv $$< -o $$@
endef
$(foreach p,$(quality_points),$(eval $(call quality_point,$(word 1,$(subst -, ,$(p))),$(word 2,$(subst -, ,$(p))))))
.PRECIOUS: $(foreach s,multicasts plans deliveries,$(quality_points:%=$(quality)/$(s)-%.jsonl))

$(quality)/alone.csv: $(quality_points:%=$(quality)/alone-%.csv); @$(merge_csv)

# Under load: 16 destinations, 32 flits, multicasts start at random everywhere. A point is (router, rate, seed);
# rates end where some planner still delivers. What a router has is ours, so it is varied: buffers, ports.
quality_rates := 0.0004 0.0008 0.0012 0.0016 0.0020 0.0024 0.0028 0.0032 0.0036 0.0040 0.0045 0.0050
quality_few_rates := 0.0008 0.0016 0.0024 0.0032 0.0040
quality_seeds := 1 2 3
quality_router_load :=
quality_router_deep := --buffer-flits 32
quality_router_port := --injection-channels 1
quality_runs := $(foreach s,$(quality_seeds),$(foreach r,$(quality_rates),load-$(r)-$(s)) \
  $(foreach r,$(quality_few_rates),deep-$(r)-$(s) port-$(r)-$(s)))

# $(call quality_load,ROUTER,RATE,SEED)
define quality_load
$(quality)/$(1)-$(2)-$(3).csv: $(quality_here)/figure.mk $$(simulated_by)
	@$$(point) mkdir -p $$(@D); gen-topology mesh 16 16 | \
	  gen-multicast --rate $(2) --cycles 150000 --destinations 16 --seed $(3) | plan-multicast $(quality_planners) | \
	  route-expand | simulate-wormhole $(quality_router_$(1)) --warmup-cycles 50000 --measure-cycles 100000 \
	  --saturation-backlog 1 | \
	  report --kind delivery --by topology,planner,rate,outcome --metric latency_cycles,blocked_cycles \
	  --statistics mean,interval95,min,max --csv -o $$@
endef
$(foreach run,$(quality_runs),$(eval $(call quality_load,$(word 1,$(subst -, ,$(run))),$(word 2,$(subst -, ,$(run))),$(word 3,$(subst -, ,$(run))))))
quality_load_tables := $(foreach t,load deep port,$(quality)/$(t).csv)
$(foreach t,load deep port,$(eval $(quality)/$(t)-runs.csv: $(patsubst %,$(quality)/%.csv,$(filter $(t)-%,$(quality_runs))); @$$(merge_csv)))
$(quality_load_tables): $(quality)/%.csv: $(quality_here)/replications $(quality)/%-runs.csv
	@$^ >$@.tmp && mv $@.tmp $@

quality_pictures := $(foreach p,traffic longest load,$(quality)/$(p).svg)
$(quality)/traffic.svg $(quality)/longest.svg: $(quality)/alone.csv
$(quality)/load.svg: $(quality_load_tables)
$(quality_pictures): $(quality)/%.svg: $(quality_here)/%.gp $(figures_from)/planners.gp
	@$(point) gnuplot -e "csv='$(firstword $(filter %.csv,$^))'; dir='$(quality)'; from='$(figures_from)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(quality)/checked
$(quality)/checked: $(figures_from)/check $(quality_here)/expected.tsv $(quality)/alone.csv $(quality_load_tables)
	$(call check_figure,quality)

.PHONY: figure-quality
FIGURES += figure-quality
figure-quality: $(quality_pictures) ## OCMS and OTMS beside fixed-, dual- and multi-path: traffic, paths, time, load
	@echo "Quality of the stars: $(quality)/traffic.svg and beside it (the numbers: $(quality)/alone.csv, load.csv and beside them)"
