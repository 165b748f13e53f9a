# Latency against load where routers give out virtual channels, copy flit by flit, and choose among shortest label-ordered
# routes: ocms and dual-path, fixed and adaptive, and trees, with 1, 2 and 4 virtual channels on the 8x8 mesh.
# SPDX-License-Identifier: MIT

virtual_channels := $(figures_to)/virtual-channels
virtual_channels_here := data/experiments/virtual-channels
virtual_channels_parameter = $(shell awk -F'\t' '$$1 == "$(1)" { print $$2 }' $(virtual_channels_here)/parameters.tsv)
virtual_channels_each := $(call virtual_channels_parameter,virtual_channels)
virtual_channels_rates := $(call virtual_channels_parameter,rates)
virtual_channels_runs := $(words $(call virtual_channels_parameter,seeds))

# $(call virtual_channels_point,VIRTUAL_CHANNELS,RATE): how one point is made.
define virtual_channels_point
$(virtual_channels)/$(1)-$(2).csv: $(virtual_channels_here)/simulate $(virtual_channels_here)/parameters.tsv $$(simulated_by)
	@$$(point) mkdir -p $$(@D); $(virtual_channels_here)/simulate $(1) $(2) >$$@.tmp && mv $$@.tmp $$@
endef
$(foreach v,$(virtual_channels_each),$(foreach r,$(virtual_channels_rates),$(eval $(call virtual_channels_point,$(v),$(r)))))

# Every run, those that saturated or stood still too.
$(virtual_channels)/all.csv: $(foreach v,$(virtual_channels_each),$(virtual_channels_rates:%=$(virtual_channels)/$(v)-%.csv)); @$(merge_csv)

$(virtual_channels)/figure.svg: $(virtual_channels_here)/figure.gp $(figures_from)/planners.gp $(virtual_channels)/all.csv
	@$(point) gnuplot -e "table='$(virtual_channels)/all.csv'; runs='$(virtual_channels_runs)'; from='$(figures_from)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(virtual_channels)/checked
$(virtual_channels)/checked: $(figures_from)/check $(virtual_channels_here)/expected.tsv $(virtual_channels)/all.csv
	$(call check_figure,virtual-channels)

.PHONY: figure-virtual-channels
FIGURES += figure-virtual-channels
figure-virtual-channels: $(virtual_channels)/figure.svg ## multicast under load with 1, 2, 4 virtual channels, routes fixed and adaptive
	@echo "virtual channels: $(virtual_channels)/figure.svg (the numbers: $(virtual_channels)/all.csv)"
