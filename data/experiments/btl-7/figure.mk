# Latency against the size of the torus, every fifth node a destination: the paper's Figure 7.
# Uses what btl-6/figure.mk defines. SPDX-License-Identifier: MIT

FIGURES += figure-btl-7
btl7 := $(figures_to)/btl-7
btl7_sides := 5 10 15 20 25 30 35 40

# $(call btl7_multicasts,SIDE,FLITS)
btl7_multicasts = $(point) mkdir -p $(@D); gen-topology torus $(1) $(1) | gen-multicast --source $$(($(1)/2)),$$(($(1)/2)) \
  --destinations $$(($(1)*$(1)/5)) --count $$(($(2) > 1 ? 20 : $(1) > 20 ? 60 : 300)) --interval 100000 --length-flits $(2) --seed $(1) -o $@

$(btl7)/multicasts-%-1.jsonl: data/experiments/btl-7/figure.mk $(call made_by,gen-topology gen-multicast)
	@$(call btl7_multicasts,$*,1)
$(btl7)/multicasts-%-32.jsonl: data/experiments/btl-7/figure.mk $(call made_by,gen-topology gen-multicast)
	@$(call btl7_multicasts,$*,32)
$(btl7)/multicasts-%-128.jsonl: data/experiments/btl-7/figure.mk $(call made_by,gen-topology gen-multicast)
	@$(call btl7_multicasts,$*,128)

$(btl7)/model-%.csv: $(btl7)/multicasts-%-1.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 23)
$(btl7)/flits-1-%.csv: $(btl7)/multicasts-%-1.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24)
$(btl7)/flits-32-%.csv: $(btl7)/multicasts-%-32.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24)
$(btl7)/flits-128-%.csv: $(btl7)/multicasts-%-128.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24)
$(btl7)/one-port-%.csv: $(btl7)/multicasts-%-32.jsonl $(btl_simulated)
	@$(call btl_simulate,$<,--relay-startup-cycles 24 --injection-channels 1)

.PRECIOUS: $(btl7)/multicasts-%-1.jsonl $(btl7)/multicasts-%-32.jsonl $(btl7)/multicasts-%-128.jsonl

$(foreach panel,$(btl6_panels),$(eval $(btl7)/$(panel).csv: $(foreach side,$(btl7_sides),$(btl7)/$(panel)-$(side).csv); @$$(merge_csv)))

$(btl7)/figure.svg: data/experiments/btl-7/figure.gp data/experiments/btl-6/lines.gp $(figures_from)/planners.gp $(foreach panel,$(btl6_panels),$(btl7)/$(panel).csv)
	@$(point) gnuplot -e "dir='$(btl7)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(btl7)/checked
$(btl7)/checked: data/experiments/check data/experiments/btl-7/expected.tsv $(foreach panel,$(btl6_panels),$(btl7)/$(panel).csv)
	$(call check_figure,btl-7)

.PHONY: figure-btl-7
figure-btl-7: $(btl7)/figure.svg ## latency against the size of the torus: the BTL paper's Figure 7
	@echo "Figure 7 of BTL: $(btl7)/figure.svg"
