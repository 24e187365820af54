#!/bin/sh
# Usage: check_schema.sh LIGHTRAIL FOLDER...: every XML file of the folders is valid by the schema that
# describe prints, and a file with an unknown attribute is not.
set -eu
lightrail=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$lightrail" describe --format xsd > "$work/lightrail.xsd"
find "$@" -name '*.xml' | sort > "$work/files"
test -s "$work/files"
xargs xmllint --noout --schema "$work/lightrail.xsd" < "$work/files"
echo '<scenario><cluster colour="red"/></scenario>' > "$work/bad.xml"
if xmllint --noout --schema "$work/lightrail.xsd" "$work/bad.xml" 2> "$work/said"; then
  echo "the schema accepts an unknown attribute" >&2
  exit 1
fi
grep -q "colour" "$work/said"
