#!/bin/sh
# dashboard.sh: the daemon has every metric that the dashboard, the alerts and their page name.
set -eu
cd "$(dirname "$0")/../.."
names=$(grep -o '"cairn_[a-z_]*"' server/base/metrics.h | tr -d '"')
files='deploy/monitoring/grafana-cairn.json deploy/monitoring/cairn-rules.yml docs/monitoring.md'
failed=0
count=0
for file in $files; do
    for asked in $(grep -o 'cairn_[a-z_]*' "$file" | sort -u); do
        base=$(echo "$asked" | sed 's/_\(bucket\|sum\|count\)$//')
        count=$((count + 1))
        if ! echo "$names" | grep -q -x -e "$asked" -e "$base"; then
            echo "$file: there is no metric $asked"
            failed=1
        fi
    done
done
if command -v python3 >/dev/null; then
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' deploy/monitoring/grafana-cairn.json ||
        failed=1
fi
echo "dashboard: $count names"
exit "$failed"
