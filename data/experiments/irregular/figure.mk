# The study of irregular networks: latency of unicasts, MPM-SSR and OPM, one parameter at a time.
# Included by the top Makefile; files go to $(BUILD)/figures/irregular/.
# SPDX-License-Identifier: MIT
irregular_from := data/experiments/irregular
irregular_to := $(figures_to)/irregular
irregular_points := $(shell awk -F'\t' '/^[a-z]/ && $$1 != "point" { print $$1 }' $(irregular_from)/points.tsv)
irregular_plots := $(addprefix $(irregular_to)/,startup.svg switches.svg ports.svg length.svg open.svg single.svg map.svg)

$(irregular_to)/points/%.tsv: $(irregular_from)/simulate $(irregular_from)/best_unicast.py $(irregular_from)/points.tsv \
    $(call made_by,gen-topology gen-multicast plan-multicast route-expand simulate-wormhole)
	@$(point) mkdir -p $(@D); $(irregular_from)/simulate $* >$@.tmp && mv $@.tmp $@

$(irregular_to)/table.tsv: $(irregular_points:%=$(irregular_to)/points/%.tsv)
	@{ printf '%s\t' point series value destinations switches ports hosts open startup length; \
	  printf 'scheme\trecords\tlatency\tratio\tlatency_interval95\tratio_interval95\n'; cat $^; } >$@.tmp && mv $@.tmp $@

irregular_sweep = @$(point) gnuplot -e "table='$<'; output='$@'; series='$(1)'; base='$(2)'; values='$(3)'; label='$(4)'" $(irregular_from)/sweep.gp
$(irregular_to)/startup.svg: $(irregular_to)/table.tsv $(irregular_from)/sweep.gp
	$(call irregular_sweep,startup,500,100 500 2000,startup (cycles))
$(irregular_to)/switches.svg: $(irregular_to)/table.tsv $(irregular_from)/sweep.gp
	$(call irregular_sweep,switches,16,8 16 32 64,switches)
$(irregular_to)/ports.svg: $(irregular_to)/table.tsv $(irregular_from)/sweep.gp
	$(call irregular_sweep,ports,8,8 16,ports of a switch)
$(irregular_to)/length.svg: $(irregular_to)/table.tsv $(irregular_from)/sweep.gp
	$(call irregular_sweep,length,128,32 128 512,length (flits))
$(irregular_to)/open.svg: $(irregular_to)/table.tsv $(irregular_from)/sweep.gp
	$(call irregular_sweep,open,1,0 1 2,open ports)
$(irregular_to)/single.svg: $(irregular_to)/table.tsv $(irregular_from)/sweep.gp
	$(call irregular_sweep,single,4,4 1,hosts of a switch)
$(irregular_to)/map.svg: $(irregular_to)/table.tsv $(irregular_from)/map.gp
	@$(point) gnuplot -e "table='$<'; output='$@'" $(irregular_from)/map.gp

# The statements of the study, each with its tolerance.
FIGURE_CHECKS += $(irregular_to)/checked
$(irregular_to)/checked: $(figures_from)/check $(irregular_from)/expected.tsv $(irregular_to)/table.tsv
	$(call check_figure,irregular)

.PHONY: figure-irregular
figure-irregular: $(irregular_plots) ## unicasts, MPM-SSR and OPM on irregular networks, one parameter at a time
	@echo "Irregular networks: $(irregular_to)/startup.svg and beside it (the numbers: $(irregular_to)/table.tsv)"
FIGURES += figure-irregular
