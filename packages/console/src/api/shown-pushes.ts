/** Types of what the API answers about pushes. */
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { listPushes, listResends, showPush } from '@waxwing/contract/management-api/operations/push-operations.ts';
import type {
  showPushHealth,
  showPushSetting,
  testPushSetting,
} from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import type { ItemOf } from './shown-things.ts';

export type Push = ItemOf<typeof listPushes>;
export type PushDetails = AnswerOf<typeof showPush>;
export type PushAttempt = PushDetails['attempt_log'][number];
export type ResendProgress = ItemOf<typeof listResends>;
export type PushSetting = AnswerOf<typeof showPushSetting>;
export type PushHealth = AnswerOf<typeof showPushHealth>;
export type TestPush = AnswerOf<typeof testPushSetting>;
