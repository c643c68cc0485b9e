#!/usr/bin/env bash
# Builds the npm package in js/: bash js/build.sh
#
# From anywhere. Needs Node.js 20 with npm, and Rust with the target wasm32-unknown-unknown: that of rustup, or on Debian the packages
# rustc-web, cargo-web, rust-web-src and lld-19, whose standard library is built here. Writes js/dist/.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")"
source ../.ci/common

target=wasm32-unknown-unknown
build() {
    if command -v rustup >/dev/null && rustup target add "$target" 2>/dev/null; then
        cargo build --quiet --locked --release --target "$target" "$@"
    else
        RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19 \
            /usr/bin/cargo build --quiet --locked --release -Z build-std=std,panic_abort --target "$target" "$@"
    fi
}

[[ -d node_modules ]] || npm ci --silent
folder=$(target_folder)/$target/release
features=(--enable-simd --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals
    --enable-multivalue --enable-reference-types)

rm -rf dist
mkdir -p dist
build
npx wasm-opt -O3 "${features[@]}" "$folder/robots_wasm.wasm" -o dist/robots.wasm
build --no-default-features
npx wasm-opt -O3 "${features[@]}" "$folder/robots_wasm.wasm" -o dist/txt.wasm

# The same sources as ES modules and as CommonJS. What differs is how a module finds the file beside it.
for kind in esm cjs; do
    npx tsc -p "tsconfig.$kind.json"
    cp "ts/folder.$kind.js" "dist/$kind/folder.js"
    cp ts/folder.d.ts "dist/$kind/folder.d.ts"
done
echo '{"type": "commonjs"}' >dist/cjs/package.json
# `require` of the drop-in returns the function, as that of robots-parser does.
echo 'module.exports = Object.assign(robotsParser, exports);' >>dist/cjs/robots-parser.js
cp ts/robots-parser.cjs.d.ts dist/cjs/robots-parser.d.ts
cp ../robots-policy/decision.schema.json ../LICENSE-APACHE ../LICENSE-MIT dist/
