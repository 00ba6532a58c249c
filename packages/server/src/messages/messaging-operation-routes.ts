import * as operations from '@waxwing/contract/management-api/operations/message-operations.ts';
import * as lists from '@waxwing/contract/management-api/operations/messaging-list-operations.ts';
import * as settingOperations from '@waxwing/contract/management-api/operations/messaging-setting-operations.ts';
import { maxSegments } from '@waxwing/contract/messaging-api.ts';
import { segmentsOf } from '@waxwing/smpp/text.ts';
import { type Binding, bind, ownerOf } from '../api/operation-frame.ts';
import { invalidCursor, type Page } from '../api/page-cursor.ts';
import type { ListedMessage, Messages } from './history/manage-messages.ts';
import { showBatch, showTimeline, type TimelineNeeds } from './history/message-timeline.ts';
import type { SendByHand } from './send/send-by-hand.ts';
import type { BlockedLists } from './senders/manage-blocked-lists.ts';
import type { OptOuts } from './senders/manage-opt-outs.ts';
import type { MessagingSettings, MessagingSettingsKeeper } from './senders/messaging-settings.ts';

export interface MessagingOperationNeeds extends TimelineNeeds {
  readonly sendByHand: SendByHand;
  readonly messages: Messages;
  readonly optOuts: OptOuts;
  readonly blockedLists: BlockedLists;
  readonly settings: MessagingSettingsKeeper;
}

/** A thousand numbers and the longest content, with every character escaped, take four fifths of it. */
const bodyBytes = 262_144;

/** The operations on messages, and on whom none is sent (contract: message-, messaging-list-, messaging-setting-operations). */
export function messagingOperationRoutes(needs: MessagingOperationNeeds): readonly Binding[] {
  const { blockedLists, optOuts } = needs;
  return [
    ...messageBindings(needs),
    ...settingBindings(needs.settings),

    bind(lists.optOuts.list, async ({ params, query, page }) => {
      const rows = await optOuts.list(params.organization_id, { ...partOf(page), number: query.number });
      return page.of(rows, ({ number }) => number);
    }),
    bind(lists.optOuts.add, ({ by, params, body }) => optOuts.add(by, params.organization_id, body.number)),
    bind(lists.optOuts.remove, async ({ by, params, body }) => {
      await optOuts.remove(by, params.organization_id, body.number);
      return undefined;
    }),

    ...blockedBindings(blockedLists, lists.blockedNumbers, lists.blockedWords),
    ...blockedBindings(blockedLists, lists.instanceBlockedNumbers, lists.instanceBlockedWords),
  ];
}

/** The blocked numbers and words of one organization, or of all organizations. */
function blockedBindings(
  blockedLists: BlockedLists,
  numbers: typeof lists.blockedNumbers | typeof lists.instanceBlockedNumbers,
  words: typeof lists.blockedWords | typeof lists.instanceBlockedWords,
): readonly Binding[] {
  return [
    bind(numbers.list, async ({ params, query, page }) => {
      const part = { ...partOf(page), number: query.number };
      return page.of(await blockedLists.listNumbers(ownerOf(params), part), ({ number }) => number);
    }),
    bind(numbers.add, ({ by, params, body }) => blockedLists.addNumber(by, ownerOf(params), body.number)),
    bind(numbers.remove, async ({ by, params, body }) => {
      await blockedLists.removeNumber(by, ownerOf(params), body.number);
      return undefined;
    }),
    bind(words.list, async ({ params, page }) =>
      page.of(await blockedLists.pageOfWords(ownerOf(params), partOf(page)), ({ word }) => word),
    ),
    bind(words.add, ({ by, params, body }) => blockedLists.addWord(by, ownerOf(params), body.word)),
    bind(words.remove, async ({ by, params, body }) => {
      await blockedLists.removeWord(by, ownerOf(params), body.word);
      return undefined;
    }),
  ];
}

function messageBindings(needs: MessagingOperationNeeds): readonly Binding[] {
  const { messages, sendByHand } = needs;
  return [
    bind(
      operations.sendByHand,
      async ({ by, params, body, onceKey }) => ({
        batch_id: await sendByHand(by, params.organization_id, body, onceKey),
      }),
      { bodyBytes },
    ),
    bind(operations.previewMessage, ({ body }) => ({
      // As the send operation reads it: a lone surrogate is what any database would make of it.
      ...segmentsOf(body.content.toWellFormed()),
      max_segments: maxSegments,
    })),
    bind(operations.listMessages, async ({ params, query, page }) => {
      const [before, behind] = page.afterParts(2) ?? [];
      const { rows, reached } = await messages.find({
        organizationId: params.organization_id,
        batchId: query.batch_id,
        number: query.mobile,
        status: query.status,
        acceptedSince: momentOf(query.accepted_since),
        acceptedBefore: momentOf(query.accepted_before),
        limit: page.take,
        ...(before !== undefined && { before, behind: toWhole(behind) }),
      });
      return page.of(rows, placeOf, reached);
    }),
    bind(operations.showMessageBatch, ({ params }) => showBatch(needs, params.organization_id, params.batch_id)),
    bind(operations.showMessageTimeline, ({ params }) =>
      showTimeline(needs, params.organization_id, params.batch_id, params.position),
    ),
    bind(operations.listReplies, async ({ params, query, page }) => {
      const { rows, reached } = await messages.findReplies({
        organizationId: params.organization_id,
        number: query.mobile,
        stop: query.stop,
        limit: page.take,
        before: page.after,
      });
      return page.of(rows, ({ id }) => id, reached);
    }),
    bind(operations.listUnmatchedReplies, async ({ page }) => {
      const rows = await messages.replies({ organizationId: '', limit: page.take, before: page.after });
      return page.of(rows, ({ id }) => id);
    }),
  ];
}

function settingBindings(settings: MessagingSettingsKeeper): readonly Binding[] {
  return [
    bind(settingOperations.showMessagingSettings, ({ params }) => settings.show(params.organization_id)),
    bind(settingOperations.updateMessagingSettings, (call) => {
      const check = (current: MessagingSettings) => call.requireMatch(current);
      const update = { defaultRegion: call.body.default_region };
      return settings.update(call.by, call.params.organization_id, update, check);
    }),
    bind(settingOperations.updateQuotas, (call) => {
      const check = (current: MessagingSettings) => call.requireMatch(current);
      const { messages_per_second: messagesPerSecond, messages_per_day: messagesPerDay } = call.body;
      const update = { messagesPerSecond, messagesPerDay };
      return settings.update(call.by, call.params.organization_id, update, check);
    }),
  ];
}

const partOf = ({ take: limit, after }: Page) => ({ limit, ...(after !== undefined && { after }) });
const momentOf = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));
const placeOf = ({ batch_id, position }: ListedMessage) => [batch_id, position];

function toWhole(text = ''): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalidCursor();
}
