import type { Plugin } from 'vite';

/** The frame of every page for people who are signed in. */
const entries = ['src/pages/shell/console-frame.tsx', 'src/pages/shell/organization-outlet.tsx'];

/**
 * Names the files of the frame in the page, so that a browser loads them together with the first script and not after
 * it has run: that saves a fifth of a second.
 */
export function preloadFrame(): Plugin {
  return {
    name: 'preload-frame',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        if (bundle === undefined) return;
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
        const wanted = new Set<string>();
        const want = (file: string): void => {
          const chunk = byFile.get(file);
          if (chunk === undefined || chunk.isEntry || wanted.has(file)) return;
          wanted.add(file);
          chunk.imports.forEach(want);
        };
        for (const entry of entries) {
          const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(entry));
          if (chunk === undefined) throw new Error(`${entry} is no file of its own in the build`);
          want(chunk.fileName);
        }
        return [...wanted].map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/console/${file}` },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}
