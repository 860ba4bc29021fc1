#!/bin/sh
# Removes what a running service never reads from a folder with dist/ and installed packages (Dockerfile), about two
# thirds of its bytes. Licences stay. `deploy/check.sh --image` shows that a page and its card need no more.
# usage: deploy/prune.sh FOLDER
set -eu
cd "$1"
modules=node_modules
platform=$(node -p '`${process.platform}-${process.arch}`')

# A package needs it for its types only, and `npm prune --omit=dev` keeps it because it is also an optional peer.
rm -rf $modules/typescript $modules/@typescript $modules/.bin/tsc $modules/@types
# Our own workspaces: links to folders that the image does not have.
find $modules -maxdepth 1 -type l -delete
# Cards use two weights of one font, and of the others the upright variable files (shared/threads/card-fonts.ts).
find $modules/@expo-google-fonts -type f ! -name '*_400Regular.ttf' ! -name '*_700Bold.ttf' ! -name package.json ! -name 'LICENSE*' -delete
find $modules/@fontsource-variable -type f ! -name '*-wght-normal.woff2' ! -name unicode.json ! -name package.json ! -name LICENSE -delete
# Prebuilt for every platform, with the sources to compile it.
sqlite=$modules/@photostructure/sqlite
find $sqlite/prebuilds -mindepth 1 -maxdepth 1 ! -name "$platform" -exec rm -r {} +
rm -rf $sqlite/src $sqlite/deps $sqlite/build
# Source maps and types.
find dist $modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# Of the client only the bundle is served.
find dist/cli -type f ! -name cli.mjs -delete
rm -rf dist/scripts
find dist $modules -type d -empty -delete
