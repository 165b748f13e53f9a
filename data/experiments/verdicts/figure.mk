# The table of verdicts in data/pages/verdicts.md. SPDX-License-Identifier: MIT

.PHONY: verdict-table
verdict-table: test-needs all ## verdicts on every planner as such, into data/pages/verdicts.md
	@data/experiments/verdicts/table --update data/pages/verdicts.md
