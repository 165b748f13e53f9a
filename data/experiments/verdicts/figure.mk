# The table of verdicts in README.md. SPDX-License-Identifier: MIT

.PHONY: verdict-table
verdict-table: test-needs all ## verdicts on every planner as such, into README.md
	@data/experiments/verdicts/table --update README.md
