# The pictures of data/pages. SPDX-License-Identifier: MIT

.PHONY: pages
pages: demo ## the pictures of data/pages, made again (tests/suites/pages compares them)
	@data/experiments/pages/pictures data/pages
	@for plot in latency longest-path; do cp $(BUILD)/demo/$$plot.svg data/pages/demo-$$plot.svg; done
