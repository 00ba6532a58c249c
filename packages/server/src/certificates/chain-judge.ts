import { yieldToLoop } from '@waxwing/pki/import-budget.ts';
import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import type { Ground } from '../audit/ground.ts';
import type { Worker } from '../runtime/supervisor.ts';
import { type JudgedVersionRow, listChains, replaceRemarks } from './certificate-store.ts';
import { judgeChain } from './chain/judge-chain.ts';
import { writeRemarks } from './chain/remarks.ts';

const dayMs = 86_400_000;
const atOnce = 50;
/** Hand-outs share the thread: a portion of chains takes some milliseconds of it. */
const pauseMs = 200;

interface Needs extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  readonly known: KnownAuthorities;
  /** Hears of a chain that cannot be judged. */
  onError(error: unknown, version: Pick<JudgedVersionRow, 'certificate_id' | 'id'>): void;
}

/**
 * Judges the chains of all current versions at the start and once a day: authorities expire, and others become known. Only a
 * judgement that has changed is written, so it does no harm when several servers do it.
 */
export function createChainJudge(needs: Needs): Worker {
  return {
    name: 'chain-judge',
    async run(signal) {
      while (!signal.aborted) {
        await judgeAll(needs, signal);
        await needs.wait(dayMs, signal);
      }
    },
  };
}

async function judgeAll(needs: Needs, signal: AbortSignal): Promise<void> {
  let after = '';
  while (!signal.aborted) {
    const versions = await listChains(needs.database, after, atOnce);
    for (const version of versions) {
      await judge(needs, version);
      await yieldToLoop();
    }
    const last = versions.at(-1);
    if (last === undefined || versions.length < atOnce) return;
    after = last.certificate_id;
    await needs.wait(pauseMs, signal);
  }
}

async function judge(needs: Needs, version: JudgedVersionRow): Promise<void> {
  const { chain, given_root } = version;
  const judged = await judgeChain(needs, { chain, givenRoot: given_root ?? undefined }).catch((error: unknown) => {
    needs.onError(error, version);
  });
  if (judged === undefined) return;
  const remarks = writeRemarks(judged.remarks);
  if (remarks !== version.remarks) await replaceRemarks(needs.database.db, version, remarks);
}
