# Optiks. `make help` lists the targets. Each target can be repeated, and exits with 0 only on success.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

export DOTNET_CLI_TELEMETRY_OPTOUT := 1
export DOTNET_NOLOGO := 1
# With this variable, MSBuild leaves no build servers behind when make returns.
export MSBUILDDISABLENODEREUSE := 1

# All projects of a build share one compiler, which ends with the build. A compiler for each project would take three times as long.
define dotnet_build
status=0; \
dotnet build $(1) --configuration Release --nologo --verbosity quiet -p:UseSharedCompilation=true || status=$$?; \
dotnet build-server shutdown --vbcscompiler > /dev/null || true; \
[ $$status -eq 0 ]
endef

# Pairs of a folder in build/out and its project. The commands of build/bin are links into these folders.
PROGRAMS := update-task:Optiks.UpdateTask update-service:Optiks.UpdateService query-service:Optiks.QueryService db:Optiks.Db cli:Optiks.Cli
TEST_PROGRAMS := epochs:Optiks.Epochs stress:Optiks.Stress query-bench:Optiks.QueryService.Bench
link_out = mkdir -p build/out; for program in $(1); do ln -sfn "../artifacts/bin/$${program\#*:}/release" "build/out/$${program%%:*}"; done
link_packaged = mkdir -p build/packaged; for program in $(PROGRAMS); do ln -sfn "../deb-artifacts/publish/$${program\#*:}/release_linux-x64" "build/packaged/$${program%%:*}"; done; \
	for program in $(TEST_PROGRAMS); do ln -sfn "../out/$${program%%:*}" build/packaged/; done
link_bin = mkdir -p build/bin; for command in $(1); do ln -sfn "../out/$$command" build/bin/; done

# Minutes that each long suite runs.
MINUTES ?= 6

# The benchmarks of services use these values: the seconds of the long phases, and the number of keys.
BENCH_SECONDS ?= 60
KEYS ?= 1048576

.PHONY: help install native sqlclient programs native-tests benchmarks build client deb images run up down test test-deep sanitized test-all check facts username-tables configuration fix test-faults test-storm test-erasures test-slow test-fairness test-auditor test-deb test-images fuzz bench-vrf timing-vrf bench-ozks bench-updates bench-lookups bench-users bench-starts bench-periods bench-rolling bench-sizes bench-audit bench-scale bench-failover bench-upgrade load-keyring load-synthetic clean

help: ## list the targets
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

install: ## install the Debian packages that building and running the programs need
	@eng/install.sh build

native: install ## build liboptiks, the C++ library
	@mkdir -p build
	@cmake --preset release > build/cmake-release.log 2>&1 || { cat build/cmake-release.log; exit 1; }
	@cmake --build --preset release --target optiks

sqlclient: ## choose the version of SQL Server's client that the package feed serves; `make clean` removes the choice
	@eng/sqlclient.sh

programs: native sqlclient ## build the services, optiks and optiks-db
	@$(call dotnet_build,Optiks.Programs.slnf)
	@$(call link_out,$(PROGRAMS))
	@$(call link_bin,db/optiks-db cli/optiks)

native-tests: native ## build the C++ tests
	@eng/install.sh test $(if $(OPTIKS_TEST_SQLSERVER),freetds-bin)
	@cmake --preset release -DOPTIKS_TESTS=ON > build/cmake-release.log 2>&1 || { cat build/cmake-release.log; exit 1; }
	@cmake --build --preset release

benchmarks: native ## build the C++ benchmarks
	@eng/install.sh bench
	@cmake --preset release -DOPTIKS_BENCHMARKS=ON > build/cmake-release.log 2>&1 || { cat build/cmake-release.log; exit 1; }
	@cmake --build --preset release --target benchmarks

build: native-tests sqlclient ## build all programs and tests of `make test` (the default)
	@$(call dotnet_build,Optiks.slnx)
	@$(call link_out,$(PROGRAMS) $(TEST_PROGRAMS))
	@$(call link_bin,db/optiks-db cli/optiks stress/optiks-stress)

client: ## build the client's part of the C++ library for 64-bit ARM and WebAssembly, and run its tests in qemu and Node
	@eng/install.sh client
	@eng/libsodium.sh
	@for preset in client-arm64 client-wasm; do cmake --preset $$preset > build/cmake-$$preset.log 2>&1 || { cat build/cmake-$$preset.log; exit 1; }; cmake --build --preset $$preset; ctest --preset $$preset; done

