#!/bin/sh
# Draw the first page of every report of a gaming day into docs/reports, from a stack that runs (`pitledger demo --keep`).
# Usage: . <the environment that the demo names>; PITLEDGER_TOKEN=<of demo.auditor> sh infra/pictures.sh PROPERTY DAY
# Needs pdftoppm (Debian: poppler-utils). Run `make generated` afterwards: the page lists the pictures that there are.
set -eu
property=$1 day=$2
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
mkdir -p docs/reports
.venv/bin/pitledger report --json | sed -E 's/^\{"name": "([a-z0-9-]+)".*/\1/' | while read -r name; do
	for period in day month; do
		of=$([ "$period" = day ] && echo "$day" || echo "${day%-*}")
		if .venv/bin/pitledger report "$name" --property "$property" --$period "$of" --as pdf -o "$pages/$name.pdf"; then
			pdftoppm -r 80 -png -singlefile "$pages/$name.pdf" "docs/reports/$name"
			break
		fi
	done
done
