import type { AuditAction } from '@waxwing/contract/management-api/audit-actions.ts';
import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import type { Ground } from '../../audit/ground.ts';
import type { BlockedWordRow } from '../../database/schema/message-tables.ts';
import { isPlainText, requireOrganization } from '../../organizations/organization.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import {
  addBlockedNumber,
  addBlockedWord,
  findBlockedWords,
  listBlockedNumbers,
  listBlockedWords,
  type NumberPart,
  removeBlockedNumber,
  removeBlockedWords,
} from './blocked-list-store.ts';
import { checkNumber, checkPart } from './checked-number.ts';
import { foldWord } from './content-policy.ts';

type BlockedNumber = Shown<contract.BlockedNumber>;
type BlockedWord = Shown<contract.BlockedWord>;

/** What is never sent. Everywhere an empty `organizationId` stands for all organizations. */
export interface BlockedLists {
  addNumber(actor: string, organizationId: string, number: string): Promise<BlockedNumber>;
  /** By number. @param part its `number` written as in `addNumber` */
  listNumbers(organizationId: string, part: NumberPart): Promise<BlockedNumber[]>;
  removeNumber(actor: string, organizationId: string, number: string): Promise<{ number: string }>;
  /** @returns the entry there is, in its own writing, where the list has the word in any */
  addWord(actor: string, organizationId: string, word: string): Promise<BlockedWord>;
  /** By word, those behind `after`. */
  pageOfWords(
    organizationId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<BlockedWord[]>;
  /** In each writing it has: lists of old have several, and any of them would still block the word. */
  removeWord(actor: string, organizationId: string, word: string): Promise<{ word: string }>;
}

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

const longestWord = 100;
/** They are held in memory by every node. */
const maxWords = 10_000;

/** The audit trail holds no phone numbers: it tells that a list changed, and who changed it. */
export function createBlockedLists({ database, feed, audit, clock }: Needs): BlockedLists {
  const { db } = database;

  async function requireOwner(organizationId: string): Promise<void> {
    if (organizationId !== '') await requireOrganization(db, organizationId);
  }

  const event = (actor: string, action: AuditAction, organizationId: string, detail: object) => ({
    organizationId,
    actor,
    action,
    subject: organizationId,
    at: clock.now(),
    detail: JSON.stringify(detail),
  });

  return {
    async addNumber(actor, organizationId, number) {
      await requireOwner(organizationId);
      const checked = await checkNumber(db, organizationId, number);
      const created_at = clock.now();
      await database.transaction(async (trx) => {
        await addBlockedNumber(trx, { organization_id: organizationId, number: checked, created_at });
        await audit.record(trx, [event(actor, 'blocked-number.add', organizationId, {})]);
      });
      return { number: checked, created_at: toRfc3339(created_at) };
    },

    async listNumbers(organizationId, part) {
      await requireOwner(organizationId);
      const rows = await listBlockedNumbers(db, organizationId, await checkPart(db, organizationId, part));
      return rows.map(({ number, created_at }) => ({ number, created_at: toRfc3339(created_at) }));
    },

    async removeNumber(actor, organizationId, number) {
      const checked = await checkNumber(db, organizationId, number);
      await database.transaction(async (trx) => {
        if (!(await removeBlockedNumber(trx, organizationId, checked))) throw notBlocked('number');
        await audit.record(trx, [event(actor, 'blocked-number.remove', organizationId, {})]);
      });
      return { number: checked };
    },

    async addWord(actor, organizationId, word) {
      await requireOwner(organizationId);
      const checked = checkWord(word);
      const words = await findBlockedWords(db, [organizationId]);
      const present = alike(words, checked)[0];
      if (present === undefined && words.length >= maxWords) {
        throw new Problem('conflict', {
          field: 'word',
          reason: 'too_many_words',
          parameters: { most: maxWords },
          detail: `There are ${maxWords} blocked words already.`,
        });
      }
      const row = present ?? { organization_id: organizationId, word: checked, created_at: clock.now() };
      await feed.write(async (trx, note) => {
        // Also the entry there is: it may have been removed meanwhile.
        await addBlockedWord(trx, row);
        note('messaging', organizationId, organizationId || undefined);
        await audit.record(trx, [event(actor, 'blocked-word.add', organizationId, { word: row.word })]);
      });
      return toBlockedWord(row);
    },

    pageOfWords: async (organizationId, { after, limit }) =>
      (await listBlockedWords(db, organizationId, after, limit)).map(toBlockedWord),

    async removeWord(actor, organizationId, word) {
      const writings = alike(await findBlockedWords(db, [organizationId]), word).map((row) => row.word);
      await feed.write(async (trx, note) => {
        const removed = await removeBlockedWords(trx, organizationId, writings);
        if (removed.length === 0) throw notBlocked('word');
        note('messaging', organizationId, organizationId || undefined);
        const events = removed.map((each) => event(actor, 'blocked-word.remove', organizationId, { word: each }));
        await audit.record(trx, events);
      });
      return { word: word.trim() };
    },
  };
}

function toBlockedWord({ word, created_at }: BlockedWordRow): BlockedWord {
  return { word, created_at: toRfc3339(created_at) };
}

/** The entries that block the same as `word` does. */
function alike(rows: readonly BlockedWordRow[], word: string): BlockedWordRow[] {
  const folded = foldWord(word);
  return rows.filter((row) => foldWord(row.word) === folded);
}

function notBlocked(field: 'number' | 'word'): Problem {
  return new Problem('not_found', { field, detail: `This ${field} is not blocked.` });
}

/**
 * A word of nothing but characters that show nothing would be found nowhere. As it is compared it has no more characters either:
 * one can stand for eighteen.
 */
function checkWord(word: string): string {
  const trimmed = word.trim();
  const length = foldWord(trimmed).length;
  if (trimmed.length <= longestWord && isPlainText(trimmed) && length > 0 && length <= longestWord) return trimmed;
  throw new Problem('invalid_parameter', {
    field: 'word',
    detail: `word must have 1 to ${longestWord} visible characters.`,
  });
}
