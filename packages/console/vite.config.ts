import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { nonceForStyles } from './build/nonce-for-styles.ts';
import { operationsAsData } from './build/operations-as-data.ts';
import { preloadFrame } from './build/preload-frame.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [operationsAsData(), nonceForStyles(), preloadFrame(), react()],
  // The server puts a new nonce in its place with every answer: packages/server/src/http/console-files.ts.
  html: { cspNonce: 'nonce-of-this-answer' },
  build: {
    // Widely available for two and a half years: what antd 6 asks for as well.
    target: 'baseline-widely-available',
    // A data: URL for a script is no script under our policy, and small files are cached like all others.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Without them 169 files, most of them smaller than what asking for one costs; the first list needs 80 of them.
          groups: [
            { name: 'initial', tags: ['$initial'] },
            { name: 'common', minShareCount: 10 },
            // A few hundred bytes each, and the navigation alone needs a dozen of either.
            { name: 'operations', test: /contract\/src\/management-api\// },
            { name: 'icons', test: /@ant-design\/icons/, minShareCount: 2 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 1_500,
  },
  server: { proxy: { '/api': 'http://localhost:8080' } },
});
