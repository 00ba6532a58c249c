#!/usr/bin/env -S node --
// Plain JavaScript on purpose: the Node that npx starts may be too old to read our TypeScript sources.
import { fileURLToPath } from 'node:url';
import { useCompileCache } from '../../../scripts/compile-cache.mjs';
import { explainMissingNode, findNode, isNewEnough } from '../../../scripts/find-node.mjs';
import { nodeArguments, runInForeground } from '../../../scripts/run-in-foreground.mjs';

const main = new URL('../src/main.ts', import.meta.url);

if (isNewEnough(process.versions.node)) {
  useCompileCache();
  await import(main.href);
} else {
  const node = findNode();
  if (node === undefined) {
    console.error(explainMissingNode());
    process.exitCode = 1;
  } else {
    process.exitCode = await runInForeground(node, nodeArguments(fileURLToPath(main), process.argv.slice(2)));
  }
}
