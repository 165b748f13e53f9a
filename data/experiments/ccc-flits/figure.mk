# U-CCC in flit time: the virtual channels of a link share its bandwidth, one injection channel a node, each
# multicast alone. Does the order without shared links pay there? SPDX-License-Identifier: MIT

ccc_flits := $(figures_to)/ccc-flits
ccc_flits_here := data/experiments/ccc-flits
ccc_flits_nodes := 16 32 64 96 128
# Length in flits, startup at every sender in cycles: bandwidth decides, both do, startup decides.
ccc_flits_settings := 256-0 256-100 32-100

# $(call ccc_flits_point,NODES,FLITS,STARTUP): how one point is made.
define ccc_flits_point
$(ccc_flits)/$(2)-$(3)-$(1).csv: $(ccc_flits_here)/figure.mk $$(simulated_by)
	@$$(point) mkdir -p $$(@D); gen-topology ccc 7 | gen-multicast --count 100 --interval 100000 --destinations $$$$(($(1) - 1)) \
	  --length-flits $(2) --seed $(1) | plan-multicast u-ccc,u-ccc:order=masked,binomial | route-expand | \
	  simulate-wormhole --shared-links --injection-channels 1 --startup-cycles $(3) --relay-startup-cycles $(3) | \
	  report --kind delivery --by planner$(comma)length_flits$(comma)destinations \
	  --metric latency_cycles$(comma)blocked_cycles$(comma)contention --csv -o $$@
endef
$(foreach m,$(ccc_flits_nodes),$(foreach s,$(ccc_flits_settings),$(eval $(call \
  ccc_flits_point,$(m),$(word 1,$(subst -, ,$(s))),$(word 2,$(subst -, ,$(s)))))))

$(foreach s,$(ccc_flits_settings),$(eval $(ccc_flits)/$(s).csv: $(foreach m,$(ccc_flits_nodes),$(ccc_flits)/$(s)-$(m).csv); \
  @$$(merge_csv)))

$(ccc_flits)/figure.svg: $(ccc_flits_here)/figure.gp $(foreach s,$(ccc_flits_settings),$(ccc_flits)/$(s).csv)
	@$(point) gnuplot -e "dir='$(ccc_flits)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(ccc_flits)/checked
$(ccc_flits)/checked: $(figures_from)/check $(ccc_flits_here)/expected.tsv $(foreach s,$(ccc_flits_settings),$(ccc_flits)/$(s).csv)
	$(call check_figure,ccc-flits)

.PHONY: figure-ccc-flits
FIGURES += figure-ccc-flits
figure-ccc-flits: $(ccc_flits)/figure.svg ## U-CCC and its masked order in flit time, virtual channels sharing their links
	@echo "U-CCC in flit time: $(ccc_flits)/figure.svg (the numbers: $(ccc_flits)/256-0.csv and beside it)"
