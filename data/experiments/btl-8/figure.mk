# Traffic against destinations on the 40x40 torus: the paper's Figure 8, from the records of Figure 6.
# Uses what btl-6/figure.mk defines. SPDX-License-Identifier: MIT

FIGURES += figure-btl-8
btl8 := $(figures_to)/btl-8

$(btl8)/figure.svg: data/experiments/btl-8/figure.gp data/experiments/btl-6/lines.gp $(figures_from)/planners.gp $(btl6)/model.csv
	@$(point) mkdir -p $(@D); gnuplot -e "dir='$(btl6)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(btl8)/checked
$(btl8)/checked: $(figures_from)/check data/experiments/btl-8/expected.tsv $(btl6)/model.csv
	@mkdir -p $(@D)
	$(call check_figure,btl-8)

.PHONY: figure-btl-8
figure-btl-8: $(btl8)/figure.svg ## traffic against destinations on the 40x40 torus: the BTL paper's Figure 8
	@echo "Figure 8 of BTL: $(btl8)/figure.svg"
