# The verbs people type. The build itself is CMake's; this file installs, builds, tests and reproduces.
# SPDX-License-Identifier: MIT
SHELL := bash
.SHELLFLAGS := -o pipefail -ec
.DELETE_ON_ERROR:
export LC_ALL := C

BUILD ?= build
ifneq ($(words $(BUILD)),1)
  $(error BUILD='$(BUILD)' is no folder's name without blanks)
endif
BUILD_TYPE ?= Release
# ON: a warning ends the build, as in CI.
WERROR ?= OFF
CXX_LAUNCHER ?=
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DESTDIR ?=
export PATH := $(abspath $(BUILD))/bin:$(PATH)
comma := ,

# What is needed beyond git, make and root: a command or file to look for, then the package that has it.
build_packages := /usr/bin/c++:g++ /usr/bin/cmake:cmake /usr/bin/ninja:ninja-build \
  /usr/include/CLI/CLI.hpp:libcli11-dev /usr/include/nlohmann/json.hpp:nlohmann-json3-dev \
  /usr/include/fmt/core.h:libfmt-dev /usr/include/doctest/doctest.h:doctest-dev /usr/bin/python3:python3
python_packages := /usr/bin/python3:python3
converter_packages := $(python_packages) /usr/lib/python3/dist-packages/yaml/__init__.py:python3-yaml \
  /usr/lib/python3/dist-packages/google/protobuf/__init__.py:python3-protobuf
demo_packages := /usr/bin/gnuplot:gnuplot-nox $(python_packages)
golden_packages := $(demo_packages) /usr/bin/xz:xz-utils
document_packages := $(python_packages) /usr/bin/groff:groff-base /usr/bin/zsh:zsh /usr/bin/fish:fish
test_packages := $(golden_packages) $(document_packages) /usr/bin/pkg-config:pkg-config \
  /usr/lib/python3/dist-packages/jsonschema/__init__.py:python3-jsonschema $(converter_packages)
figure_packages := $(demo_packages) /usr/bin/neato:graphviz
slurm_packages := /usr/sbin/slurmctld:slurm-wlm /usr/bin/parallel:parallel
# What is installed under the name of a version is looked for by the package's licence, which slim images keep, too.
installed = /usr/share/doc/$(1)/copyright:$(1)
clang_packages := /usr/bin/clang++:clang /usr/bin/llvm-symbolizer:llvm $(call installed,libclang-rt-dev)
package_packages := /usr/bin/lintian:lintian /usr/bin/dpkg-shlibdeps:dpkg-dev

# $(call need,PAIRS): installs the packages whose file is missing, saying so in one line; one apt-get at a time, also
# where make runs several of these at once.
define need
	@missing() { for pair in $(1); do [ -e "$${pair%%:*}" ] || echo "$${pair##*:}"; done; }; \
	if [ "$$(missing)" ]; then \
	  exec 9<Makefile; flock 9; packages=($$(missing)); \
	  [ $${#packages[@]} -gt 0 ] || exit 0; \
	  echo "installing $${packages[*]} with apt-get"; \
	  as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	  log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	  $$as_root apt-get -qq update >"$$log" 2>&1 && \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$${packages[@]}" >>"$$log" 2>&1 \
	    || { tail -n 5 "$$log" >&2; echo "apt-get failed; install by hand: $${packages[*]}" >&2; exit 1; }; \
	fi
endef

# $(call quietly,COMMAND): runs a build step without the chatter of one that has nothing to do. How far it is stands in one
# line of a terminal, else in a line for each tenth.
define quietly
	@$(1) | { told=0; \
	while IFS= read -r line; do \
	  case $$line in \
	    "-- "* | "GLOB mismatch!"* | "ninja: no work to do"* | "ninja: Entering directory"* | *"] Re-"*) ;; \
	    \[[0-9]*/[0-9]*\]\ *) \
	      step=$${line#[}; step=$${step%%]*}; tenth=$$((10 * $${step%/*} / $${step#*/})); \
	      if [ -t 1 ]; then printf '\r%s of %s steps\033[K' "$${step%/*}" "$${step#*/}"; \
	      elif [ $$tenth -gt $$told ]; then echo "$${step%/*} of $${step#*/} steps"; fi; \
	      told=$$tenth ;; \
	    *) [ ! -t 1 ] || printf '\r\033[K'; echo "$$line" ;; \
	  esac; \
	done; \
	[ ! -t 1 ] || [ $$told = 0 ] || printf '\r\033[K'; }
endef

.PHONY: all tools demo-tools checked-tools unit-tests configure build-needs test-needs demo-needs figure-needs golden-needs document-needs python-needs
# BUILT=1: the tools are there; for recipes that run at the same time in one folder.
ifdef BUILT
all:
	@[ -x $(BUILD)/bin/report ] || { echo "BUILT=1, but there is no $(BUILD)/bin/report" >&2; exit 2; }
tools demo-tools checked-tools unit-tests: all
else
all: configure ## build the tools and the library
	@[ -e $(BUILD)/bin/report ] || echo "building wormcast in $(BUILD)/"
	$(call quietly,ninja -C $(BUILD) -j $(JOBS))
tools: built := wormcast-tools
demo-tools: built := $(addprefix bin/,gen-topology gen-multicast plan-multicast route-expand simulate-wormhole report)
checked-tools: built := wormcast-tools unit-tests
unit-tests: built := unit-tests
tools: configure ## build the seven tools alone
tools demo-tools checked-tools unit-tests: configure
	@[ -e $(BUILD)/bin/report ] || echo "building wormcast's tools in $(BUILD)/"
	$(call quietly,ninja -C $(BUILD) -j $(JOBS) $(built))
endif

build-needs:
	$(call need,$(build_packages))

# $(call asked,VARIABLE): its value if whoever runs make gave it.
asked = $(if $(filter command environment,$(origin $(1))),$($(1)))
# $(call cached,VARIABLE): a shell's word, what the build was configured with.
cached = "$$(sed -n 's/^$(1):[A-Z]*=//p' $(BUILD)/CMakeCache.txt)"

# A folder keeps its build type and compiler: another, asked for, is refused instead of ignored.
configure: build-needs
	@[ -e $(BUILD)/build.ninja ] || \
	  cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=$(BUILD_TYPE) -DWORMCAST_WERROR=$(WERROR) >/dev/null
	@asked='$(call asked,BUILD_TYPE)'; is=$(call cached,CMAKE_BUILD_TYPE); [ -z "$$asked" ] || [ "$$asked" = "$$is" ] || \
	  { echo "$(BUILD)/ is a build of type $$is: name another folder, make BUILD=$(BUILD)-other BUILD_TYPE=$$asked" >&2; exit 2; }
	@asked='$(firstword $(call asked,CXX))'; is=$(call cached,CMAKE_CXX_COMPILER); [ -z "$$asked" ] || \
	  [ "$$(realpath "$$(command -v "$$asked")" 2>/dev/null)" = "$$(realpath "$$is")" ] || \
	  { echo "$(BUILD)/ is built by $$is: name another folder, make BUILD=$(BUILD)-other CXX=$$asked" >&2; exit 2; }
	@asked='$(call asked,WERROR)'; [ -z "$$asked" ] || [ "$$asked" = $(call cached,WORMCAST_WERROR) ] || \
	  cmake -S . -B $(BUILD) -DWORMCAST_WERROR=$$asked >/dev/null

python-needs: build-needs
	$(call need,$(python_packages))

demo-needs: build-needs
	$(call need,$(demo_packages))

golden-needs: build-needs
	$(call need,$(golden_packages) $(converter_packages))

document-needs: build-needs
	$(call need,$(document_packages))

figure-needs: build-needs
	$(call need,$(figure_packages))

test-needs: build-needs
	$(call need,$(test_packages))

.PHONY: demo
demo: demo-needs demo-tools ## one real comparison: table and plots in build/demo
	@data/experiments/demo/run $(BUILD)/demo

.PHONY: test check unit golden documents hostile faults golden-update record-forms
test: test-needs all ## everything that CI runs; the last line is "N passed, N failed"
	@tests/run_all $(BUILD)

check: golden-needs checked-tools ## what to run while working, in one to three minutes: short unit tests, most goldens and examples, drift
	@tests/run_all $(BUILD) golden examples drift

unit: unit-tests ## the unit tests alone (UNIT='OPTION...' of theirs)
	@$(BUILD)/bin/unit-tests $(UNIT)

golden: golden-needs tools ## the golden cases alone
	@tests/transcripts.py --bin $(BUILD)/bin

documents: document-needs all ## help, man pages with their examples, completions in bash, zsh and fish
	@tests/suites/documents $(BUILD)

hostile: python-needs all ## broken, strange and enormous input; JSONTestSuite where it is there
	@tests/suites/hostile $(BUILD)

faults: python-needs all ## full disks, closed pipes, little memory, kill -9: an error or the right result
	@tests/suites/faults $(BUILD)

golden-update: golden-needs tools ## rewrite what a golden case, file or folder expects: make golden-update CASE=report/table
	@[ -n "$(CASE)" ] || { echo "name what to rewrite: CASE=TOOL/CASE" >&2; exit 2; }
	@tests/transcripts.py --bin $(BUILD)/bin --update $(CASE)

record-forms: python-needs all ## rewrite data/schema
	@tests/record_forms.py --build $(BUILD) --update

# CI (.ci/run) runs other commands in these systems.
bare_systems := bookworm trixie
.PHONY: bare-systems test-systems
bare-systems: # anew each time
	$(call need,/usr/sbin/debootstrap:debootstrap)
	@printf '%s\n' $(bare_systems) | xargs -P 2 -I{} tests/bare_system make {} $(BUILD)/systems

test-systems: bare-systems ## make demo and make test in bare Debian 12 and 13, made by debootstrap (as root; half an hour)
	@for suite in $(bare_systems); do tests/bare_system run $$suite $(BUILD)/systems "make demo && make test" || failed=1; done; \
	  tail -qn 1 $(bare_systems:%=$(BUILD)/systems/%.log); exit $$failed

.PHONY: figures figures-check
include data/experiments/common.mk
include $(sort $(wildcard data/experiments/*/figure.mk))
figures: figure-needs all ## every figure of the papers and ours beside them, in build/figures
	$(call run_points,$(FIGURES))

.PHONY: figure-files figure-points
figure-files: all $(FIGURES)
figure-points:
	$(call list_points,$(FIGURES))

figures-check: figure-needs all ## compare the figures' numbers with their expectations, name each miss
	$(call run_points,$(FIGURE_CHECKS))
	@tests/figures_missed $(FIGURE_CHECKS)

.PHONY: book test-book
book: figure-needs all ## every figure and claim on one HTML page, build/book/index.html; a PDF where chromium is
	$(call run_points,$(FIGURES) $(FIGURE_CHECKS))
	@mkdir -p $(BUILD)/book
	@data/experiments/book/book $(figures_to) >$(BUILD)/book/index.html.tmp && mv $(BUILD)/book/index.html.tmp $(BUILD)/book/index.html
	@data/experiments/book/print $(BUILD)/book/index.html $(BUILD)/book/wormcast.pdf
	@echo "The book: $(BUILD)/book/index.html"

test-book: book ## the book in a headless browser, at phone and desktop width
	$(call need,/usr/bin/chromium:chromium)
	@tests/book/browse $(BUILD)/book/index.html

proof_packages := /usr/bin/coqc:coq /usr/bin/ocamlopt:ocaml-nox $(golden_packages) $(converter_packages)
.PHONY: proof
proof: build-needs tools ## Coq's proofs, and the checker made of them: certificates of planners and goldens, mutants
	$(call need,$(proof_packages))
	@tests/proof/build $(BUILD)/proof
	@tests/proof/mutants.py $(BUILD)/proof/check
	@tests/proof/check.py $(BUILD)/bin $(BUILD)/proof/check

.PHONY: test-slurm
test-slurm: build-needs all ## a sweep on a Slurm of two nodes that loses one, and through other engines
	$(call need,$(slurm_packages))
	@tests/cluster/slurm $(BUILD)

fabric_packages := /usr/sbin/opensm:opensm /usr/bin/ibsim:ibsim-utils /usr/bin/ibdmchk:ibutils \
  /usr/sbin/saquery:infiniband-diags $(python_packages)
.PHONY: fabrics
fabrics: build-needs tools ## OpenSM in ibsim routes five fabrics by six engines: verdicts beside ibdmchk's with path SLs
	$(call need,$(fabric_packages))
	@python3 tests/fabrics/run.py $(BUILD)/fabrics >$(BUILD)/fabrics.log || { cat $(BUILD)/fabrics.log; exit 2; }
	@tests/check_opensm.py --bin $(BUILD)/bin --cases $(BUILD)/fabrics

.PHONY: npe
npe: all ## the links of every trace of a checkout of tenstorrent/tt-npe (NPE=FOLDER; NPE_DUMP=PROGRAM: beside its own)
	@[ -d "$(NPE)" ] || { echo "no checkout: make npe NPE=FOLDER (tests/npe/dump.cpp: how to build NPE_DUMP)" >&2; exit 2; }
	@NPE_DUMP='$(NPE_DUMP)' tests/check_npe.py --bin $(BUILD)/bin --npe "$(NPE)"

TRACE ?= ../shared/workloads/netrace/lngrex.tra.bz2
.PHONY: coherence
coherence: all ## the coherence multicasts of a netrace trace (TRACE=FILE) planned by every mesh planner
	@[ -e "$(TRACE)" ] || { echo "no trace: make coherence TRACE=blackscholes.tra.bz2 (netrace's lngrex)" >&2; exit 2; }
	@data/experiments/coherence/run "$(TRACE)" $(BUILD)/coherence

.PHONY: bench
bench: python-needs all ## time every tool against a copy of its records
	@tests/bench/run $(BUILD)

.PHONY: claims
claims: python-needs all ## measure figures of README and pages again (under ten minutes), and say which moved
	@tests/bench/claims $(BUILD)

.PHONY: bench-deadlock
bench-deadlock: python-needs all ## time the deadlock checker on whole algorithms and on long streams
	@tests/bench/deadlock $(BUILD)

.PHONY: bench-pipeline
bench-pipeline: python-needs all ## time whole pipelines as they are typed (BOOKSIM=... the same work on it)
	@CASES='$(CASES)' ROUNDS='$(ROUNDS)' BOOKSIM="$(BOOKSIM)" tests/bench/pipeline $(BUILD)

.PHONY: booksim
booksim: python-needs all ## the allocating router beside BookSim 2's (BOOKSIM=..., FULL=1 every case; then WRITE=1): latency, saturation
	@[ -x "$(BOOKSIM)" ] || [ -n "$(WRITE)" ] || { echo "no executable: make booksim BOOKSIM=..." >&2; exit 2; }
	@FULL=$(FULL) WRITE=$(WRITE) CASES='$(CASES)' RESULTS='$(RESULTS)' BOOKSIM="$(BOOKSIM)" tests/bench/booksim $(BUILD)

.PHONY: booksim-tutorial
booksim-tutorial: python-needs all ## the unicasts of the tutorial for a paper beside BookSim 2's (BOOKSIM=...): latency, events
	@BOOKSIM="$(BOOKSIM)" tests/bench/booksim_tutorial $(BUILD)

.PHONY: booksim-links
booksim-links: python-needs all ## links of different lengths beside BookSim 2's anynet (BOOKSIM=...): latency
	@BOOKSIM="$(BOOKSIM)" tests/bench/booksim_links $(BUILD)

.PHONY: booksim-networks
booksim-networks: python-needs all ## cmesh, flatfly, fat tree, fly and dragonfly beside BookSim 2's (BOOKSIM=...): latency
	@BOOKSIM="$(BOOKSIM)" tests/bench/booksim_networks $(BUILD)

.PHONY: bench-simulator
bench-simulator: python-needs all ## time the simulator (FULL=1 every case; BOOKSIM=..., TOPAZ=... the same work on them)
	@FULL=$(FULL) CASES='$(CASES)' CONFIDENCE='$(CONFIDENCE)' BOOKSIM="$(BOOKSIM)" TOPAZ="$(TOPAZ)" tests/bench/simulator $(BUILD)

.PHONY: bench-planners
bench-planners: all ## time the optimal planners beside a dense assignment solver (SciPy)
	$(call need,/usr/lib/python3/dist-packages/scipy/__init__.py:python3-scipy)
	@/usr/bin/python3 tests/bench/planners $(BUILD)

# Every variant takes a build of its own, but for "built", what make has built; SAME_BYTES="libcxx-debug built" is
# another compiler, library and build type in one, then the tools at hand, each under another locale and number of jobs.
SAME_BYTES ?=
.PHONY: same-bytes
same-bytes: golden-needs $(if $(filter built,$(SAME_BYTES)),tools) ## the golden suite by gcc and clang, both standard libraries, Debug and Release, other locales
	$(call need,/usr/share/i18n/locales/de_DE:locales $(if $(filter-out built,$(or $(SAME_BYTES),all)),\
	  /usr/bin/clang++:clang $(call installed,libc++-dev) $(call installed,libc++abi-dev)))
	@tests/same_bytes $(BUILD) $(SAME_BYTES)

.PHONY: asan coverage tidy lint format
# make asan and make fuzz share one instrumented build; what is undefined ends a program at once.
export UBSAN_OPTIONS := halt_on_error=1:print_stacktrace=1
instrumented := $(BUILD)/fuzz
define instrument
	$(call need,$(clang_packages))
	@cmake -S . -B $(instrumented) -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DWORMCAST_FUZZ=ON -DCMAKE_CXX_COMPILER_LAUNCHER="$(CXX_LAUNCHER)" >/dev/null
endef

asan: test-needs ## unit, differential and golden tests, truncated streams and fuzz corpora under two sanitizers
	$(instrument)
	$(call quietly,ninja -C $(instrumented) -j $(JOBS))
	@$(instrumented)/bin/unit-tests
	@tests/transcripts.py --bin $(instrumented)/bin
	@tests/suites/truncation $(instrumented)
	@WORMCAST_SECONDS=600 tests/suites/fuzz-corpus $(instrumented)

FUZZ_SECONDS ?= 60
# Such as "records imports"; all without one.
FUZZ_TARGETS ?=
.PHONY: fuzz
fuzz: build-needs ## every fuzz target for FUZZ_SECONDS, starting from tests/fuzz/corpus
	$(instrument)
	$(call quietly,ninja -C $(instrumented) -j $(JOBS) fuzzers)
	@tests/fuzz/run $(instrumented) $(FUZZ_SECONDS) $(JOBS) $(FUZZ_TARGETS)

# Without the suite of faults: a tool that is killed, or has no disk, writes no counts, and gcov's complaints
# would be taken for the tool's. The destructors of objects that live as long as the tool are no lines to cover: those
# that the compiler makes, on the line of their class, and the virtual ones of interfaces.
destructors := ^(class|struct) .*\{$$|^ *virtual ~.* = default;$$
coverage: test-needs ## line coverage of lib/ and tools/ by unit tests, goldens and suites; uncovered lines in build/coverage/lines.txt
	$(call need,/usr/bin/gcovr:gcovr)
	@cmake -S . -B $(BUILD)/coverage -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER_LAUNCHER="$(CXX_LAUNCHER)" \
	  -DCMAKE_CXX_FLAGS="-O1 --coverage -fprofile-update=atomic" >/dev/null
	@find $(BUILD)/coverage -name '*.gcda' -delete
	$(call quietly,ninja -C $(BUILD)/coverage -j $(JOBS))
	@$(BUILD)/coverage/bin/unit-tests | tail -n 3
	@for suite in golden examples truncation hostile documents trace; do \
	  result=$$(tests/suites/$$suite $(BUILD)/coverage) || echo "$$result"; echo "$$suite: $${result##*$$'\n'}"; done
	@gcovr --root . --filter lib/ --filter tools/ --object-directory $(BUILD)/coverage --exclude-throw-branches \
	  --exclude-lines-by-pattern '$(destructors)' --txt $(BUILD)/coverage/lines.txt --print-summary | grep '^lines'

tidy: build-needs ## clang-tidy over the library and the tools; .clang-tidy says why a check is off
	$(call need,/usr/bin/clang-tidy:clang-tidy)
	@cmake -S . -B $(BUILD)/tidy -G Ninja -DWORMCAST_UNITY=OFF >/dev/null # how each source is compiled by itself
	@find lib tools -name '*.cpp' | sort | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD)/tidy --quiet \
	  --extra-arg=-Wno-unknown-warning-option 2>/dev/null
	@echo "clang-tidy: $$(find lib tools -name '*.cpp' | wc -l) files, 0 findings"

# Also what is new and not in the index yet, and where there is no git.
sources = $(shell find lib tools tests -name '*.[ch]pp')
lint: ## cppcheck over the library and the tools, clang-format without changing anything; pyflakes and mypy
	$(call need,/usr/bin/cppcheck:cppcheck /usr/bin/clang-format:clang-format /usr/bin/pyflakes3:pyflakes3 /usr/bin/mypy:mypy)
	@tests/lint_python
	@cppcheck --quiet --std=c++20 --language=c++ -Ilib -j $(JOBS) --enable=warning,performance,portability --inline-suppr \
	  --suppressions-list=tests/cppcheck.txt --error-exitcode=1 lib tools
	@clang-format --dry-run --Werror $(sources)
	@echo "cppcheck and clang-format: $(words $(sources)) files, 0 findings"

format: ## clang-format everything
	$(call need,/usr/bin/clang-format:clang-format)
	@clang-format -i $(sources)

.PHONY: install package clean help
install: all ## install under $(DESTDIR)$(PREFIX)
	@DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(PREFIX)' >/dev/null
	@echo "installed under $(DESTDIR)$(PREFIX)"

package: all ## Debian packages checked by lintian, a tarball, and one that runs on any Linux, in build/packages
	$(call need,$(package_packages))
	@rm -rf $(BUILD)/packages
	@link() { cmake -S . -B $(BUILD) -DWORMCAST_STATIC=$$1 >/dev/null && ninja -C $(BUILD) --quiet; }; \
	was=$(call cached,WORMCAST_STATIC); trap "link $$was" EXIT; link OFF; \
	(cd $(BUILD) && cpack >package.log 2>&1) || { cat $(BUILD)/package.log; exit 1; }; \
	link ON; data/package/static_tarball $(BUILD) $(BUILD)/packages
	@rm -rf $(BUILD)/packages/_CPack_Packages
	@lintian --fail-on error,warning --allow-root $(BUILD)/packages/*.deb
	@cd $(BUILD)/packages && for file in *.deb *.tar.gz; do echo "$(BUILD)/packages/$$file: $$(stat -c %s $$file) bytes"; done
	@echo "lintian: no error, no warning"

clean: ## remove everything that was built
	@rm -rf $(BUILD)

help: ## this list
	@sed -nE 's/^([a-z0-9-]+):[^#]*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | \
	  awk -F '\t' '{ name[NR] = $$1; says[NR] = $$2; if (length($$1) > most) most = length($$1) } \
	    END { for (i = 1; i <= NR; ++i) printf "make %-*s  %s\n", most, name[i], says[i] }'
