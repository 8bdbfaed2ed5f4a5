#!/usr/bin/env bash
# Runs the benchmark. On a virtual machine, processors that fall asleep add 50 to 70 us to every round trip and hide the
# client: spinners of the lowest priority keep them awake, where the system has chrt.
set -euo pipefail
cd "$(dirname "$0")/../.."
mvn -B -ntp -q package -DskipTests -pl tools/benchmarks -am
cd tools/benchmarks
if command -v chrt >/dev/null; then
  for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
    chrt --idle 0 sh -c 'while :; do :; done' &
  done
  trap 'kill $(jobs -p)' EXIT
fi
java ${JAVA_OPTS:-} -cp "target/classes:$(find target/dependency -name '*.jar' | tr '\n' ':')" \
  "${1:-org.holdfast.benchmarks.AcquireRelease}"
