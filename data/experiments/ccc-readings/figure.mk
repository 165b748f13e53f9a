# How much the step model of the U-CCC paper depends on what its text leaves open: what a blocked message delays, who is
# blocked, and whether messages block or share a link at all. SPDX-License-Identifier: MIT

ccc_readings := $(figures_to)/ccc-readings
ccc_readings_here := $(figures_from)/ccc-readings
ccc_readings_sizes := 16 32 64 128 256 384 512 640 768 896
# Name of a reading, and the options that make it: the first is that of the figures 8 to 11.
ccc_readings_all := one-port-older literal-older one-port-chain one-port-subtree nominal-older

# $(call ccc_reading,DELAY,PRIORITY,NODES)
define ccc_reading
$(ccc_readings)/$(1)-$(2)-$(3).csv: $(ccc_readings_here)/figure.mk $$(simulated_by)
	@$$(point) mkdir -p $$(@D); gen-topology ccc 7 | gen-multicast --count 200 --destinations $$$$(($(3) - 1)) --seed $(3) | \
	  plan-multicast u-ccc,u-ccc:order=masked | route-expand | \
	  simulate-wormhole --engine steps --step-reading $(1) --step-priority $(2) --fluid | \
	  report --kind steps --by planner,destinations --metric steps,least_steps,blocked,fluid_millisteps --csv | \
	  awk '{ print (NR == 1 ? "reading" : "$(1)-$(2)") "," $$$$0 }' >$$@.tmp && mv $$@.tmp $$@
endef
$(foreach p,older chain subtree,$(foreach m,$(ccc_readings_sizes),$(eval $(call ccc_reading,one-port,$(p),$(m)))))
$(foreach d,literal nominal,$(foreach m,$(ccc_readings_sizes),$(eval $(call ccc_reading,$(d),older,$(m)))))

$(ccc_readings)/table.csv: $(foreach r,$(ccc_readings_all),$(foreach m,$(ccc_readings_sizes),$(ccc_readings)/$(r)-$(m).csv)); @$(merge_csv)
$(ccc_readings)/figure.svg: $(ccc_readings_here)/figure.gp $(figures_from)/planners.gp $(ccc_readings)/table.csv
	@$(point) gnuplot -e "csv='$(filter %.csv,$^)'; from='$(figures_from)'" $< >$@.tmp && mv $@.tmp $@

FIGURE_CHECKS += $(ccc_readings)/checked
$(ccc_readings)/checked: $(figures_from)/check $(ccc_readings_here)/expected.tsv $(ccc_readings)/table.csv
	$(call check_figure,ccc-readings)

.PHONY: figure-ccc-readings
FIGURES += figure-ccc-readings
figure-ccc-readings: $(ccc_readings)/figure.svg ## what the step model of the U-CCC paper leaves open, and what it decides
	@echo "Readings of the U-CCC step model: $(ccc_readings)/figure.svg (the numbers: $(ccc_readings)/table.csv)"
