#!/bin/sh
# Usage: check_schema.sh LIGHTRAIL FOLDER...: every XML file of the folders is valid by the schema that
# describe prints. Not valid by it, nor by `lightrail validate`, are an unknown attribute, an element where it
# means nothing, and an attribute that its element has only in another place.
set -eu
lightrail=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$lightrail" describe --format xsd > "$work/lightrail.xsd"
find "$@" -name '*.xml' | sort > "$work/files"
test -s "$work/files"
xargs xmllint --noout --schema "$work/lightrail.xsd" < "$work/files"

refuse() {  # CONTENT of <scenario>, and the word that both name
  echo "<scenario name=\"bad\">$1</scenario>" > "$work/bad.xml"
  if xmllint --noout --schema "$work/lightrail.xsd" "$work/bad.xml" 2> "$work/said"; then
    echo "the schema accepts $1" >&2
    exit 1
  fi
  grep -q "$2" "$work/said"
  if "$lightrail" validate "$work/bad.xml" 2> "$work/said"; then
    echo "validate accepts $1" >&2
    exit 1
  fi
  grep -q "$2" "$work/said"
}
cluster='<cluster servers="2"><server catalogue="servers/dgx_h100"/></cluster>'
workload='<workload kind="collective" collective="all-reduce" from="1 MB" to="1 MB"'
fabric='<fabric kind="single-switch"><switch catalogue="switches/qm9700"/>'
rates='<failure-rates catalogue="faults/rsc_1"/>'
fabric="$fabric<link role=\"host\" catalogue=\"links/ndr_copper\"/>"
refuse "<cluster colour=\"red\"/>" colour
refuse "$cluster$fabric</fabric><gemm dtype=\"bf16\"/>$workload/>" gemm
refuse "$cluster$fabric<gate skew=\"1\"/></fabric>$workload/>" gate
refuse "$cluster$fabric</fabric>$workload><link rate=\"1 Gb/s\"/></workload>" link
refuse "$cluster$fabric</fabric>$workload><checkpoint rate=\"1 GB/s\"/></workload>" checkpoint
goodput="<goodput>$rates<checkpoint every=\"1 h\" write=\"1 s\" restore=\"on\"/></goodput>"
refuse "$cluster$fabric</fabric>$workload/>$goodput" restore
