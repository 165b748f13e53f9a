# Latency against destinations on the 40x40 torus: the paper's Figure 6, flit simulations beside it.
# Defines what the figures 7 and 8 share. SPDX-License-Identifier: MIT

FIGURES += figure-btl-6
btl6 := $(figures_to)/btl-6
btl6_sizes := 10 100 200 400 800 1200 1599
btl_relayed := source-column=relayed
btl_planners := btl:$(btl_relayed)$(comma)t2w:$(btl_relayed)$(comma)dual-arm:$(btl_relayed)$(comma)dual-arm:cut=short:$(btl_relayed)$(comma)dual-arm:cut=gap:$(btl_relayed)$(comma)u-torus$(comma)xy-tree
btl_router := --hop-cycles 3 --startup-cycles 100
btl_csv := report --kind delivery --by planner$(comma)nodes$(comma)destinations$(comma)length_flits --metric latency_cycles$(comma)traffic_channels --csv

# The dual-arm plans of the expectations run along rows first; the figures draw the better orientation.
btl_rows := orientation=rows-first:$(btl_relayed)
btl_compared := btl:hmp-messages=2:$(btl_relayed)$(comma)dual-arm:$(btl_rows)$(comma)dual-arm:cut=short:$(btl_rows)$(comma)dual-arm:cut=gap:$(btl_rows)

# $(call btl_simulate,MULTICASTS,ROUTER OPTIONS,MORE PLANNERS): a CSV of every planner on the target.
# A flit takes one cycle to be consumed, so a relay startup of 23 cycles is the model's 240 ns. Targets depend on
# the multicasts, then on $(btl_simulated).
btl_simulated := data/experiments/btl-6/figure.mk $(call made_by,plan-multicast route-expand simulate-wormhole report)
btl_simulate = $(point) plan-multicast $(btl_planners)$(if $(3),$(comma)$(3)) $(1) | route-expand | \
  simulate-wormhole $(btl_router) $(2) | $(btl_csv) -o $@

# $(call btl6_multicasts,DESTINATIONS,FLITS): more of them where they differ more, fewer where they are long.
btl6_multicasts = $(point) mkdir -p $(@D); gen-topology torus 40 40 | gen-multicast --source 20,20 --destinations $(1) \
  --count $$(($(2) > 1 ? 20 : $(1) > 200 ? 60 : 300)) --interval 100000 --length-flits $(2) --seed $(1) -o $@
$(btl6)/multicasts-%-1.jsonl: data/experiments/btl-6/figure.mk $(call made_by,gen-topology gen-multicast)
	@$(call btl6_multicasts,$*,1)
$(btl6)/multicasts-%-32.jsonl: data/experiments/btl-6/figure.mk $(call made_by,gen-topology gen-multicast)
	@$(call btl6_multicasts,$*,32)
$(btl6)/multicasts-%-128.jsonl: data/experiments/btl-6/figure.mk $(call made_by,gen-topology gen-multicast)
	@$(call btl6_multicasts,$*,128)

$(btl6)/model-%.csv: $(btl6)/multicasts-%-1.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 23,$(btl_compared))
$(btl6)/flits-1-%.csv: $(btl6)/multicasts-%-1.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24)
$(btl6)/flits-32-%.csv: $(btl6)/multicasts-%-32.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24)
$(btl6)/flits-128-%.csv: $(btl6)/multicasts-%-128.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24)
$(btl6)/one-port-%.csv: $(btl6)/multicasts-%-32.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24 --injection-channels 1)

.PRECIOUS: $(btl6)/multicasts-%-1.jsonl $(btl6)/multicasts-%-32.jsonl $(btl6)/multicasts-%-128.jsonl

btl6_panels := model flits-1 flits-32 flits-128 one-port
$(foreach panel,$(btl6_panels),$(eval $(btl6)/$(panel).csv: $(foreach k,$(btl6_sizes),$(btl6)/$(panel)-$(k).csv); @$$(merge_csv)))

$(btl6)/figure.svg: data/experiments/btl-6/figure.gp data/experiments/btl-6/lines.gp $(figures_from)/planners.gp $(foreach panel,$(btl6_panels),$(btl6)/$(panel).csv)
	@$(point) gnuplot -e "dir='$(btl6)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(btl6)/checked
$(btl6)/checked: data/experiments/check data/experiments/btl-6/expected.tsv $(foreach panel,$(btl6_panels),$(btl6)/$(panel).csv)
	$(call check_figure,btl-6)

.PHONY: figure-btl-6
figure-btl-6: $(btl6)/figure.svg ## latency against destinations on the 40x40 torus: the BTL paper's Figure 6
	@echo "Figure 6 of BTL: $(btl6)/figure.svg (the numbers: $(btl6)/model.csv and beside it)"