deb: native sqlclient ## build the Debian packages; writes build/deb
	@eng/install.sh deb
	@deploy/deb/build.py

images: native sqlclient ## build the container images optiks-server and optiks-cli with podman; writes build/images
	@eng/install.sh deb images
	@deploy/container/images.py

run: programs ## build the programs and run the services on SQLite in the foreground; Ctrl-C stops them
	@exec eng/services.py run

up: programs ## build the programs and run the services in the background; returns when they are ready
	@eng/services.py up

down: ## stop the services that `make up` started
	@eng/services.py down

test: build ## run the C++, C#, Python, Node and end-to-end suites and the quick checks; ends with one line of totals
	@eng/install.sh check
	@eng/test.py quick

test-deep: build benchmarks sanitized ## run sanitizers, Valgrind, clang-tidy, more rounds of some suites, and all other gating suites; ends with one line of totals
	@eng/install.sh deep client
	@eng/test.py deep

sanitized: ## build the C++ tests with sanitizers
	@eng/install.sh build test
	@mkdir -p build
	@cmake --preset asan > build/cmake-asan.log 2>&1 || { cat build/cmake-asan.log; exit 1; }
	@nice -n 10 cmake --build --preset asan

# The build of the C# programs leaves a processor idle half of the time, so the C++ tests with sanitizers are built at the same time. All
# packages are installed before these builds, because two installations at the same time would wait for one lock.
test-all: ## run `test` and `test-deep` as CI does, each suite once with all its rounds; ends with one line of totals
	@eng/install.sh build test check deep bench client
	@$(MAKE) --no-print-directory -j2 build sanitized
	@$(MAKE) --no-print-directory benchmarks
	@eng/ahead.sh
	@eng/test.py quick deep

check: build ## run the style and architecture checks
	@eng/install.sh check deep
	@/usr/bin/python3 eng/check.py

facts: ## generate the files that are made from docs/spec/facts.toml
	@eng/make_facts.py

username-tables: ## generate the Unicode tables for usernames
	@eng/install.sh unicode-data
	@eng/make_username_tables.py

configuration: programs ## generate the reference of settings, docs/operations/configuration.md
	@build/bin/optiks-db config reference > docs/operations/configuration.md.new
	@mv docs/operations/configuration.md.new docs/operations/configuration.md

fix: build ## generate the facts and tables, and run clang-format and dotnet format
	@eng/install.sh check
	@/usr/bin/python3 eng/check.py --fix

test-faults: build ## inject every fault on every engine for MINUTES (default 6), or random faults until UPDATES are accepted; writes build/test/faults.json
	@eng/install.sh faketime
	@mkdir -p build/test
	@tests/e2e/run_faults.py build/test/faults.json $(if $(UPDATES),--updates $(UPDATES),--minutes $(MINUTES)) $(if $(ENGINES),--engines $(ENGINES))

test-storm: build ## run two of each service over connections that stall, break and are refused, for MINUTES (default 6) an engine; writes build/test/storm.json
	@mkdir -p build/test
	@tests/e2e/run_faults.py build/test/storm.json --storm $(MINUTES) $(if $(ENGINES),--engines $(ENGINES))

test-erasures: build ## kill services during user changes, erasures, period switches, tokens and reassigned names, for MINUTES (default 6) an engine; writes build/test/erasures.json
	@mkdir -p build/test
	@tests/e2e/run_erasure_storm.py build/test/erasures.json --minutes $(MINUTES)

test-slow: build ## run 60 slow readers and 60 slow writers for MINUTES (default 6) during verified lookups and updates; writes build/test/slow.json
	@mkdir -p build/test
	@tests/e2e/run_slow.py build/test/slow.json --minutes $(MINUTES)

test-fairness: build ## run one greedy caller after another against honest ones, each for SECONDS_EACH (default 20); writes build/test/fairness.json
	@mkdir -p build/test
	@tests/e2e/run_fairness.py build/test/fairness.json $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH))

test-auditor: build ## kill -9 the auditor at each step 200 times, then measure the cost of catching up; writes build/test/auditor.json
	@mkdir -p build/test
	@tests/e2e/run_auditor.py build/test/auditor.json

test-deb: deb ## install, start, upgrade and purge the Debian packages in a separate booted Debian
	@/usr/bin/python3 -m pytest -q tests/e2e/test_deb.py

test-images: images ## run the container images, as in Kubernetes and with podman-compose
	@eng/install.sh test openssl
	@/usr/bin/python3 -m pytest -q tests/e2e/test_images.py

