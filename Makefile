# The set-up, the tests and the notebooks' runner. `make help` lists the targets.
# Needed beforehand: Go and Python 3.11 or newer. All else goes into build/ and .venv/.

BIN := build/bin
PYTHON_BIN := .venv/bin/python
NOTEBOOKS ?= notebooks
LAB_ARGS ?=
FUZZTIME ?= 10s
KERNEL ?= topos
# What only our kernel is asked: GoNB's own kinds of notebooks.
CONFORMANCE_OURS = $(if $(filter topos,$(KERNEL)),tests/test_gonb_notebooks.py)
RANDOMTIME ?= 60s
GOLDEN ?=
# The product is pure Go; only the race detector asks for a C compiler.
export CGO_ENABLED := 0

.PHONY: help lab kernel tools install test check notebook golden random conformance fuzz platforms stablehlo maps soak bench-cells pins clean

help: ## Print this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

lab: install ## Build the kernel, make .venv, and open JupyterLab on notebooks/.
	@echo "== JupyterLab on $(NOTEBOOKS) (Ctrl-C twice ends it)"
	@sh setup/lab.sh "$(NOTEBOOKS)" $(LAB_ARGS)

kernel: tools ## Build the kernel and its pinned tools into build/bin.
	@sh setup/step.sh "building the kernel" go build -trimpath -o $(BIN)/topos ./kernel/topos
	@go build -trimpath -ldflags="-s -w" -o $(BIN)/topos-launch ./kernel/launch

tools: $(BIN)/.tools ## Build the pinned gonb, gopls and goimports (minutes the first time).

$(BIN)/.tools: go.mod
	@mkdir -p $(BIN)
	@sh setup/step.sh "building gonb" go build -o $(BIN)/ github.com/janpfeifer/gonb
	@sh setup/step.sh "building goimports" go build -o $(BIN)/ golang.org/x/tools/cmd/goimports
	@sh setup/step.sh "building gopls" go build -o $(BIN)/ golang.org/x/tools/gopls
	@touch $@

install: kernel .venv/.lab ## Install the kernelspec into .venv.
	@$(BIN)/topos install --prefix .venv

.venv/.lab: requirements.txt setup/overrides.json
	@sh setup/step.sh "making .venv" sh setup/venv.sh
	@sh setup/step.sh "installing JupyterLab into .venv" $(PYTHON_BIN) -m pip install -q --disable-pip-version-check -r requirements.txt
	@mkdir -p .venv/share/jupyter/lab/settings && cp setup/overrides.json .venv/share/jupyter/lab/settings/
	@touch $@

.venv/.test: .venv/.lab tests/requirements.txt
	@sh setup/step.sh "installing the test clients into .venv" $(PYTHON_BIN) -m pip install -q --disable-pip-version-check -r tests/requirements.txt
	@touch $@

test: check install .venv/.test ## Run every test: Go, real Jupyter clients, headless Chromium.
	@sh setup/step.sh "looking for a C compiler (race detector)" sh setup/debian.sh gcc gcc libc6-dev
	@sh setup/step.sh "looking for Chromium" sh setup/debian.sh chromium chromium
	@sh setup/step.sh "looking for qemu-user" sh setup/debian.sh qemu-aarch64-static qemu-user-static
	@sh setup/step.sh "looking for jaxlib" sh setup/stablehlo.sh build/stablehlo/venv || echo "WARNING: tests/test_stablehlo.py is skipped"
	@sh setup/test.sh

check: tools ## gofmt and go vet.
	@echo "== gofmt, go vet"
	@files="$$(git ls-files -co --exclude-standard '*.go')"; bad="$$(gofmt -l $$files)"; \
	if [ -n "$$bad" ]; then echo "not formatted:"; echo "$$bad"; exit 1; fi
	@sh setup/step.sh "go vet" go vet ./...

notebook: install ## Execute one notebook, NB=path, into build/NAME.ipynb and build/NAME.html.
	@test -n "$(NB)" || { echo "error: say which notebook: make notebook NB=notebooks/walkthrough.ipynb" >&2; exit 2; }
	@$(PYTHON_BIN) setup/execute.py "$(NB)" build

golden: ## Run every suite of golden data, and print the rows of each; GOLDEN=folder takes other data.
	@TOPOS_GOLDEN="$(if $(GOLDEN),$(abspath $(GOLDEN)))" sh setup/golden.sh

random: ## Check random programs for RANDOMTIME (60s), and print what they were made of.
	@sh setup/random.sh $(RANDOMTIME)

conformance: install .venv/.test ## Ask the kernel (or another, KERNEL=name) what the Jupyter protocol asks of any.
	@CONFORMANCE_KERNEL=$(KERNEL) $(PYTHON_BIN) -m pytest tests/test_protocol.py tests/test_conformance.py tests/test_conformance_life.py $(CONFORMANCE_OURS)

fuzz: ## Run every fuzz target for FUZZTIME (10s).
	@sh setup/fuzz.sh $(FUZZTIME)

soak: install .venv/.test ## Run what takes long: tests/soak_*.py, one after another.
	@for script in tests/soak_*.py; do echo "== $$script"; $(PYTHON_BIN) "$$script" || exit 1; done

stablehlo: ## Run emitted modules on jaxlib's interpreter, XLA and IREE (ten minutes). UPDATE=1 rewrites topos/STABLEHLO.md.
	@sh setup/step.sh "making an environment with jaxlib and IREE" sh setup/stablehlo.sh build/stablehlo/venv all
	@echo "== emitted modules on every engine"
	@build/stablehlo/venv/bin/python tests/stablehlo/check.py $(if $(UPDATE),--update) $(STABLEHLO)

maps: ## Check all f32 inputs of every map, all bf16 pairs and 10^8 f32 pairs of powf, many f64 inputs (an hour).
	go test ./topos/elementary -count=1 -timeout 24h -v -run 'TestEveryInput|TestEveryPowOfBfloat16|TestPowPairs|TestRandom64|TestPowRandom' \
		-args -exhaustive -powpairs 100000000 -samples 200000

platforms: ## Compare bits under GOAMD64=v1 and v3, arm64 (qemu-user) and WebAssembly (node).
	@sh setup/step.sh "looking for qemu-user" sh setup/debian.sh qemu-aarch64-static qemu-user-static
	@echo "== the same digests on every platform"
	@python3 tests/platforms.py

bench-cells: install .venv/.test ## Time start, cells, interrupts, output and large payloads beside ipykernel and bare GoNB.
	@$(PYTHON_BIN) tests/bench_cells.py

pins: ## Freeze the newest versions that the two requirements.in allow.
	@sh setup/pins.sh

clean: ## Remove build/ and .venv/.
	rm -rf build .venv
