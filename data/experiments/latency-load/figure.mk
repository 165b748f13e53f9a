# Latency against load: path-based and unicast-based schemes on the 16x16 mesh, 10 destinations.
# SPDX-License-Identifier: MIT

latency_load := $(figures_to)/latency-load
latency_load_here := data/experiments/latency-load
latency_load_rates := $(shell awk -F'\t' '$$1 == "rates" { print $$2 }' $(latency_load_here)/parameters.tsv)
latency_load_runs := $(words $(shell awk -F'\t' '$$1 == "seeds" { print $$2 }' $(latency_load_here)/parameters.tsv))

# $(call latency_load_point,RATE): how one point is made.
define latency_load_point
$(latency_load)/$(1).csv: $(latency_load_here)/simulate $(latency_load_here)/parameters.tsv $$(simulated_by)
	@$$(point) mkdir -p $$(@D); $(latency_load_here)/simulate $(1) >$$@.tmp && mv $$@.tmp $$@
endef
$(foreach r,$(latency_load_rates),$(eval $(call latency_load_point,$(r))))

# The points that every run carried.
$(latency_load)/table.csv: $(latency_load_rates:%=$(latency_load)/%.csv)
	@grep -h ',complete,$(latency_load_runs),' $^ | sort -t, -k2,2 -k1,1g >$@.tmp && mv $@.tmp $@

$(latency_load)/figure.svg: $(latency_load_here)/figure.gp $(figures_from)/planners.gp $(latency_load)/table.csv
	@$(point) gnuplot -e "table='$(latency_load)/table.csv'; runs='$(latency_load_runs)'; from='$(figures_from)'" $< >$@.tmp && mv $@.tmp $@

# Every run, those that saturated too.
$(latency_load)/all.csv: $(latency_load_rates:%=$(latency_load)/%.csv); @$(merge_csv)

FIGURE_CHECKS += $(latency_load)/checked
$(latency_load)/checked: $(figures_from)/check $(latency_load_here)/expected.tsv $(latency_load)/all.csv
	$(call check_figure,latency-load)

.PHONY: figure-latency-load
FIGURES += figure-latency-load
figure-latency-load: $(latency_load)/figure.svg ## latency against load of path- and unicast-based schemes
	@echo "latency against load: $(latency_load)/figure.svg (the numbers: $(latency_load)/table.csv)"