fuzz: install ## fuzz all decoders and verifiers for MINUTES (default 6) altogether
	@eng/install.sh fuzz
	@eng/fuzz.sh $(MINUTES)

bench-vrf: benchmarks ## measure the VRF; writes build/bench/vrf.json
	@mkdir -p build/bench
	@build/cmake/release/vrf/vrf_bench --benchmark_out=build/bench/vrf.json --benchmark_out_format=json

timing-vrf: benchmarks ## search the VRF's running time for dependence on secrets, with a positive control
	@build/cmake/release/vrf/vrf_timing

bench-ozks: benchmarks ## measure the trees, in linked and stored mode; writes build/bench/ozks.json
	@/usr/bin/python3 bench/measure_trees.py build/bench/ozks.json build/cmake/release/ozks/ozks_bench build/cmake/release/ozks/ozks_stored_bench

bench-updates: build ## measure acceptance and publication on PostgreSQL and SQLite (ENGINES=, also sqlserver; BENCH_SECONDS=); writes build/bench/updates.json
	@/usr/bin/python3 bench/measure_updates.py --seconds $(BENCH_SECONDS) $(if $(ENGINES),--engines $(ENGINES))

bench-lookups: build ## compare lookups with an empty endpoint, in a log of KEYS (default 2^20) keys; writes build/bench/lookups.json
	@eng/install.sh wrk
	@/usr/bin/python3 bench/measure_lookups.py --keys $(KEYS)

bench-users: build ## measure size and verification time of answers about users, in a log of KEYS (default 2^20) keys; writes build/bench/users.json
	@/usr/bin/python3 bench/measure_users.py --keys $(KEYS)

bench-starts: build ## measure the time until a new replica of KEYS (default 2^20) keys is ready; writes build/bench/starts.json
	@/usr/bin/python3 bench/measure_starts.py --keys $(KEYS)

bench-periods: build ## measure a period switch under load, in a log of KEYS (default 2^20) keys (ENGINES=); writes build/bench/period.json
	@/usr/bin/python3 bench/measure_periods.py --keys $(KEYS) $(if $(ENGINES),--engines $(ENGINES))

bench-rolling: build deb ## measure lookups while replicas behind nginx restart, in a log of KEYS (default 2^16) keys; writes build/bench/rolling.json
	@eng/install.sh nginx openssl
	@$(call link_packaged)
	@OPTIKS_OUT=$(CURDIR)/build/packaged /usr/bin/python3 bench/measure_rolling.py $(if $(filter-out file default,$(origin KEYS)),--keys $(KEYS))

bench-sizes: build ## measure a log's disk space for each key, version, copy and epoch (ENGINES=); writes build/bench/sizes.json
	@/usr/bin/python3 bench/measure_sizes.py $(if $(ENGINES),--engines $(ENGINES))

bench-audit: build ## measure an auditor that follows logs of EPOCHS (default 10^4 to 2^20) epochs with one new key each; writes build/bench/audit.json
	@/usr/bin/python3 bench/measure_audit.py $(if $(EPOCHS),--epochs $(EPOCHS))

bench-scale: benchmarks ## build, query, update, save and restore directories of SCALE_KEYS (default 2^20 to 2^26) keys; writes build/bench/scale.json
	@/usr/bin/python3 bench/measure_scale.py $(if $(SCALE_KEYS),--keys $(SCALE_KEYS))

bench-failover: build ## kill the primary of a Patroni cluster and the update-task, KILLS (default 10) times each, at 2,000 updates/s; writes build/bench/failover.json
	@eng/install.sh patroni etcd-server python3-etcd haproxy openssl
	@tests/e2e/run_failover.py build/bench/failover.json $(if $(KILLS),--kills $(KILLS))

bench-upgrade: build deb ## upgrade three hosts behind nginx from the packages of FROM (default: the first release), under load, with KEYS (default 10^6) keys; writes build/bench/upgrade.json
	@eng/install.sh nginx openssl
	@tests/e2e/run_upgrade.py $(if $(FROM),--from $(FROM)) $(if $(filter-out file default,$(origin KEYS)),--keys $(KEYS))

load-keyring: programs ## load Debian's OpenPGP keys into the services that `make up` started
	@eng/install.sh debian-keyring
	@bench/load_keyring.py

load-synthetic: programs ## load 100,000 keys into these services, verify 1,000 lookups and a key with 100 versions
	@bench/load_synthetic.py

clean: ## remove all build output (data in $OPTIKS_DATA stays)
	@rm -rf build
