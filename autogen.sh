#!/bin/sh
# autogen.sh: makes ./configure from configure.ac. Needed once after a checkout.
set -eu
cd "$(dirname "$0")"
exec autoreconf --install
