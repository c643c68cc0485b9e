"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

exports.readFile = (name) => readFileSync(join(__dirname, "..", name));
