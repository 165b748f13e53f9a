# The BTL paper's model where a node starts one worm at a time: what its inferred parameter, all ports, decides.
# Uses what btl-6/figure.mk defines, and its multicasts. SPDX-License-Identifier: MIT

btl_ports := $(figures_to)/btl-ports

$(btl_ports)/model-%.csv: $(btl6)/multicasts-%-1.jsonl data/experiments/btl-ports/figure.mk $(btl_simulated)
	@mkdir -p $(@D)
	@$(call btl_simulate,$<,--relay-startup-cycles 23 --injection-channels 1)
$(btl_ports)/model.csv: $(foreach k,$(btl6_sizes),$(btl_ports)/model-$(k).csv); @$(merge_csv)

$(btl_ports)/figure.svg: data/experiments/btl-ports/figure.gp $(btl_ports)/model.csv $(btl6)/model.csv data/experiments/btl-6/lines.gp $(figures_from)/planners.gp
	@$(point) gnuplot -e "dir='$(btl_ports)'; all='$(btl6)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(btl_ports)/checked
$(btl_ports)/checked: $(figures_from)/check data/experiments/btl-ports/expected.tsv $(btl_ports)/model.csv
	$(call check_figure,btl-ports)

.PHONY: figure-btl-ports
FIGURES += figure-btl-ports
figure-btl-ports: $(btl_ports)/figure.svg ## the BTL paper's model where a node starts one worm at a time
	@echo "BTL with one port: $(btl_ports)/figure.svg (the numbers: $(btl_ports)/model.csv)"
