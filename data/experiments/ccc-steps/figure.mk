# Figures 8a, 8b, 9a, 9b, 10 and 11 of the U-CCC paper: the step model on cube-connected cycles, with our
# masked order, the lower bound and separate addressing beside them. SPDX-License-Identifier: MIT

CCC_SETS ?= 1000
CCC_MASKED_SETS ?= 200
$(eval $(call figure_setting,CCC_SETS))
$(eval $(call figure_setting,CCC_MASKED_SETS))
ccc := $(figures_to)/ccc-steps
ccc_here := data/experiments/ccc-steps

# Dimensions and multicast set size (the source included) of every point: 7-64 is 64 nodes of the 7-CCC.
ccc_8 := $(foreach n,7 8,$(addprefix $(n)-,8 16 24 32 40 48 56 64))
ccc_9 := $(foreach n,9 10,$(addprefix $(n)-,64 128 192 256 320 384 448 512))
ccc_11 := $(addprefix 7-,8 16 32 64 128 192 256 320 384 448 512 576 640 704 768 832 896)
ccc_points := $(sort $(ccc_8) $(ccc_9) $(ccc_11))

ccc_steps = plan-multicast $(1) $(2) | route-expand | simulate-wormhole --engine steps
ccc_report = report --kind steps --by topology$(comma)planner$(comma)destinations \
  --metric steps$(comma)least_steps$(comma)blocked$(comma)shared_links$(comma)sharing_pairs --csv

# $(call ccc_point,DIMENSIONS,NODES): how one point is made.
define ccc_point
$(ccc)/multicasts-$(1)-$(2).jsonl: $(ccc_here)/figure.mk $$(call made_by,gen-topology gen-multicast CCC_SETS)
	@$$(point) mkdir -p $$(@D); gen-topology ccc $(1) | \
	  gen-multicast --count $(CCC_SETS) --destinations $$$$(($(2) - 1)) --seed $(2) -o $$@
$(ccc)/paper-$(1)-$(2).csv: $(ccc)/multicasts-$(1)-$(2).jsonl $$(call made_by,plan-multicast route-expand simulate-wormhole report)
	@$$(point) $$(call ccc_steps,u-ccc,$$<) | $$(ccc_report) -o $$@
$(ccc)/masked-$(1)-$(2).csv: $(ccc_here)/figure.mk $$(simulated_by) $$(call made_by,CCC_MASKED_SETS)
	@$$(point) mkdir -p $$(@D); gen-topology ccc $(1) | \
	  gen-multicast --count $(CCC_MASKED_SETS) --destinations $$$$(($(2) - 1)) --seed $(2) | \
	  $$(call ccc_steps,u-ccc --order masked) | $$(ccc_report) -o $$@
endef
$(foreach point,$(ccc_points),$(eval $(call ccc_point,$(word 1,$(subst -, ,$(point))),$(word 2,$(subst -, ,$(point))))))

# Separate addressing does not depend on the set: a few are enough to draw it through the same tools.
$(ccc)/separate-9-%.csv: $(ccc_here)/figure.mk $(simulated_by)
	@$(point) mkdir -p $(@D); gen-topology ccc 9 | gen-multicast --count 5 --destinations $$(($* - 1)) --seed $* | \
	  $(call ccc_steps,separate) | $(ccc_report) -o $@

# $(call ccc_files,POINTS): their CSV files.
ccc_files = $(foreach point,$(1),$(ccc)/paper-$(point).csv $(ccc)/masked-$(point).csv)
$(ccc)/8.csv: $(call ccc_files,$(ccc_8)); @$(merge_csv)
$(ccc)/9.csv: $(call ccc_files,$(ccc_9)); @$(merge_csv)
$(ccc)/10.csv: $(call ccc_files,$(filter 9-%,$(ccc_9))) $(patsubst 9-%,$(ccc)/separate-9-%.csv,$(filter 9-%,$(ccc_9))); @$(merge_csv)
$(ccc)/11.csv: $(call ccc_files,$(ccc_11)); @$(merge_csv)

# Only the blocked messages of Figures 8a and 9a and the steps of the others differ in what is drawn.
$(ccc)/8a.svg $(ccc)/8b.svg: $(ccc)/8.csv
$(ccc)/9a.svg $(ccc)/9b.svg: $(ccc)/9.csv
$(ccc)/10.svg: $(ccc)/10.csv
$(ccc)/11.svg: $(ccc)/11.csv
$(ccc)/%.svg: $(ccc_here)/%.gp $(ccc_here)/common.gp $(figures_from)/planners.gp
	@$(point) gnuplot -e "csv='$(filter %.csv,$^)'; here='$(ccc_here)'" $< >$@.tmp && mv $@.tmp $@

.PHONY: figure-ccc-steps
FIGURES += figure-ccc-steps
figure-ccc-steps: $(addprefix $(ccc)/,8a.svg 8b.svg 9a.svg 9b.svg 10.svg 11.svg) ## the U-CCC paper's Figures 8 to 11: steps on cube-connected cycles
	@echo "Figures 8 to 11 of U-CCC: $(ccc)/8a.svg and so on (the numbers: $(ccc)/8.csv and beside it)"
FIGURE_CHECKS += $(ccc)/checked
$(ccc)/checked: $(figures_from)/check $(ccc_here)/expected.tsv $(addprefix $(ccc)/,8.csv 9.csv 10.csv 11.csv)
	$(call check_figure,ccc-steps)
