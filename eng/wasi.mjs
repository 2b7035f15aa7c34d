// Runs a WebAssembly program (WASI, preview 1) in Node: node wasi.mjs PROGRAM ARGUMENT... The program may read all files, and has the
// environment of this process. The exit code is the program's.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [program, ...rest], env: process.env, preopens: { "/": "/" } });
const { instance } = await WebAssembly.instantiate(await readFile(program), wasi.getImportObject());
process.exitCode = wasi.start(instance);
