# The papers' diagrams, drawn from what the tools say: U-CCC 1 to 7, BTL 1 to 3, the report's 2.
# SPDX-License-Identifier: MIT

diagrams := $(figures_to)/diagrams
diagrams_draw := $(figures_from)/diagrams/draw

# The 5-CCC example of the U-CCC paper's Section 5, and a set that fixes what its Figure 1 lost in the BTL paper.
diagrams_example := gen-topology ccc 5 | gen-multicast --source 53 --to 26 80 59 107 3 56 120
diagrams_torus := gen-topology torus 8 8 | gen-multicast --source 2,2 --to 2,1 2,5 3,0 3,4 4,1 4,6 5,0 6,5 7,2 0,3 1,3 1,7

# $(call diagram,NAME,PIPELINE): how a picture is made.
define diagram
$(diagrams)/$(1).svg: $(diagrams_draw) $(figures_from)/diagrams/figure.mk $$(call made_by,$$(filter $$(figure_tools),$(2)))
	@$$(point) mkdir -p $$(@D); $(2) | neato -n2 -Tsvg >$$@.tmp && mv $$@.tmp $$@
diagrams_pictures += $(diagrams)/$(1).svg
endef
$(eval $(call diagram,stars-2,gen-topology mesh 4 3 --explicit-labels | $(diagrams_draw) network))
$(eval $(call diagram,ccc-1,gen-topology ccc 3 | $(diagrams_draw) network))
$(eval $(call diagram,ccc-2,gen-topology ccc 3 | gen-multicast --source 1 --to 21 | gen-multicast --source 5 --to 9 | \
  plan-multicast u-ccc | route-expand | $(diagrams_draw) routes))
$(eval $(call diagram,ccc-3,gen-topology ccc 4 | gen-multicast --pattern broadcast --count 64 | plan-multicast separate --routing hc | \
  route-expand | $(diagrams_draw) row))
$(eval $(call diagram,ccc-4,gen-topology ccc 3 | gen-multicast --source 0 --to 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 | \
  plan-multicast u-ccc | $(diagrams_draw) chain))
$(eval $(call diagram,ccc-5,$(diagrams_example) | plan-multicast u-ccc | $(diagrams_draw) parts))
$(eval $(call diagram,ccc-6,$(diagrams_example) | plan-multicast u-ccc | $(diagrams_draw) chain))
$(eval $(call diagram,ccc-7,$(diagrams_example) | plan-multicast u-ccc | $(diagrams_draw) relations))
$(eval $(call diagram,btl-1,$(diagrams_torus) | $(diagrams_draw) network))
$(eval $(call diagram,btl-2,$(diagrams_torus) | plan-multicast t2w | route-expand | report --draw 0))
$(eval $(call diagram,btl-3,$(diagrams_torus) | plan-multicast btl | route-expand | report --draw 0))

.PHONY: figure-diagrams
FIGURES += figure-diagrams
figure-diagrams: $(diagrams_pictures) ## the diagrams of the U-CCC and BTL papers and of the report, from records
	@echo "The papers' diagrams: $(diagrams)/ccc-1.svg and beside it"
