# Traffic against destinations on the 40x40 torus: the paper's Figure 8, from the records of Figure 6.
# Uses what btl-6/figure.mk defines. SPDX-License-Identifier: MIT

FIGURES += figure-btl-8
btl8 := $(figures_to)/btl-8

$(btl8)/figure.svg: data/experiments/btl-8/figure.gp $(btl6)/model.csv
	@$(point) mkdir -p $(@D); gnuplot -e "dir='$(btl6)'" $< >$@.tmp && mv $@.tmp $@

.PHONY: figure-btl-8
figure-btl-8: $(btl8)/figure.svg ## traffic against destinations on the 40x40 torus: the BTL paper's Figure 8
	@echo "Figure 8 of BTL: $(btl8)/figure.svg"
